import { approximateSqrtPriceAtTick } from '../exact/tickMath.ts';
import { startPrices } from './startPrices.ts';
import type { Pool, V3Pool } from '../types.ts';

/**
 * How deep a pool is, per token: the binary exponent of all that it can pay out, or `NO_DEPTH` where it pays nothing.
 */
export type DepthClasses = { readonly of0: number; readonly of1: number };

/** The class of a side that pays nothing: one-sided liquidity, or none. */
export const NO_DEPTH = -2000;

const double = new Float64Array(1);
const words = new Uint32Array(double.buffer);
/** The half of a double that holds its exponent. */
const HIGH_WORD = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1 ? 1 : 0;

/** The binary exponent of an amount; `NO_DEPTH` of nothing. */
function classOf(amount: number): number {
  if (!(amount > 0)) return NO_DEPTH;
  double[0] = amount;
  return ((words[HIGH_WORD] as number) >>> 20) - 1023;
}

/** The depth classes of a pool value. */
export function depthClasses(pool: Pool): DepthClasses {
  if (pool.kind === 'UNISWAP_V3') return v3Classes(pool);
  return { of0: classOf(Number(pool.reserve0)), of1: classOf(Number(pool.reserve1)) };
}

function v3Classes(pool: V3Pool): DepthClasses {
  const { price0, price1 } = startPrices(pool);
  return { of0: classOf(paidUpwards(pool, price1)), of1: classOf(paidDownwards(pool, price0)) };
}

/** All token0 that a rising price pays. */
function paidUpwards({ ticks, tick, liquidity: inRange }: V3Pool, start: number): number {
  if (!Number.isFinite(start)) return 0;
  const { indexes, liquidityNet } = ticks;
  let [paid, from, liquidity] = [0, start, Number(inRange)];
  for (let at = firstTickAbove(indexes, tick); at < indexes.length; at += 1) {
    const to = Math.max(from, approximateSqrtPriceAtTick(indexes[at] as number));
    paid += Math.max(0, liquidity) * (1 / from - 1 / to);
    liquidity += Number(liquidityNet[at]);
    from = to;
  }
  return paid;
}

/** All token1 that a falling price pays. */
function paidDownwards({ ticks, tick, liquidity: inRange }: V3Pool, start: number): number {
  if (start === 0) return 0;
  const { indexes, liquidityNet } = ticks;
  let [paid, from, liquidity] = [0, start, Number(inRange)];
  for (let at = firstTickAbove(indexes, tick) - 1; at >= 0; at -= 1) {
    const to = Math.min(from, approximateSqrtPriceAtTick(indexes[at] as number));
    paid += Math.max(0, liquidity) * (from - to);
    liquidity -= Number(liquidityNet[at]);
    from = to;
  }
  return paid;
}

/** Index of the first initialised tick above a tick. */
export function firstTickAbove(indexes: readonly number[], tick: number): number {
  let [low, high] = [0, indexes.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((indexes[middle] as number) <= tick) low = middle + 1;
    else high = middle;
  }
  return low;
}
