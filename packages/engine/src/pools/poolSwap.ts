import type { MadeSwap, PoolOutcome } from '../exact/outcome.ts';
import type { Address, Pool } from '../types.ts';
import { kindOf } from './poolKinds.ts';

/** The token a pool gives for the one named. */
export function otherToken(pool: Pool, token: Address): Address {
  return token === pool.token0 ? pool.token1 : pool.token0;
}

/** What a pool pays for an input, with the ticks crossed. Undefined where it cannot take the whole input. */
export function sellTo(pool: Pool, tokenIn: Address, amountIn: bigint): PoolOutcome | undefined {
  return kindOf(pool).exactInput(pool, tokenIn === pool.token0, amountIn);
}

/** What a pool asks for an output, with the ticks crossed. Undefined where it cannot give it. */
export function buyFrom(pool: Pool, tokenOut: Address, amountOut: bigint): PoolOutcome | undefined {
  return kindOf(pool).exactOutput(pool, tokenOut === pool.token1, amountOut);
}

/** The pool after a swap that it could serve. The next path through the pool starts from this state. */
export function poolAfter(pool: Pool, swap: MadeSwap): Pool {
  return kindOf(pool).after(pool, swap);
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
 * Undefined where the pool cannot take the whole amount, or does not trade `tokenIn`.
 *
 * @example
 * ```ts
 * import { exactInput, type Pool } from '@fairway/engine';
 *
 * declare const pool: Pool;
 *
 * const amountOut = exactInput(pool, pool.token0, 10n ** 18n); // units of token1
 * ```
 */
export function exactInput(pool: Pool, tokenIn: Address, amountIn: bigint): bigint | undefined {
  if (tokenIn !== pool.token0 && tokenIn !== pool.token1) return undefined;
  return sellTo(pool, tokenIn, amountIn)?.amount;
}

/**
 * The input (smallest units, fee included) for which one pool pays `amountOut`, to the wei.
 * A V2 pair may pay a little more for it: see `exactInput` of the result.
 * Undefined where the pool cannot give the amount, or does not trade `tokenOut`.
 *
 * @example
 * ```ts
 * import { exactOutput, type Pool } from '@fairway/engine';
 *
 * declare const pool: Pool;
 *
 * const amountIn = exactOutput(pool, pool.token1, 10n ** 6n); // units of token0
 * ```
 */
export function exactOutput(pool: Pool, tokenOut: Address, amountOut: bigint): bigint | undefined {
  if (tokenOut !== pool.token0 && tokenOut !== pool.token1) return undefined;
  return buyFrom(pool, tokenOut, amountOut)?.amount;
}
