import type { Pool, V3Pool } from '@fairway/engine';

/**
 * A pool as the follower keeps it. The engine needs only each tick's net liquidity; the gross liquidity tells
 * when a tick stops being initialised. A tick between two touching positions has net zero and is still a step
 * of the contract's swap, with a rounding of its own.
 */
export type TrackedPool = {
  readonly pool: Pool;
  /** Gross liquidity of each entry of `pool.ticks`; empty for V2. */
  readonly liquidityGross: readonly bigint[];
};

type TrackedV3Pool = { readonly pool: V3Pool; readonly liquidityGross: readonly bigint[] };

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

function withTick(tracked: TrackedV3Pool, tick: number, gross: bigint, net: bigint): TrackedV3Pool {
  const { indexes, liquidityNet } = tracked.pool.ticks;
  const { liquidityGross } = tracked;
  const position = firstAtOrAbove(indexes, tick);
  if (indexes[position] !== tick) {
    return withTicks(
      tracked,
      indexes.toSpliced(position, 0, tick),
      liquidityGross.toSpliced(position, 0, gross),
      liquidityNet.toSpliced(position, 0, net),
    );
  }
  const grossAfter = (liquidityGross[position] ?? 0n) + gross;
  if (grossAfter === 0n) {
    return withTicks(
      tracked,
      indexes.toSpliced(position, 1),
      liquidityGross.toSpliced(position, 1),
      liquidityNet.toSpliced(position, 1),
    );
  }
  return withTicks(
    tracked,
    indexes,
    liquidityGross.with(position, grossAfter),
    liquidityNet.with(position, (liquidityNet[position] ?? 0n) + net),
  );
}

function withTicks(
  { pool }: TrackedV3Pool,
  indexes: readonly number[],
  liquidityGross: readonly bigint[],
  liquidityNet: readonly bigint[],
): TrackedV3Pool {
  return { pool: { ...pool, ticks: { indexes, liquidityNet } }, liquidityGross };
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

function fingerprint({ pool, liquidityGross }: TrackedPool): string {
  if (pool.kind === 'UNISWAP_V2') return `${pool.reserve0}/${pool.reserve1}`;
  const { sqrtPriceX96, tick, liquidity, ticks } = pool;
  return [sqrtPriceX96, tick, liquidity, ...ticks.indexes, ...ticks.liquidityNet, ...liquidityGross].join(
    '/',
  );
}
