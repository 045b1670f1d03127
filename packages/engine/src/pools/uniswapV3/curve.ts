import { approximateSqrtPriceAtTick, MAX_TICK, MIN_TICK } from '../../exact/tickMath.ts';
import type { V3Pool } from '../../types.ts';
import { type Curve, keptOf, type StartStretch } from '../../curves/curve.ts';
import { depthClass } from '../../curves/depth.ts';
import { NOTHING_FOR_SALE, startRatesOf, type StartPrices } from '../../curves/startPrices.ts';

/** A pool trades at its price where it has liquidity there, else where the nearest liquidity begins. */
function v3StartPrices(pool: V3Pool): StartPrices {
  const price = Number(pool.sqrtPriceX96) / 2 ** 96;
  if (!(price > 0) || pool.ticks.indexes.length === 0) return NOTHING_FOR_SALE;
  if (pool.liquidity > 0n) return { price0: price, price1: price };
  const { indexes, liquidityNet } = pool.ticks;
  const above = firstTickAbove(indexes, pool.tick);
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

/** What a first unit of each token brings, as `PoolKind` has it. */
export function v3StartRates(pool: V3Pool): readonly [number, number] {
  return startRatesOf(v3StartPrices(pool), pool.feePips);
}

/**
 * Everything that the pool pays when its price moves over every initialised tick. Liquidity is added up as integers.
 * As floats, thin liquidity beside a range of more than 2^53 would be lost, and the bound would leave the pool out.
 */
export function v3Depths(pool: V3Pool): readonly [number, number] {
  const { price0, price1 } = v3StartPrices(pool);
  return [depthClass(paidUpwards(pool, price1)), depthClass(paidDownwards(pool, price0))];
}

/** All token0 that a rising price pays. */
function paidUpwards({ ticks, tick, liquidity: inRange }: V3Pool, start: number): number {
  if (!Number.isFinite(start)) return 0;
  const { indexes, liquidityNet } = ticks;
  let [paid, from, liquidity] = [0, start, inRange];
  for (let at = firstTickAbove(indexes, tick); at < indexes.length; at += 1) {
    const to = Math.max(from, approximateSqrtPriceAtTick(indexes[at] as number));
    paid += Math.max(0, Number(liquidity)) * (1 / from - 1 / to);
    liquidity += liquidityNet[at] as bigint;
    from = to;
  }
  return paid;
}

/** All token1 that a falling price pays. */
function paidDownwards({ ticks, tick, liquidity: inRange }: V3Pool, start: number): number {
  if (start === 0) return 0;
  const { indexes, liquidityNet } = ticks;
  let [paid, from, liquidity] = [0, start, inRange];
  for (let at = firstTickAbove(indexes, tick) - 1; at >= 0; at -= 1) {
    const to = Math.min(from, approximateSqrtPriceAtTick(indexes[at] as number));
    paid += Math.max(0, Number(liquidity)) * (from - to);
    liquidity -= liquidityNet[at] as bigint;
    from = to;
  }
  return paid;
}

/** Index of the first initialised tick above a tick. */
function firstTickAbove(indexes: readonly number[], tick: number): number {
  let [low, high] = [0, indexes.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((indexes[middle] as number) <= tick) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * The stretch up to the nearest initialised tick. It is empty where the pool has no liquidity at its price: such a
 * pool is asked by its curve.
 */
export function v3StartStretch(pool: V3Pool, zeroForOne: boolean): StartStretch {
  const { price0, price1 } = v3StartPrices(pool);
  const price = zeroForOne ? price0 : 1 / price1;
  if (pool.liquidity <= 0n) return { price, limit: price, liquidity: 0 };
  return {
    price,
    limit: Math.min(price, nextTickPrice(pool, zeroForOne)),
    liquidity: Number(pool.liquidity),
  };
}

/** The price, counted as the pool sells, at the first initialised tick that a swap in this direction reaches. */
function nextTickPrice({ ticks, tick }: V3Pool, zeroForOne: boolean): number {
  const above = firstTickAbove(ticks.indexes, tick);
  const index = ticks.indexes[zeroForOne ? above - 1 : above];
  if (index === undefined) return Number.POSITIVE_INFINITY;
  const bound = approximateSqrtPriceAtTick(index);
  return zeroForOne ? bound : 1 / bound;
}

/** A pool's curve: a stretch between any two initialised ticks; undefined where it has no ticks or no price. */
export function v3Curve(pool: V3Pool): Curve | undefined {
  const { indexes, liquidityNet } = pool.ticks;
  const count = indexes.length;
  const sqrtPrice = Number(pool.sqrtPriceX96) / 2 ** 96;
  if (count === 0 || !(sqrtPrice > 0) || pool.tick < MIN_TICK || pool.tick > MAX_TICK) return undefined;
  const current = firstTickAbove(indexes, pool.tick);
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
  return { sqrtPrice, kept: keptOf(pool.feePips), bounds, liquidity, total0, total1, current };
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
