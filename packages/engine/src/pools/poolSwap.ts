import type { MadeSwap, PoolOutcome } from '../exact/outcome.ts';
import type { Hop, Pool } from '../types.ts';
import { type Direction, directionOf, directionOfHop } from './direction.ts';
import { kindOf } from './poolKinds.ts';

/** What a pool pays for an input, with the ticks crossed. Undefined where it cannot take the whole input. */
export function sellTo(pool: Pool, direction: Direction, amountIn: bigint): PoolOutcome | undefined {
  return kindOf(pool).exactInput(pool, direction, amountIn);
}

/** What a pool asks for an output, with the ticks crossed. Undefined where it cannot give it. */
export function buyFrom(pool: Pool, direction: Direction, amountOut: bigint): PoolOutcome | undefined {
  return kindOf(pool).exactOutput(pool, direction, amountOut);
}

/** The pool after a swap that it could serve. The next path through the pool starts from this state. */
export function poolAfter(hop: Hop, swap: MadeSwap): Pool {
  return kindOf(hop.pool).after(hop.pool, directionOfHop(hop), swap);
}

/**
 * Whether a swap for an exact output through the pool can pay more than was asked. A V2 pair gets the input
 * that was computed for the output, and pays what that input buys.
 *
 * @example
 * ```ts
 * import { mayPayMore, type Quote } from '@fairway/engine';
 *
 * declare const quote: Quote;
 *
 * const mayHaveSurplus = quote.legs.some(({ pool }) => mayPayMore(pool));
 * ```
 */
export function mayPayMore(pool: Pool): boolean {
  return kindOf(pool).mayPayMore;
}

/**
 * Whether a swap of an exact input through the pool takes less than it is given where the pool runs out. A V3 pool stops
 * when it has no liquidity left, and pays for what it took; a V2 pair takes everything at whatever price.
 */
export function mayTakeLess(pool: Pool): boolean {
  return kindOf(pool).mayTakeLess;
}

/** Gas units of one hop through a pool that crosses a number of initialised ticks. */
export function hopGasUnits(pool: Pool, crossed: number): number {
  return kindOf(pool).hopGasUnits(crossed);
}

/**
 * The output of a swap of exactly `amountIn` (smallest units) through one pool, to the wei; 0n where it buys nothing.
 * Undefined where the pool cannot take the whole amount, or does not trade the tokens.
 *
 * @example
 * ```ts
 * import { exactInput, type Hop } from '@fairway/engine';
 *
 * declare const hop: Hop;
 *
 * const amountOut = exactInput(hop, 10n ** 18n); // units of hop.tokenOut
 * ```
 */
export function exactInput({ pool, tokenIn, tokenOut }: Hop, amountIn: bigint): bigint | undefined {
  const direction = directionOf(pool, tokenIn, tokenOut);
  return direction === undefined ? undefined : sellTo(pool, direction, amountIn)?.amount;
}

/**
 * The input (smallest units, fee included) for which one pool pays `amountOut`, to the wei.
 * A V2 pair may pay a little more for it: see `exactInput` of the result.
 * Undefined where the pool cannot give the amount, or does not trade the tokens.
 *
 * @example
 * ```ts
 * import { exactOutput, type Hop } from '@fairway/engine';
 *
 * declare const hop: Hop;
 *
 * const amountIn = exactOutput(hop, 10n ** 6n); // units of hop.tokenIn
 * ```
 */
export function exactOutput({ pool, tokenIn, tokenOut }: Hop, amountOut: bigint): bigint | undefined {
  const direction = directionOf(pool, tokenIn, tokenOut);
  return direction === undefined ? undefined : buyFrom(pool, direction, amountOut)?.amount;
}
