import type { V3Pool } from '@fairway/engine';
import { NO_OVERLAP, type TrackedPool } from '../trackedPool.ts';

type TrackedV3Pool = TrackedPool<V3Pool>;

/**
 * Makes a tracked pool of what a node answers: three columns with a row for each initialised tick, ascending.
 *
 * @example
 * ```ts
 * import type { V3Pool } from '@fairway/engine';
 * import { trackV3Pool } from '@fairway/evm';
 *
 * declare const pool: Omit<V3Pool, 'ticks'>;
 *
 * const position = trackV3Pool(pool, [-60, 60], [500n, -500n], [500n, 500n]);
 * ```
 */
export function trackV3Pool(
  pool: Omit<V3Pool, 'ticks'>,
  indexes: readonly number[],
  liquidityNet: readonly bigint[],
  liquidityGross: readonly bigint[],
): TrackedV3Pool {
  let overlap: Map<number, bigint> | undefined;
  for (const [position, tick] of indexes.entries()) {
    const excess = (liquidityGross[position] ?? 0n) - sizeOf(liquidityNet[position] ?? 0n);
    if (excess !== 0n) (overlap ??= new Map()).set(tick, excess);
  }
  // A copy takes only the memory it needs; a decoded array has room to grow.
  const ticks = { indexes: indexes.slice(), liquidityNet: liquidityNet.slice() };
  return { pool: { ...pool, ticks }, overlap: overlap ?? NO_OVERLAP };
}

/**
 * Gross liquidity of each entry of the pool's ticks.
 *
 * @example
 * ```ts
 * import type { V3Pool } from '@fairway/engine';
 * import { liquidityGrossOf, trackV3Pool } from '@fairway/evm';
 *
 * declare const pool: Omit<V3Pool, 'ticks'>;
 *
 * liquidityGrossOf(trackV3Pool(pool, [-60, 60], [500n, -500n], [500n, 500n])); // [500n, 500n]
 * ```
 */
export function liquidityGrossOf({ pool, overlap }: TrackedV3Pool): bigint[] {
  const { indexes, liquidityNet } = pool.ticks;
  return indexes.map((tick, position) => sizeOf(liquidityNet[position] ?? 0n) + (overlap.get(tick) ?? 0n));
}

function sizeOf(net: bigint): bigint {
  return net < 0n ? -net : net;
}

/** The pool after a position from tick `lower` to `upper` grew by `change` (shrank, when negative). */
export function withLiquidity(
  tracked: TrackedV3Pool,
  lower: number,
  upper: number,
  change: bigint,
): TrackedV3Pool {
  if (change === 0n) return tracked;
  const { pool } = tracked;
  const inRange = lower <= pool.tick && pool.tick < upper;
  const liquidity = inRange ? pool.liquidity + change : pool.liquidity;
  // Liquidity enters the price range at the lower tick and leaves it at the upper one.
  const lowerSet = withTick({ ...tracked, pool: { ...pool, liquidity } }, lower, change, change);
  return withTick(lowerSet, upper, change, -change);
}

function withTick({ pool, overlap }: TrackedV3Pool, tick: number, gross: bigint, net: bigint): TrackedV3Pool {
  const { indexes, liquidityNet } = pool.ticks;
  const position = firstAtOrAbove(indexes, tick);
  const isNew = indexes[position] !== tick;
  const netBefore = isNew ? 0n : (liquidityNet[position] ?? 0n);
  const netAfter = netBefore + net;
  const grossAfter = sizeOf(netBefore) + (overlap.get(tick) ?? 0n) + gross;
  const overlapAfter = withOverlap(overlap, tick, grossAfter - sizeOf(netAfter));
  if (grossAfter === 0n && !isNew) {
    const ticks = {
      indexes: indexes.toSpliced(position, 1),
      liquidityNet: liquidityNet.toSpliced(position, 1),
    };
    return { pool: { ...pool, ticks }, overlap: overlapAfter };
  }
  const ticks = isNew
    ? {
        indexes: indexes.toSpliced(position, 0, tick),
        liquidityNet: liquidityNet.toSpliced(position, 0, netAfter),
      }
    : { indexes, liquidityNet: liquidityNet.with(position, netAfter) };
  return { pool: { ...pool, ticks }, overlap: overlapAfter };
}

function withOverlap(
  overlap: ReadonlyMap<number, bigint>,
  tick: number,
  excess: bigint,
): ReadonlyMap<number, bigint> {
  if ((overlap.get(tick) ?? 0n) === excess) return overlap;
  const changed = new Map(overlap);
  if (excess === 0n) changed.delete(tick);
  else changed.set(tick, excess);
  return changed.size === 0 ? NO_OVERLAP : changed;
}

function firstAtOrAbove(indexes: readonly number[], tick: number): number {
  let low = 0;
  let high = indexes.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((indexes[middle] ?? 0) < tick) low = middle + 1;
    else high = middle;
  }
  return low;
}
