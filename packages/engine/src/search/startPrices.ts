import { approximateSqrtPriceAtTick } from '../exact/tickMath.ts';
import type { Pool, V3Pool } from '../types.ts';

/**
 * Square root prices (token1/token0, smallest units) at which a pool's first units trade: `price0` where token0 is sold
 * to it, 0 where it has nothing to pay; `price1` where token1 is, infinite where it has nothing. They are its price,
 * but for a V3 pool without liquidity there: such a pool starts to trade where its liquidity does.
 */
export type StartPrices = { readonly price0: number; readonly price1: number };

const NOTHING: StartPrices = { price0: 0, price1: Number.POSITIVE_INFINITY };

/** The prices a pool starts to trade at. */
export function startPrices(pool: Pool): StartPrices {
  if (pool.kind === 'UNISWAP_V3') return v3StartPrices(pool);
  if (pool.reserve0 <= 0n || pool.reserve1 <= 0n) return NOTHING;
  const price = Math.sqrt(Number(pool.reserve1)) / Math.sqrt(Number(pool.reserve0));
  return { price0: price, price1: price };
}

function v3StartPrices(pool: V3Pool): StartPrices {
  const price = Number(pool.sqrtPriceX96) / 2 ** 96;
  if (!(price > 0) || pool.ticks.indexes.length === 0) return NOTHING;
  if (pool.liquidity > 0n) return { price0: price, price1: price };
  const { indexes, liquidityNet } = pool.ticks;
  let above = 0;
  while (above < indexes.length && (indexes[above] as number) <= pool.tick) above += 1;
  let price0 = 0;
  for (let at = above - 1, liquidity = 0n; at >= 0 && price0 === 0; at -= 1) {
    liquidity -= liquidityNet[at] as bigint;
    if (liquidity > 0n) price0 = Math.min(price, approximateSqrtPriceAtTick(indexes[at] as number));
  }
  let price1 = Number.POSITIVE_INFINITY;
  for (let at = above, liquidity = 0n; at < indexes.length && price1 === Number.POSITIVE_INFINITY; at += 1) {
    liquidity += liquidityNet[at] as bigint;
    if (liquidity > 0n) price1 = Math.max(price, approximateSqrtPriceAtTick(indexes[at] as number));
  }
  return { price0, price1 };
}
