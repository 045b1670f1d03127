import { approximateSqrtPriceAtTick, MAX_TICK, MIN_TICK } from '../exact/tickMath.ts';
import type { Pool, V2Pool, V3Pool } from '../types.ts';

// Amounts are smallest units, prices square roots of token1/token0 in smallest units, all as doubles. Only + - * / and
// square roots are used, which IEEE 754 defines to the last bit: the same in any process.

/**
 * A pool as the search sees it: stretches of constant liquidity between ascending bounds. Totals are counted from
 * the current price outwards, because counted from the lowest tick they would lose their digits.
 */
export type Curve = {
  readonly pool: Pool;
  readonly sqrtPrice: number;
  /** One less the fee: what of an input is traded. */
  readonly kept: number;
  /** Square root of `kept`. */
  readonly keptRoot: number;
  /** Square root prices that end the stretches, one more than there are stretches. */
  readonly bounds: Float64Array;
  /** Liquidity of the stretch from each bound to the next. */
  readonly liquidity: Float64Array;
  /** token0 between the current price and each bound. */
  readonly total0: Float64Array;
  /** token1 between the current price and each bound. */
  readonly total1: Float64Array;
  /** The stretch that holds the current price. */
  readonly current: number;
};

const curves = new WeakMap<Pool, Curve | 'UNUSABLE'>();

/** A pool's curve, built once per pool value; undefined where the pool can trade nothing. */
export function curveOf(pool: Pool): Curve | undefined {
  let curve = curves.get(pool);
  if (curve === undefined) {
    curve = (pool.kind === 'UNISWAP_V2' ? v2Curve(pool) : v3Curve(pool)) ?? 'UNUSABLE';
    curves.set(pool, curve);
  }
  return curve === 'UNUSABLE' ? undefined : curve;
}

function v2Curve(pool: V2Pool): Curve | undefined {
  if (pool.reserve0 <= 0n || pool.reserve1 <= 0n) return undefined;
  const [root0, root1] = [Math.sqrt(Number(pool.reserve0)), Math.sqrt(Number(pool.reserve1))];
  return {
    pool,
    sqrtPrice: root1 / root0,
    ...keptOf(pool),
    bounds: Float64Array.of(0, Number.POSITIVE_INFINITY),
    liquidity: Float64Array.of(root0 * root1),
    total0: Float64Array.of(Number.POSITIVE_INFINITY, Number(pool.reserve0)),
    total1: Float64Array.of(Number(pool.reserve1), Number.POSITIVE_INFINITY),
    current: 0,
  };
}

function keptOf(pool: Pool): { kept: number; keptRoot: number } {
  const kept = (1_000_000 - pool.feePips) / 1_000_000;
  return { kept, keptRoot: Math.sqrt(kept) };
}

function v3Curve(pool: V3Pool): Curve | undefined {
  const { indexes, liquidityNet } = pool.ticks;
  const count = indexes.length;
  const sqrtPrice = Number(pool.sqrtPriceX96) / 2 ** 96;
  if (count === 0 || !(sqrtPrice > 0) || pool.tick < MIN_TICK || pool.tick > MAX_TICK) return undefined;
  let current = 0;
  while (current < count && (indexes[current] ?? 0) <= pool.tick) current += 1;
  const bounds = new Float64Array(count + 2);
  bounds[0] = Math.min(sqrtPrice, approximateSqrtPriceAtTick(MIN_TICK));
  for (let at = 0; at < count; at += 1) bounds[at + 1] = approximateSqrtPriceAtTick(indexes[at] ?? 0);
  bounds[count + 1] = Math.max(sqrtPrice, approximateSqrtPriceAtTick(MAX_TICK));
  const liquidity = new Float64Array(count + 1);
  let inRange = pool.liquidity;
  liquidity[current] = Number(inRange);
  for (let at = current; at < count; at += 1) {
    inRange += liquidityNet[at] ?? 0n;
    liquidity[at + 1] = Number(inRange);
  }
  inRange = pool.liquidity;
  for (let at = current - 1; at >= 0; at -= 1) {
    inRange -= liquidityNet[at] ?? 0n;
    liquidity[at] = Number(inRange);
  }
  const [total0, total1] = totalsFrom(sqrtPrice, current, bounds, liquidity);
  return { pool, sqrtPrice, ...keptOf(pool), bounds, liquidity, total0, total1, current };
}

