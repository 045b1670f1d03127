import { isLess, ZERO } from '../terms/amount.ts';
import { defined } from '@fairway/values';
import type { CommandOf } from '../plan/commands.ts';
import { endedPayments, payoutOf } from '../book/payout.ts';
import { begunTurn, endToEndIdOf, lastStep, payingState, withPartId } from '../book/payoutTurn.ts';
import { paidAs } from './booking.ts';
import { walletFor } from './lostParts.ts';
import { without, withStep } from '../plan/steps.ts';
import { mayBeSameTransfer } from '../plan/transferPlaces.ts';
import type { Evidence, PayingStep, Plan } from '../plan/types.ts';

type Paid = CommandOf<'PAYOUT_DONE' | 'DELIVERY_REPORTED'>;

/** Whether a transaction pays a part of what is due, and was told as one. */
export function isPart(plan: Plan, { evidence, part }: Paid): boolean {
  const step = lastStep(plan);
  if (evidence === undefined || payingState(step) === 'PAID') return false;
  const { payouts, left } = payoutOf(plan);
  // An account is not paid by transactions. Where payments to an account were told, a transaction pays no part.
  if (payouts.length > 0 || !isLess(evidence.amount, left)) return false;
  return evidence.amount !== ZERO && (part === true || step.payout?.part === evidence.txHash);
}

/** Whether a transaction paid a part already, in whatever block. */
export function isKnownPart(plan: Plan, { evidence, part }: Paid): boolean {
  const isAfterPart = payoutOf(plan).inParts !== ZERO;
  if (evidence === undefined || (part !== true && !isAfterPart)) return false;
  return endedPayments(plan).some(
    ({ transfer }) =>
      transfer !== undefined && evidence.transfers.some((each) => mayBeSameTransfer(transfer, each)),
  );
}

/**
 * The plan with a part paid by a transaction that the ledger has. While it is being confirmed, the step rests on it. Then
 * the rest is due.
 */
export function withPart(
  plan: Plan,
  evidence: Evidence,
  { nextEndToEndId = lastStep(plan).payout?.nextEndToEndId }: Pick<Paid, 'nextEndToEndId'>,
): Plan {
  const step = lastStep(plan);
  const { txHash, sender, nonce } = evidence;
  const turn = begunTurn(plan);
  if (evidence.status !== 'FINAL')
    return withStep(plan, { ...step, payout: { ...turn, part: txHash, ...defined({ nextEndToEndId }) } });
  const others = (turn.signed ?? []).filter((each) => each.txHash !== txHash);
  const wallet = walletFor(plan, evidence);
  const payout = {
    ...without(turn, 'part', 'nextEndToEndId'),
    signed: [...others, { txHash, sender, nonce, ...defined({ wallet }) }],
  };
  const next = withStep(plan, { ...openAgain(step), payout });
  return paidAs(plan, evidence) === endToEndIdOf(plan) ? withPartId(next, nextEndToEndId) : next;
}

/** The step without the transaction that paid a part, so that the rest is due. */
function openAgain(step: PayingStep): PayingStep {
  if (step.type === 'CUSTODIAN_PAYOUT')
    return without(step, 'evidence', 'verification', 'providerReference', 'occurredAtMs');
  return { ...step, delivery: { status: 'PENDING', ...defined({ endToEndId: step.delivery?.endToEndId }) } };
}
