import { leastOf, mostOf, sumOf, unitsOf } from '../terms/amount.ts';
import { closingsOf, leftOf, type Unallocated } from '../book/equations.ts';
import { standingMovements, transfersOf } from '../book/ledger.ts';
import { type Asset, isSameAsset } from '../terms/money.ts';
import { isReturned } from '../plan/steps.ts';
import type { Plan } from '../plan/types.ts';

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
    .map(({ outstanding, unallocated }) => {
      const there = unallocated.filter(({ direction }) => direction === 'IN');
      const named = totalOf(there.filter(({ acknowledged }) => acknowledged));
      const others = totalOf(there.filter(({ acknowledged }) => !acknowledged));
      return (isDue ? 0n : outstanding) + others + leastOf([named, toRefund]);
    });
  return mostOf(sums);
}

/** How much of an asset was acknowledged as refunded when the plan was ended, less the refunds that are recorded since. */
function promisedOf(plan: Plan, asset: Asset): bigint {
  const closings = closingsOf(plan).filter(({ reason }) => reason === 'REFUNDED');
  const [first] = closings;
  if (first === undefined) return 0n;
  const named = closings.flatMap(({ acknowledged }) => acknowledged);
  const promised = totalOf(named.filter((each) => each.direction === 'IN' && isSameAsset(each.asset, asset)));
  const since = standingMovements(plan).filter(
    (row) => row.kind === 'REFUND' && row.seq > first.movements && isSameAsset(row.asset, asset),
  );
  return mostOf([promised - unitsOf(sumOf(since.map(({ actual }) => actual)))]);
}

function totalOf(entries: readonly Pick<Unallocated, 'amount'>[]): bigint {
  return unitsOf(sumOf(entries.map(({ amount }) => amount)));
}
