import { type Amount, ZERO } from '../terms/amount.ts';
import { awaitedRefunds } from '../book/lostRefunds.ts';
import { needsApproval } from '../plan/approvalRules.ts';
import { lostPartsOf } from './lostParts.ts';
import { amountToPayOf } from '../book/payout.ts';
import { pendingPayoutsOf } from './pendingPayouts.ts';
import { lastStep, payingState } from '../book/payoutTurn.ts';
import { evidenceOf, swapStep } from '../plan/steps.ts';
import { unexplainedDeposits } from '../book/sentBack.ts';
import type { Plan } from '../plan/types.ts';

/**
 * What the custodian may pay now. It is nothing before the swap is final and the payment approved, and after the payment
 * failed. It is nothing while a transaction that had paid all or a part is lost: it may be mined again. It is nothing while
 * one that pays waits to be mined, or while the money may have come to the deposit address.
 *
 * @example
 * ```ts
 * import { payableNow, type Plan } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * const units = BigInt(payableNow(plan));
 * ```
 */
export function payableNow(plan: Plan): Amount {
  const step = lastStep(plan);
  if (payingState(step) !== 'DUE' || needsApproval(plan)) return ZERO;
  if (unexplainedDeposits(plan).length > 0 || awaitedRefunds(plan) !== undefined) return ZERO;
  // What a recipient has chosen stays due while the swap is lost, and while it is confirmed anew.
  if (swapStep(plan).evidence?.status !== 'FINAL') return ZERO;
  const isLost = evidenceOf(step)?.status === 'LOST' || lostPartsOf(plan).length > 0;
  return isLost || pendingPayoutsOf(plan).length > 0 ? ZERO : amountToPayOf(plan);
}
