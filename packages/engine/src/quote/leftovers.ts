import { mayTakeLess } from '../pools/poolSwap.ts';
import type { Address, Path, TradeType } from '../types.ts';

/** Paths as they are traded. Both decide what a pool that runs out leaves in the router. */
type Traded = { readonly tradeType: TradeType; readonly paths: readonly Path[] };

/**
 * The tokens between pools of which a part can be left in the router, each once. An exact input pays them on
 * to a pool that takes less when it runs out. An exact output takes all that it pays on, or is reverted.
 *
 * @example
 * ```ts
 * import { leftoverTokens, type Quote } from '@fairway/engine';
 *
 * declare const quote: Quote;
 *
 * const returned = [...leftoverTokens(quote)];
 * ```
 */
export function leftoverTokens({ tradeType, paths }: Traded): ReadonlySet<Address> {
  const tokens = new Set<Address>();
  if (tradeType === 'EXACT_OUT') return tokens;
  for (const { legs } of paths)
    for (const [index, { pool, tokenIn }] of legs.entries())
      if (index > 0 && mayTakeLess(pool)) tokens.add(tokenIn);
  return tokens;
}

/**
 * Whether a part of native currency that pays for the swap can be left in the router. The router has been
 * sent the most that the swap may take. It takes no more of a token than the first pools do.
 *
 * @example
 * ```ts
 * import { mayLeaveNative, type Quote } from '@fairway/engine';
 *
 * declare const quote: Quote;
 *
 * const isRefunded = mayLeaveNative(quote);
 * ```
 */
export function mayLeaveNative({ tradeType, paths }: Traded): boolean {
  return tradeType === 'EXACT_OUT' || paths.some(({ legs: [first] }) => first && mayTakeLess(first.pool));
}
