import type { FeePips } from '../types.ts';
import { keptOf } from './curve.ts';

/**
 * Square root prices (token1/token0, smallest units) at which a pair's first units trade. `price0` is the
 * price when token0 is sold to the pool, 0 when the pool has nothing to pay. `price1` is the price when
 * token1 is sold to it, infinite when it has nothing. Both are the pool's price, except for a V3 pool without
 * liquidity at its price: it starts to trade where its nearest liquidity begins.
 */
export type StartPrices = { readonly price0: number; readonly price1: number };

/** The start prices of a pool that pays nothing in either direction. */
export const NOTHING_FOR_SALE: StartPrices = { price0: 0, price1: Number.POSITIVE_INFINITY };

/** Square roots of what a first unit of each token of a pair brings of the other, fee taken off. */
export function startRatesOf({ price0, price1 }: StartPrices, feePips: FeePips): readonly [number, number] {
  const keptRoot = Math.sqrt(keptOf(feePips));
  return [price0 * keptRoot, keptRoot / price1];
}
