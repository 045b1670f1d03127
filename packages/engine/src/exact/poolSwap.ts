import type { Address, Pool } from '../types.ts';
import { v2ExactInput, v2ExactOutput } from './v2.ts';
import { type MadeSwap, v3After, v3ExactInput, v3ExactOutput } from './v3.ts';

/** What one pool does with an exact amount: the amount on its other side, and the initialised ticks it crosses. */
export type PoolOutcome = { readonly amount: bigint; readonly crossed: number };

/** The token a pool gives for the one named. */
export function otherToken(pool: Pool, token: Address): Address {
  return token === pool.token0 ? pool.token1 : pool.token0;
}

/** What a pool pays for an input, with the ticks crossed. Undefined where it cannot take the whole input. */
export function sellTo(pool: Pool, tokenIn: Address, amountIn: bigint): PoolOutcome | undefined {
  const zeroForOne = tokenIn === pool.token0;
  if (pool.kind === 'UNISWAP_V3') return v3ExactInput(pool, zeroForOne, amountIn);
  const amount = v2ExactInput(pool, zeroForOne, amountIn);
  return amount === undefined ? undefined : { amount, crossed: 0 };
}

/** What a pool asks for an output, with the ticks crossed. Undefined where it cannot give it. */
export function buyFrom(pool: Pool, tokenOut: Address, amountOut: bigint): PoolOutcome | undefined {
  const zeroForOne = tokenOut === pool.token1;
  if (pool.kind === 'UNISWAP_V3') return v3ExactOutput(pool, zeroForOne, amountOut);
  const amount = v2ExactOutput(pool, zeroForOne, amountOut);
  return amount === undefined ? undefined : { amount, crossed: 0 };
}

/** The pool as a swap that it could serve leaves it: what the next path through it meets. */
export function poolAfter(pool: Pool, swap: MadeSwap): Pool {
  const { tokenIn, amountIn, amountOut } = swap;
  if (pool.kind === 'UNISWAP_V3') return v3After(pool, swap);
  return tokenIn === pool.token0
    ? { ...pool, reserve0: pool.reserve0 + amountIn, reserve1: pool.reserve1 - amountOut }
    : { ...pool, reserve0: pool.reserve0 - amountOut, reserve1: pool.reserve1 + amountIn };
}

/**
 * The output of a swap of exactly `amountIn` (smallest units) through one pool, to the wei; 0n where it buys nothing.
 * Undefined where the pool cannot take the whole amount, or does not trade `tokenIn`.
 */
export function exactInput(pool: Pool, tokenIn: Address, amountIn: bigint): bigint | undefined {
  if (tokenIn !== pool.token0 && tokenIn !== pool.token1) return undefined;
  return sellTo(pool, tokenIn, amountIn)?.amount;
}

/**
 * The input (smallest units, fee included) for which one pool pays `amountOut`, to the wei.
 * A V2 pair may pay a little more for it: see `exactInput` of the result.
 * Undefined where the pool cannot give the amount, or does not trade `tokenOut`.
 */
export function exactOutput(pool: Pool, tokenOut: Address, amountOut: bigint): bigint | undefined {
  if (tokenOut !== pool.token0 && tokenOut !== pool.token1) return undefined;
  return buyFrom(pool, tokenOut, amountOut)?.amount;
}
