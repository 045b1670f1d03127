import { leastOf, mostOf, unitsIn } from '../terms/amount.ts';
import { closingsOf, leftOf, totalOf, unaskedIn } from '../book/equations.ts';
import { standingMovements, transfersOf } from '../book/ledger.ts';
import { type Asset, isSameAsset } from '../terms/money.ts';
import { isReturned } from '../plan/steps.ts';
import type { Plan } from '../plan/types.ts';
import { acknowledgedAs } from '../book/acknowledgement.ts';

/**
 * How many units of an asset a plan may send back soon to an account that its deposit came from, at most in one
 * transfer. It is all that the plan has not swapped or paid out, because a refund may come at any time before that.
 * Money that was acknowledged when the plan was closed does not count, unless the plan was closed as refunded and no
 * refund is recorded since. `isAsking`: the plan itself is due to pay this account. Then what it has to pay out is no
 * refund, unless the payment failed or came back.
 *
 * @example
 * ```ts
 * import { type Address, assetsOf, pendingRefundOf, type Plan } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * declare const wallet: Address;
 * const mayBeRefund = pendingRefundOf(plan, wallet, assetsOf(plan).target) >= 250_000_000n;
 * ```
 */
export function pendingRefundOf(plan: Plan, account: string, asset: Asset, isAsking = false): bigint {
  const payers = transfersOf(plan, 'DEPOSIT').map(({ from }) => from?.toLowerCase());
  const isPayer = payers.includes(account.toLowerCase());
  if (!isPayer) return 0n;
  const isDue = isAsking && !isReturned(plan) && plan.steps.every(({ status }) => status !== 'FAILED');
  const toRefund = promisedOf(plan, asset);
  const sums = leftOf(plan)
    .filter((left) => isSameAsset(left.asset, asset))
    .map((left) => {
      const there = unaskedIn(left);
      const named = unitsIn(there.filter(({ acknowledged }) => acknowledged));
      return (isDue ? 0n : left.outstanding) + unitsIn(there) - named + leastOf([named, toRefund]);
    });
  return mostOf(sums);
}

/** How much of an asset was acknowledged as refunded when the plan was ended, less the refunds that are recorded since. */
function promisedOf(plan: Plan, asset: Asset): bigint {
  const first = closingsOf(plan).find(({ reason }) => reason === 'REFUNDED');
  if (first === undefined) return 0n;
  const since = standingMovements(plan, 'REFUND').filter(
    (row) => row.seq > first.movements && isSameAsset(row.asset, asset),
  );
  return mostOf([acknowledgedAs(plan, 'REFUNDED', asset) - totalOf(since)]);
}
