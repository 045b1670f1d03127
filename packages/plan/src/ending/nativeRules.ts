import { amountOf, unitsOf } from '../terms/amount.ts';
import type { CommandOf, Ruling } from '../plan/commands.ts';
import { changed, unchanged } from '../plan/rulings.ts';
import { standingMovements, withMovements } from '../book/ledger.ts';
import { type Asset, isSameAsset } from '../terms/money.ts';
import { isOver } from '../next/next.ts';
import type { Address, TimeMs } from '../terms/scalars.ts';
import type { Plan } from '../plan/types.ts';
import { totalOf } from '../book/equations.ts';
import { depositRow } from '../book/deposit.ts';

/**
 * The address that stands for the native currency of a chain (EIP-7528), in lower case as all addresses of a plan.
 *
 * @example
 * ```ts
 * import { type Asset, NATIVE_CURRENCY } from '@fairway/plan';
 *
 * const ether: Asset = { chainId: 1, address: NATIVE_CURRENCY };
 * ```
 */
export const NATIVE_CURRENCY: Address = `0x${'ee'.repeat(20)}`;

/**
 * Records native currency that the deposit address of a plan holds when the plan is over: no plan has a use for it. A balance
 * does not tell by which transactions it came, so only what is more than the ledger has already becomes a movement. After a refund of
 * native currency nothing more does: the balance may have been read before the refund was made.
 */
export function onNativeSeen(plan: Plan, { held }: CommandOf<'NATIVE_SEEN'>, atMs: TimeMs): Ruling {
  if (!isOver(plan)) return unchanged(plan);
  const asset: Asset = { chainId: plan.corridor.source.chainId, address: NATIVE_CURRENCY };
  const known = standingMovements(plan).filter((row) => isSameAsset(row.asset, asset));
  const isRefunded = known.some(({ kind }) => kind === 'REFUND');
  const fresh = unitsOf(held) - totalOf(known);
  if (isRefunded || fresh <= 0n) return unchanged(plan);
  const row = { ...depositRow(plan, 'VERIFIED'), asset, actual: amountOf(fresh) };
  return changed(withMovements(plan, [{ ...row, reason: 'OTHER_TOKEN' }], atMs));
}

/**
 * Whether an asset is the native currency of a chain.
 *
 * @example
 * ```ts
 * import { type Asset, isNative } from '@fairway/plan';
 *
 * declare const asset: Asset;
 * const hasLogs = !isNative(asset); // transfers of native currency leave no log
 * ```
 */
export function isNative(asset: Asset): boolean {
  return 'address' in asset && asset.address === NATIVE_CURRENCY;
}
