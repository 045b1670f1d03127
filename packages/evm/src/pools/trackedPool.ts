import type { Pool, V3Pool } from '@fairway/engine';

/**
 * A pool as the follower keeps it. The engine needs only each tick's net liquidity; the gross liquidity tells
 * when a tick stops being initialised. A tick between two touching positions has net zero and is still a step
 * of the contract's swap, with a rounding of its own.
 *
 * At most ticks all positions begin or all end, and gross is the size of net. Only what exceeds it is kept: a number
 * of its own for every tick would nearly double what a large market occupies.
 */
export type TrackedPool = {
  readonly pool: Pool;
  /** Gross less the size of net, at the ticks where some positions begin and others end; empty for V2. */
  readonly overlap: ReadonlyMap<number, bigint>;
};

type TrackedV3Pool = { readonly pool: V3Pool; readonly overlap: ReadonlyMap<number, bigint> };

/** No tick where positions meet. One value for all pools, so that it costs nothing. */
export const NO_OVERLAP: ReadonlyMap<number, bigint> = new Map();

/** A V3 pool as a node tells it: a row for each initialised tick, ascending. */
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
  // Copies have no room to grow, which decoded arrays do.
  const ticks = { indexes: indexes.slice(), liquidityNet: liquidityNet.slice() };
  return { pool: { ...pool, ticks }, overlap: overlap ?? NO_OVERLAP };
}

/** Gross liquidity of each entry of the pool's ticks. */
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

/** Whether a pool can trade at all; a pool that cannot is followed, but not quoted from. */
export function isTradable(pool: Pool): boolean {
  if (pool.kind === 'UNISWAP_V2') return pool.reserve0 > 0n && pool.reserve1 > 0n;
  return pool.sqrtPriceX96 > 0n && pool.ticks.indexes.length > 0;
}

/** Whether two readings of a pool agree in everything that prices depend on. */
export function isSamePool(a: TrackedPool, b: TrackedPool): boolean {
  return fingerprint(a) === fingerprint(b);
}

function fingerprint({ pool, overlap }: TrackedPool): string {
  if (pool.kind === 'UNISWAP_V2') return `${pool.reserve0}/${pool.reserve1}`;
  const { sqrtPriceX96, tick, liquidity, ticks } = pool;
  const gross = liquidityGrossOf({ pool, overlap });
  return [sqrtPriceX96, tick, liquidity, ...ticks.indexes, ...ticks.liquidityNet, ...gross].join('/');
}
