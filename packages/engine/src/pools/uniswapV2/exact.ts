import type { V2Pool } from '../../types.ts';
import type { MadeSwap } from '../../exact/outcome.ts';

const PIPS = 1_000_000n;
const MAX_RESERVE = 2n ** 112n - 1n;

/** A pair's reserves seen from the token that comes in. */
type Sides = { readonly reserveIn: bigint; readonly reserveOut: bigint };

function sidesOf(pool: V2Pool, zeroForOne: boolean): Sides {
  return zeroForOne
    ? { reserveIn: pool.reserve0, reserveOut: pool.reserve1 }
    : { reserveIn: pool.reserve1, reserveOut: pool.reserve0 };
}

/**
 * What a pair pays for an input; 0 where the input is too small to buy one unit.
 * Undefined when the pair cannot serve it: the input would overflow its uint112 reserve, or no input buys
 * anything. That is so when a reserve is empty or holds only the last unit, which is never paid out. Source:
 * Uniswap v2-periphery, UniswapV2Library.getAmountOut; its 997/1000 is 997000/1000000 after the same floor.
 */
export function v2ExactInput(pool: V2Pool, zeroForOne: boolean, amountIn: bigint): bigint | undefined {
  const { reserveIn, reserveOut } = sidesOf(pool, zeroForOne);
  if (amountIn <= 0n || reserveIn <= 0n || reserveOut <= 1n) return undefined;
  if (reserveIn + amountIn > MAX_RESERVE) return undefined;
  const afterFee = amountIn * (PIPS - BigInt(pool.feePips));
  return (afterFee * reserveOut) / (reserveIn * PIPS + afterFee);
}

/**
 * The input a pair needs to pay at least an output; undefined where no input does.
 * Source: Uniswap v2-periphery, UniswapV2Library.getAmountIn.
 */
export function v2ExactOutput(pool: V2Pool, zeroForOne: boolean, amountOut: bigint): bigint | undefined {
  const { reserveIn, reserveOut } = sidesOf(pool, zeroForOne);
  if (amountOut <= 0n || reserveIn <= 0n || amountOut >= reserveOut) return undefined;
  const numerator = reserveIn * amountOut * PIPS;
  const amountIn = numerator / ((reserveOut - amountOut) * (PIPS - BigInt(pool.feePips))) + 1n;
  return reserveIn + amountIn > MAX_RESERVE ? undefined : amountIn;
}

/** The pair after a swap that it could serve. */
export function v2After(pool: V2Pool, zeroForOne: boolean, { amountIn, amountOut }: MadeSwap): V2Pool {
  return zeroForOne
    ? { ...pool, reserve0: pool.reserve0 + amountIn, reserve1: pool.reserve1 - amountOut }
    : { ...pool, reserve0: pool.reserve0 - amountOut, reserve1: pool.reserve1 + amountIn };
}
