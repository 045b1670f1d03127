import { approximateSqrtPriceAtTick } from '../exact/tickMath.ts';
import type { Pool, V3Pool } from '../types.ts';

/**
 * How deep a pool is, per token: the binary exponent of what it pays out while its price moves by two percent, or
 * `NO_DEPTH` where it pays nothing. Coarse on purpose: what is chosen by classes changes only when a class does, so a
 * choice that is kept while they stay is the choice that would be made afresh.
 */
export type DepthClasses = { readonly of0: number; readonly of1: number };

/** The class of a side that pays nothing: one-sided liquidity, or none. */
export const NO_DEPTH = -2000;

/** Two percent of price, as a factor of its square root. */
const REACH = 1.01;

const double = new Float64Array(1);
const words = new Uint32Array(double.buffer);
/** The half of a double that holds its exponent. */
const HIGH_WORD = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1 ? 1 : 0;

function classOf(amount: number): number {
  if (!(amount >= 1)) return NO_DEPTH;
  double[0] = amount;
  return ((words[HIGH_WORD] as number) >>> 20) - 1023;
}

/** The depth classes of a pool value. */
export function depthClasses(pool: Pool): DepthClasses {
  if (pool.kind === 'UNISWAP_V3') return v3Classes(pool);
  const share = 1 - 1 / REACH;
  return { of0: classOf(Number(pool.reserve0) * share), of1: classOf(Number(pool.reserve1) * share) };
}

function v3Classes(pool: V3Pool): DepthClasses {
  const { indexes, liquidityNet } = pool.ticks;
  const start = Number(pool.sqrtPriceX96) / 2 ** 96;
  let [low, high] = [0, indexes.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((indexes[middle] ?? 0) <= pool.tick) low = middle + 1;
    else high = middle;
  }
  let [paid0, from, liquidity] = [0, start, Number(pool.liquidity)];
  for (let at = low; at < indexes.length && from < start * REACH; at += 1) {
    const to = Math.max(from, Math.min(start * REACH, approximateSqrtPriceAtTick(indexes[at] ?? 0)));
    paid0 += Math.max(0, liquidity) * (1 / from - 1 / to);
    liquidity += Number(liquidityNet[at] ?? 0n);
    from = to;
  }
  let paid1 = 0;
  [from, liquidity] = [start, Number(pool.liquidity)];
  for (let at = low - 1; at >= 0 && from > start / REACH; at -= 1) {
    const to = Math.min(from, Math.max(start / REACH, approximateSqrtPriceAtTick(indexes[at] ?? 0)));
    paid1 += Math.max(0, liquidity) * (from - to);
    liquidity -= Number(liquidityNet[at] ?? 0n);
    from = to;
  }
  return { of0: classOf(paid0), of1: classOf(paid1) };
}
