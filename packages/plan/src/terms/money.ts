import type { Amount } from './amount.ts';
import type { Address } from './scalars.ts';

/**
 * What an amount is counted in: the smallest units of a token on a chain, or the minor units of a currency (ISO
 * 4217). The native currency of a chain has the address of EIP-7528.
 */
export type Asset = { readonly chainId: number; readonly address: Address } | { readonly currency: string };

/** An amount with what it is counted in. */
export type Money = { readonly amount: Amount; readonly asset: Asset };

/** What was kept back from a payout, in units of the token, and why. */
export type Kept = { readonly amount: Amount; readonly reason: string };

/**
 * Whether two assets are the same.
 *
 * @example
 * ```ts
 * import { type Asset, isSameAsset } from '@fairway/plan';
 *
 * declare const token: Asset;
 * const isCurrency = isSameAsset(token, { currency: 'PHP' });
 * ```
 */
export function isSameAsset(a: Asset, b: Asset): boolean {
  if ('currency' in a || 'currency' in b)
    return 'currency' in a && 'currency' in b && a.currency === b.currency;
  return a.chainId === b.chainId && a.address === b.address;
}

/**
 * The token that a plan's deposit comes in, and the token that its payout is made from. They may be the same.
 *
 * @example
 * ```ts
 * import { assetsOf, isSameAsset, type Plan } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * const { source, target } = assetsOf(plan);
 * const isSwapped = !isSameAsset(source, target);
 * ```
 */
export function assetsOf({ corridor }: { readonly corridor: Readonly<Record<'source' | 'target', Token>> }): {
  readonly source: Asset;
  readonly target: Asset;
} {
  const { source, target } = corridor;
  return {
    source: { chainId: source.chainId, address: source.token },
    target: { chainId: target.chainId, address: target.token },
  };
}

type Token = { readonly chainId: number; readonly token: Address };
