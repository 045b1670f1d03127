import type { FeePips } from '../types.ts';

// Amounts are smallest units, prices square roots of token1/token0 in smallest units, all as doubles. Only + - * /
// and square roots are used. IEEE 754 defines them to the last bit, so every process gets the same result.

/**
 * A pair as the search sees it: stretches of constant liquidity between ascending bounds. Totals are counted from
 * the current price outwards, because counted from the lowest tick they would lose their digits.
 */
export type Curve = {
  readonly sqrtPrice: number;
  /** One less the fee: the part of an input that is traded. */
  readonly kept: number;
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

/**
 * The stretch that a pool starts to trade in, in the direction in which it sells. Prices are square roots of what it
 * pays for one unit. `liquidity` holds from `price` down to `limit`.
 */
export type StartStretch = { readonly price: number; readonly limit: number; readonly liquidity: number };

/** What a fee leaves of an input, as a part of it. */
export function keptOf(feePips: FeePips): number {
  return (1_000_000 - feePips) / 1_000_000;
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

/** An empty move, for `moveDown` and `moveUp` to write into. */
export function createMove(): Move {
  return { amount0: 0, amount1: 0, liquidity: 0, stretch: 0 };
}

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

/** What a curve pays for an input of token0 or token1; all that it can pay where the input is beyond its depth. */
export function outputOf(curve: Curve, zeroForOne: boolean, amountIn: number): number {
  return zeroForOne ? sellToken0(curve, amountIn * curve.kept) : sellToken1(curve, amountIn * curve.kept);
}

/** The input, fee included, for which a curve pays an output; infinite beyond its depth. */
export function inputOf(curve: Curve, zeroForOne: boolean, amountOut: number): number {
  return (zeroForOne ? buyToken1(curve, amountOut) : buyToken0(curve, amountOut)) / curve.kept;
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
  // L * (from - to) where 1 / to = 1 / from + moved / L, written without subtracting nearly equal numbers.
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
