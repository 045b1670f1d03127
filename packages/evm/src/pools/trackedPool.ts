import type { Pool } from '@fairway/engine';

/**
 * A pool as the follower keeps it. The engine needs only each tick's net liquidity; the gross liquidity shows when a
 * tick stops being initialised. A tick between two touching positions has a net of zero and still ends a step of the
 * contract's swap, which is rounded.
 *
 * At most ticks either all positions begin or all end, and gross equals the absolute value of net. Only the excess is
 * kept: a gross number for every tick would nearly double the memory of a large market.
 */
export type TrackedPool<P extends Pool = Pool> = {
  readonly pool: P;
  /** Gross less the absolute value of net, at the ticks where some positions begin and others end; empty for V2. */
  readonly overlap: ReadonlyMap<number, bigint>;
};

/** The overlap of a pool without such ticks: one value for all pools, so that it takes no memory. */
export const NO_OVERLAP: ReadonlyMap<number, bigint> = new Map();
