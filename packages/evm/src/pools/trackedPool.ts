import type { Pool } from '@fairway/engine';

/**
 * A pool as the follower keeps it. The engine needs only each tick's net liquidity; the gross liquidity tells
 * when a tick stops being initialised. A tick between two touching positions has net zero and is still a step
 * of the contract's swap, with a rounding of its own.
 *
 * At most ticks all positions begin or all end, and gross is the size of net. Only what exceeds it is kept: a number
 * of its own for every tick would nearly double what a large market occupies.
 */
export type TrackedPool<P extends Pool = Pool> = {
  readonly pool: P;
  /** Gross less the size of net, at the ticks where some positions begin and others end; empty for V2. */
  readonly overlap: ReadonlyMap<number, bigint>;
};

/** No tick where positions meet. One value for all pools, so that it costs nothing. */
export const NO_OVERLAP: ReadonlyMap<number, bigint> = new Map();
