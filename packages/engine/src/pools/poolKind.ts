import type { Curve, Direction, StartStretch } from '../curves/curve.ts';
import type { DepthClasses } from '../curves/depth.ts';
import type { StartPrices } from '../curves/startPrices.ts';
import type { MadeSwap, PoolOutcome } from '../exact/outcome.ts';
import type { Pool, Rate } from '../types.ts';

/**
 * All that the engine has to know of one kind of pool. Amounts are smallest units; exact ones equal what the pool's
 * contract computes, to the unit.
 */
export type PoolKind<P extends Pool> = {
  /** What the pool pays for an input; undefined where it cannot take the whole input. */
  exactInput(pool: P, zeroForOne: boolean, amountIn: bigint): PoolOutcome | undefined;
  /** What the pool asks for an output; undefined where it cannot give it. */
  exactOutput(pool: P, zeroForOne: boolean, amountOut: bigint): PoolOutcome | undefined;
  /**
   * Whether an exact output is swapped forward with the input computed for it. Then the pool pays what that
   * input buys, which may be more than was asked.
   */
  readonly mayPayMore: boolean;
  /** Whether a swap of an exact input takes less than it is given where the pool runs out, and leaves the rest behind. */
  readonly mayTakeLess: boolean;
  /** The pool after a swap that it could serve. */
  after(pool: P, swap: MadeSwap): P;
  /** The marginal price of token0 in token1, fee aside. Needs a pool with reserves or a price. */
  marginalPrice(pool: P): Rate;
  /** Gas units of one hop that crosses a number of initialised ticks. */
  hopGasUnits(crossed: number): number;
  /** Whether rounding can cost a swap a unit of its input. In pools of every kind it can cost a unit of the output. */
  readonly roundsInput: boolean;
  /** The prices at which the pool starts to trade. */
  startPrices(pool: P): StartPrices;
  /** How much the pool can pay of each token. */
  depths(pool: P): DepthClasses;
  /** The stretch that the pool starts to trade in. */
  startStretch(pool: P, direction: Direction): StartStretch;
  /** The pool in doubles; undefined where it can trade nothing. */
  curve(pool: P): Curve | undefined;
};
