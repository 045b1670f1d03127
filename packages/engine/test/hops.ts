import type { Address, Hop, Pool } from '../src/types.ts';

/** The token a pair gives for the one named. */
export function otherToken({ tokens: [first, second] }: Pool, token: Address): Address {
  return token === first ? second : first;
}

/** A pair in the direction that sells a token. */
export function selling(pool: Pool, tokenIn: Address): Hop {
  return { pool, tokenIn, tokenOut: otherToken(pool, tokenIn) };
}

/** A pair in the direction that pays a token. */
export function paying(pool: Pool, tokenOut: Address): Hop {
  return { pool, tokenIn: otherToken(pool, tokenOut), tokenOut };
}

/** Pairs in a row as the hops of a path from a token. */
export function hopsFrom(tokenIn: Address, pools: readonly Pool[]): Hop[] {
  let token = tokenIn;
  return pools.map((pool) => {
    const hop = selling(pool, token);
    token = hop.tokenOut;
    return hop;
  });
}
