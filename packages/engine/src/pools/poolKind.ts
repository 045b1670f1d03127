import type { Curve, StartStretch } from '../curves/curve.ts';
import type { MadeSwap, PoolOutcome } from '../exact/outcome.ts';
import type { Pool, Rate, TokenPair } from '../types.ts';
import type { Direction } from './direction.ts';

/**
 * All that the engine has to know of one kind of pool. Amounts are smallest units; exact ones equal what the pool's
 * contract computes, to the unit.
 */
export type PoolKind<P extends Pool> = {
  /** What the pool pays for an input; undefined where it cannot take the whole input. */
  exactInput(pool: P, direction: Direction, amountIn: bigint): PoolOutcome | undefined;
  /** What the pool asks for an output; undefined where it cannot give it. */
  exactOutput(pool: P, direction: Direction, amountOut: bigint): PoolOutcome | undefined;
  /**
   * Whether an exact output is swapped forward with the input computed for it. Then the pool pays what that
   * input buys, which may be more than was asked.
   */
  readonly mayPayMore: boolean;
  /** Whether a swap of an exact input takes less than it is given where the pool runs out, and leaves the rest behind. */
  readonly mayTakeLess: boolean;
  /** The pool after a swap that it could serve. */
  after(pool: P, direction: Direction, swap: MadeSwap): P;
  /** What a unit of the token sold brings at the margin, fee aside. Needs a pool with reserves or a price. */
  marginalRate(pool: P, direction: Direction): Rate;
  /** Gas units of one hop that crosses a number of initialised ticks. */
  hopGasUnits(crossed: number): number;
  /** Whether rounding can cost a swap a unit of its input. In pools of every kind it can cost a unit of the output. */
  readonly roundsInput: boolean;
  /** By direction: square root of what a first unit sold brings, fee taken off; 0 where the pool pays nothing. */
  startRates(pool: P): readonly number[];
  /** By token: how much of it the pool can pay, in the classes of `depthClass`. */
  depths(pool: P): readonly number[];
  /** What proves that a route is near the best there is. */
  readonly bound: PairBound<P>;
};

/**
 * A pair in the bound. At any prices at most one of its directions pays. So the most that the pair can lose is the sum
 * over its directions. The search may count them as edges that know nothing of each other.
 *
 * A pool of three tokens or more does not fit in. Its directions draw on the same reserves. Edges would count one profit
 * several times, or miss one that takes three tokens, and the bound would be no bound.
 */
export type PairBound<P extends Pool & { readonly tokens: TokenPair }> = {
  /** The stretch that the pool starts to trade in. */
  startStretch(pool: P, direction: Direction): StartStretch;
  /** The pool in doubles; undefined where it can trade nothing. */
  curve(pool: P): Curve | undefined;
};
