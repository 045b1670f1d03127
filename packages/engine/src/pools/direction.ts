import type { Address, Hop, Pool } from '../types.ts';

/**
 * Which token of a pool is sold for which, as a small integer, so that inner loops need no addresses. A pool of n
 * tokens has n times n - 1 directions. Those that sell its first token come first, in the order of the tokens paid.
 * A pair sells its first token in direction 0 and its second in direction 1.
 */
export type Direction = number;

/** How many directions a pool has. */
export function directionCount({ tokens }: Pool): number {
  return tokens.length * (tokens.length - 1);
}

/** Where in its pool's tokens a direction's token comes in. */
export function soldIn({ tokens }: Pool, direction: Direction): number {
  return Math.floor(direction / (tokens.length - 1));
}

/** Where in its pool's tokens a direction's token goes out. */
export function paidIn(pool: Pool, direction: Direction): number {
  const sold = soldIn(pool, direction);
  const among = direction - sold * (pool.tokens.length - 1);
  return among < sold ? among : among + 1;
}

/** The direction that sells one token of a pool for another; undefined where the pool does not trade them. */
export function directionOf({ tokens }: Pool, tokenIn: Address, tokenOut: Address): Direction | undefined {
  let [sold, paid] = [-1, -1];
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at];
    if (token === tokenIn) sold = at;
    else if (token === tokenOut) paid = at;
  }
  if (sold < 0 || paid < 0) return undefined;
  return sold * (tokens.length - 1) + (paid < sold ? paid : paid - 1);
}

/** The direction of a hop. @throws where its pool does not trade its tokens, which is a bug of whoever made the hop. */
export function directionOfHop({ pool, tokenIn, tokenOut }: Hop): Direction {
  const direction = directionOf(pool, tokenIn, tokenOut);
  if (direction === undefined) throw new Error(`${pool.address} does not sell ${tokenOut} for ${tokenIn}`);
  return direction;
}

/** A pool in a direction, by its tokens' addresses. */
export function hopOf(pool: Pool, direction: Direction): Hop {
  const tokens: readonly Address[] = pool.tokens;
  const [tokenIn, tokenOut] = [tokens[soldIn(pool, direction)], tokens[paidIn(pool, direction)]];
  return { pool, tokenIn: tokenIn as Address, tokenOut: tokenOut as Address };
}
