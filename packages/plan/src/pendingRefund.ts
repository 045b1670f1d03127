import { unitsOf } from './amount.ts';
import { namedAs } from './closings.ts';
import { leftOf, type Unallocated } from './funds.ts';
import { standingMovements } from './ledger.ts';
import { type Asset, isSameAsset } from './money.ts';
import { planStatus } from './planStatus.ts';
import type { Plan } from './types.ts';

/**
 * How many units of an asset a plan may be about to send back to an account that its deposit came from, at most in one
 * transfer: money that nobody asked for, and money of a plan that has ended, that failed, or whose payment came back. What
 * was acknowledged when the plan was closed goes nowhere, unless it was closed as refunded and no refund is recorded.
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
export function pendingRefundOf(plan: Plan, account: string, asset: Asset): bigint {
  const isPayer = standingMovements(plan).some(
    ({ kind, transfer }) => kind === 'DEPOSIT' && transfer?.from?.toLowerCase() === account.toLowerCase(),
  );
  if (!isPayer) return 0n;
  const isStuck = ['FAILED', 'RETURNED'].includes(planStatus(plan));
  const toRefund = namedAs(plan, 'REFUNDED', asset);
  const sums = leftOf(plan)
    .filter((left) => isSameAsset(left.asset, asset))
    .map(({ outstanding, unallocated }) => {
      const there = unallocated.filter(({ direction }) => direction === 'IN');
      const named = totalOf(there.filter(({ acknowledged }) => acknowledged));
      const others = totalOf(there.filter(({ acknowledged }) => !acknowledged));
      return (isStuck ? outstanding : 0n) + others + (named < toRefund ? named : toRefund);
    });
  return sums.reduce((most, units) => (units > most ? units : most), 0n);
}

function totalOf(entries: readonly Unallocated[]): bigint {
  return entries.reduce((units, { amount }) => units + unitsOf(amount), 0n);
}
