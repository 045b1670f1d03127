import { isLess, sumOf, unitsOf, amountOf, ZERO } from './amount.ts';
import { defined } from './defined.ts';
import type { PlanEvent } from './events.ts';
import { reversalOf, standingMovements, withMovements } from './ledger.ts';
import { assetsOf } from './money.ts';
import type { Movement, NewMovement } from './movement.ts';
import { placeOf } from './movements.ts';
import { endedPayments, paymentsOf } from './payments.ts';
import { begunTurn, endToEndIdOf, lastStep, withDue } from './payoutTurn.ts';
import { without, withStep } from './planSteps.ts';
import type { TimeMs } from './scalars.ts';
import { isSamePlace, mayBeSameTransfer } from './transferPlaces.ts';
import type { CustodianPayoutStep, Evidence, Plan, Transfer } from './types.ts';

type Paid = Extract<PlanEvent, { type: 'PAYOUT_DONE' }>;

/** Whether a transaction pays a part of what is due, and was told as one. */
export function isPart(plan: Plan, step: CustodianPayoutStep, { evidence, part }: Paid): boolean {
  const { payout, status } = step;
  if (evidence === undefined || status === 'DONE') return false;
  if (!isLess(evidence.amount, paymentsOf(plan, step).left)) return false;
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
export function withPart(plan: Plan, step: CustodianPayoutStep, evidence: Evidence, atMs: TimeMs): Plan {
  if (evidence.status !== 'FINAL') {
    return withStep(plan, { ...step, payout: { ...begunTurn(plan, atMs), part: evidence.txHash } });
  }
  const moved = withMovements(plan, partRows(plan, step, evidence), atMs);
  const open = without(step, 'evidence', 'verification', 'providerReference', 'occurredAtMs', 'paidAmount');
  const rest = amountOf(unitsOf(paymentsOf(plan, step).left) - unitsOf(evidence.amount));
  const next = withDue(withStep(moved, open), rest, atMs);
  const last = lastStep(next);
  if (last?.type !== 'CUSTODIAN_PAYOUT' || last.payout === undefined) return next;
  const paid = sumOf([step.payout?.paid ?? ZERO, evidence.amount]);
  return withStep(next, { ...last, payout: { ...last.payout, paid } });
}

/** The movements of a part that the ledger does not have in this block, after the reversal of those of another. */
function partRows(plan: Plan, step: CustodianPayoutStep, evidence: Evidence): NewMovement[] {
  const { stepId, verification = 'REPORTED', providerReference, occurredAtMs } = step;
  const known = standingMovements(plan).filter(
    ({ kind, transfer }) => kind === 'PAYOUT' && transfer?.txHash === evidence.txHash,
  );
  const isSame = ({ transfer, actual }: Movement, told: Transfer) =>
    transfer !== undefined && isSamePlace(transfer, told) && actual === told.amount;
  const moved = known.filter((row) => !evidence.transfers.some((told) => isSame(row, told)));
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
        endToEndId: endToEndIdOf(plan),
        verification,
        ...defined({ providerReference, occurredAtMs }),
      }),
    ),
  ];
}