function totalsFrom(
  sqrtPrice: number,
  current: number,
  bounds: Float64Array,
  liquidity: Float64Array,
): [Float64Array, Float64Array] {
  const total0 = new Float64Array(bounds.length);
  const total1 = new Float64Array(bounds.length);
  let [sum0, sum1, from] = [0, 0, sqrtPrice];
  for (let at = current + 1; at < bounds.length; at += 1) {
    const to = Math.max(from, bounds[at] ?? 0);
    const depth = liquidity[at - 1] ?? 0;
    sum0 += (depth * (to - from)) / (to * from);
    sum1 += depth * (to - from);
    total0[at] = sum0;
    total1[at] = sum1;
    from = to;
  }
  [sum0, sum1, from] = [0, 0, sqrtPrice];
  for (let at = current; at >= 0; at -= 1) {
    const to = Math.min(from, bounds[at] ?? 0);
    const depth = liquidity[at] ?? 0;
    sum0 += (depth * (from - to)) / (to * from);
    sum1 += depth * (from - to);
    total0[at] = sum0;
    total1[at] = sum1;
    from = to;
  }
  return [total0, total1];
}

/** What moving a pool's price somewhere trades. */
export type Move = {
  /** token0 through the curve, without fee. */
  amount0: number;
  amount1: number;
  /** Liquidity where the price ends. */
  liquidity: number;
  /** The stretch where the price ends. */
  stretch: number;
};

/** Moves a curve's price down to `target`, or to its lowest bound; writes what is traded into `move`. */
export function moveDown(curve: Curve, target: number, move: Move): void {
  const { bounds, liquidity, total0, total1, current, sqrtPrice } = curve;
  let stretch = current;
  if (target < (bounds[current] ?? 0)) {
    let [low, high] = [0, current];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((bounds[middle + 1] ?? 0) > target) high = middle;
      else low = middle + 1;
    }
    stretch = low;
  }
  const depth = liquidity[stretch] ?? 0;
  const from = stretch === current ? sqrtPrice : (bounds[stretch + 1] ?? 0);
  const to = Math.max(target, bounds[stretch] ?? 0);
  const span = depth * (from - to);
  move.amount0 = (stretch === current ? 0 : (total0[stretch + 1] ?? 0)) + span / (from * to);
  move.amount1 = (stretch === current ? 0 : (total1[stretch + 1] ?? 0)) + span;
  move.liquidity = to > target ? 0 : depth;
  move.stretch = stretch;
}

/** Moves a curve's price up to `target`, or to its highest bound; writes what is traded into `move`. */
export function moveUp(curve: Curve, target: number, move: Move): void {
  const { bounds, liquidity, total0, total1, current, sqrtPrice } = curve;
  let stretch = current;
  if (target > (bounds[current + 1] ?? 0)) {
    let [low, high] = [current, liquidity.length - 1];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((bounds[middle + 1] ?? 0) >= target) high = middle;
      else low = middle + 1;
    }
    stretch = low;
  }
  const depth = liquidity[stretch] ?? 0;
  const from = stretch === current ? sqrtPrice : (bounds[stretch] ?? 0);
  const to = Math.min(target, bounds[stretch + 1] ?? 0);
  const span = depth * (to - from);
  move.amount0 = (stretch === current ? 0 : (total0[stretch] ?? 0)) + span / (from * to);
  move.amount1 = (stretch === current ? 0 : (total1[stretch] ?? 0)) + span;
  move.liquidity = to < target ? 0 : depth;
  move.stretch = stretch;
}

/** Side of a pool that is sold: its token0 for token1, or the reverse. */
export type Direction = 0 | 1;

/** What a curve pays for an input in one direction; what it holds there where the input is beyond its depth. */
export function outputOf(curve: Curve, direction: Direction, amountIn: number): number {
  return direction === 0
    ? sellToken0(curve, amountIn * curve.kept)
    : sellToken1(curve, amountIn * curve.kept);
}

