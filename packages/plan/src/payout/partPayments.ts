import { isLess, sumOf, unitsOf, amountOf, ZERO } from '../terms/amount.ts';
import { defined } from '../terms/defined.ts';
import type { PlanEvent } from '../plan/events.ts';
import { reversalOf, standingMovements, withMovements } from '../book/ledger.ts';
import { assetsOf } from '../terms/money.ts';
import type { Movement, NewMovement } from '../plan/movement.ts';
import { paidAs, paidBy, placeOf } from '../book/stepMovements.ts';
import { endedPayments, paymentsOf } from '../book/payoutPayments.ts';
import { begunTurn, endToEndIdOf, lastStep, payingState, withDue, withPartId } from '../book/payoutTurn.ts';
import { without, withStep } from '../plan/planSteps.ts';
import type { TimeMs } from '../terms/scalars.ts';
import { isSamePlace, mayBeSameTransfer } from '../plan/transferPlaces.ts';
import type { Evidence, PayingStep, Plan, Transfer } from '../plan/types.ts';

type Paid = Extract<PlanEvent, { type: 'PAYOUT_DONE' | 'DELIVERY_REPORTED' }>;

/** Whether a transaction pays a part of what is due, and was told as one. */
export function isPart(plan: Plan, step: PayingStep, { evidence, part }: Paid): boolean {
  const { payout } = step;
  if (evidence === undefined || payingState(step) === 'PAID') return false;
  const { payouts, left } = paymentsOf(plan, step);
  // An account is not paid by transactions. Where payments to an account were told, a transaction pays no part.
  if (payouts.length > 0 || !isLess(evidence.amount, left)) return false;
  return evidence.amount !== ZERO && (part === true || payout?.part === evidence.txHash);
}

/** Whether a transaction paid a part already, in whatever block. */
export function isKnownPart(plan: Plan, { evidence, part }: Paid): boolean {
  const isAfterPart = lastStep(plan)?.payout?.paid !== undefined;
  if (evidence === undefined || (part !== true && !isAfterPart)) return false;
  return endedPayments(plan).some(
    ({ transfer }) =>
      transfer !== undefined && evidence.transfers.some((each) => mayBeSameTransfer(transfer, each)),
  );
}

/**
 * The plan with a part paid by a transaction: while it is being confirmed the step rests on it, and then the rest is
 * due.
 */
export function withPart(
  plan: Plan,
  step: PayingStep,
  evidence: Evidence,
  { nextEndToEndId = step.payout?.nextEndToEndId }: Pick<Paid, 'nextEndToEndId'>,
  atMs: TimeMs,
): Plan {
  if (evidence.status !== 'FINAL') {
    const turn = { ...begunTurn(plan, atMs), part: evidence.txHash, ...defined({ nextEndToEndId }) };
    return withStep(plan, { ...step, payout: turn });
  }
  const moved = withMovements(plan, partRows(plan, step, evidence), atMs);
  const rest = amountOf(unitsOf(paymentsOf(plan, step).left) - unitsOf(evidence.amount));
  const next = withDue(withStep(moved, openAgain(step)), rest, atMs);
  const last = lastStep(next);
  if (last?.payout === undefined) return next;
  const paid = sumOf([step.payout?.paid ?? ZERO, evidence.amount]);
  const counted = withStep(next, { ...last, payout: { ...last.payout, paid } });
  const isOfNow = paidAs(plan, evidence) === endToEndIdOf(plan);
  return isOfNow ? withPartId(counted, nextEndToEndId, atMs) : counted;
}

/** The step without the transaction that paid a part, so that the rest is due. */
function openAgain(step: PayingStep): PayingStep {
  if (step.type === 'CUSTODIAN_PAYOUT')
    return without(step, 'evidence', 'verification', 'providerReference', 'occurredAtMs', 'paidAmount');
  return { ...step, delivery: { status: 'PENDING', ...defined({ endToEndId: step.delivery?.endToEndId }) } };
}

/** The movements of a part that the ledger does not have in this block, after the reversal of those of another. */
function partRows(plan: Plan, step: PayingStep, evidence: Evidence): NewMovement[] {
  const { stepId } = step;
  const { verification = 'REPORTED', providerReference, occurredAtMs } = paidBy(step);
  const known = standingMovements(plan).filter(
    ({ kind, transfer }) => kind === 'PAYOUT' && transfer?.txHash === evidence.txHash,
  );
  const isSame = ({ transfer, actual }: Movement, told: Transfer) =>
    transfer !== undefined && isSamePlace(transfer, told) && actual === told.amount;
  const isOther = ({ transfer }: Movement) => transfer?.blockHash === evidence.blockHash;
  const moved = known.filter((row) => !isOther(row) && !evidence.transfers.some((told) => isSame(row, told)));
  const fresh = evidence.transfers.filter((told) => !known.some((row) => isSame(row, told)));
  return [
    ...moved.map(reversalOf),
    ...fresh.map(
      (transfer): NewMovement => ({
        kind: 'PAYOUT',
        side: 'TARGET',
        stepId,
        asset: assetsOf(plan).target,
        actual: transfer.amount,
        transfer: placeOf(transfer),
        endToEndId: paidAs(plan, evidence),
        verification,
        ...defined({ providerReference, occurredAtMs }),
      }),
    ),
  ];
}
