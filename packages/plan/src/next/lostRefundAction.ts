import { awaitedRefunds, lostRefundsOf } from '../book/lostRefunds.ts';
import type { Next } from './codes.ts';
import type { StepId } from '../terms/scalars.ts';
import type { Plan } from '../plan/types.ts';

/** That a refund is waited for which a reorganisation took back; undefined when none is. `stepId`: what waits for it. */
export function lostRefundAction(plan: Plan, stepId: StepId): Next | undefined {
  const lost = awaitedRefunds(plan);
  if (lost === undefined) return undefined;
  const [first, ...more] = lost.txHashes;
  const others = more.length === 0 ? '' : ` (${more.length} more like it)`;
  const detail = `The transaction ${first}${others}, which sent money back to the payer, is no longer on the chain. Such a transaction is mostly mined again, and then counts by itself: move none of the money before. If it is not there by the deadline, next says what to do.`;
  return { stepId, why: 'REFUND_LOST', detail, deadlineMs: lost.untilMs };
}

/** An action with what is to be known of a lost refund that nobody waits for any more. */
export function withForgottenRefund(plan: Plan, action: Next): Next {
  const [first] = awaitedRefunds(plan) === undefined ? lostRefundsOf(plan) : [];
  if (first === undefined) return action;
  const detail = `${action.detail} The refund in the transaction ${first.transfer.txHash} is no longer on the chain, so it does not count. If it is mined after all, report it once more by its txHash.`;
  return { ...action, detail };
}