/** The input, fee included, for which a curve pays an output; infinite beyond its depth. */
export function inputOf(curve: Curve, direction: Direction, amountOut: number): number {
  return (direction === 0 ? buyToken1(curve, amountOut) : buyToken0(curve, amountOut)) / curve.kept;
}

/** The stretch below the price in which a column's total reaches an amount; -1 beyond the lowest. */
function stretchBelow(curve: Curve, totals: Float64Array, amount: number): number {
  if ((totals[0] ?? 0) < amount) return -1;
  let [low, high] = [0, curve.current];
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if ((totals[middle] ?? 0) >= amount) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The stretch above the price in which a column's total reaches an amount; -1 beyond the highest. */
function stretchAbove(curve: Curve, totals: Float64Array, amount: number): number {
  const last = curve.liquidity.length - 1;
  if ((totals[last + 1] ?? 0) < amount) return -1;
  let [low, high] = [curve.current, last];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((totals[middle + 1] ?? 0) >= amount) high = middle;
    else low = middle + 1;
  }
  return low;
}

function sellToken0(curve: Curve, amount: number): number {
  const { total0, total1, current, liquidity, bounds } = curve;
  const stretch = stretchBelow(curve, total0, amount);
  if (stretch < 0) return total1[0] ?? 0;
  const inner = stretch === current;
  const from = inner ? curve.sqrtPrice : (bounds[stretch + 1] ?? 0);
  const moved = amount - (inner ? 0 : (total0[stretch + 1] ?? 0));
  const depth = liquidity[stretch] ?? 0;
  // L * (from - to) where 1 / to = 1 / from + moved / L, without the difference of near equals.
  const out = (moved * from * from) / (1 + (moved * from) / depth);
  return (inner ? 0 : (total1[stretch + 1] ?? 0)) + (depth > 0 ? out : 0);
}

function sellToken1(curve: Curve, amount: number): number {
  const { total0, total1, current, liquidity, bounds } = curve;
  const stretch = stretchAbove(curve, total1, amount);
  if (stretch < 0) return total0[total0.length - 1] ?? 0;
  const inner = stretch === current;
  const from = inner ? curve.sqrtPrice : (bounds[stretch] ?? 0);
  const moved = amount - (inner ? 0 : (total1[stretch] ?? 0));
  const depth = liquidity[stretch] ?? 0;
  const out = moved / (from * (from + moved / depth));
  return (inner ? 0 : (total0[stretch] ?? 0)) + (depth > 0 ? out : 0);
}

function buyToken1(curve: Curve, amount: number): number {
  const { total0, total1, current, liquidity, bounds } = curve;
  const stretch = stretchBelow(curve, total1, amount);
  if (stretch < 0) return Number.POSITIVE_INFINITY;
  const inner = stretch === current;
  const from = inner ? curve.sqrtPrice : (bounds[stretch + 1] ?? 0);
  const moved = amount - (inner ? 0 : (total1[stretch + 1] ?? 0));
  const depth = liquidity[stretch] ?? 0;
  const to = from - moved / depth;
  if (depth > 0 && to <= 0) return Number.POSITIVE_INFINITY;
  return (inner ? 0 : (total0[stretch + 1] ?? 0)) + (depth > 0 ? moved / (from * to) : 0);
}

function buyToken0(curve: Curve, amount: number): number {
  const { total0, total1, current, liquidity, bounds } = curve;
  const stretch = stretchAbove(curve, total0, amount);
  if (stretch < 0) return Number.POSITIVE_INFINITY;
  const inner = stretch === current;
  const from = inner ? curve.sqrtPrice : (bounds[stretch] ?? 0);
  const moved = amount - (inner ? 0 : (total0[stretch] ?? 0));
  const depth = liquidity[stretch] ?? 0;
  const left = 1 - (moved * from) / depth;
  if (depth > 0 && left <= 0) return Number.POSITIVE_INFINITY;
  return (inner ? 0 : (total1[stretch] ?? 0)) + (depth > 0 ? (moved * from * from) / left : 0);
}
