import type { Address, Path, Quote } from '@fairway/engine';
import { ROUNDING_UNITS } from '../tokens/tokenBehaviour.ts';
import type { Rounding, TokenBehaviours } from '../types.ts';

/**
 * How far a quote's amounts may be off when tokens of its route round transfers by their shares; undefined when none
 * does. Each of their transfers falls short by two units at most. A loss on the way makes later legs pay less, at
 * most in proportion: a pool's first units are worth more than its last ones.
 *
 * @example
 * ```ts
 * import type { Quote } from '@fairway/engine';
 * import { type Follower, roundingOf } from '@fairway/evm';
 *
 * declare const quote: Quote;
 * declare const follower: Follower;
 *
 * console.log(roundingOf(quote, follower.behaviours)?.amountOut);
 * ```
 */
export function roundingOf(quote: Quote, behaviours: TokenBehaviours): Rounding | undefined {
  const rounds = (token: Address) => behaviours.get(token)?.kind === 'SHARES';
  // The usual quote, of which every microsecond counts.
  if (!quote.legs.some(({ tokenIn, tokenOut }) => rounds(tokenIn) || rounds(tokenOut))) return undefined;
  const tokens = new Set(quote.legs.flatMap(({ tokenIn, tokenOut }) => [tokenIn, tokenOut]));
  const rounding = [...tokens].filter(rounds);
  const missing = quote.paths.reduce((sum, path) => sum + missingOf(path, rounds), 0n);
  return {
    tokens: rounding,
    unitsPerTransfer: ROUNDING_UNITS,
    amountIn: rounds(quote.tokenIn) ? ROUNDING_UNITS * BigInt(quote.paths.length) : 0n,
    amountOut: missing < quote.amountOut ? missing : quote.amountOut,
  };
}

/** The most units of a path's output that may be missing. Between pools a token may pass the router: two transfers. */
function missingOf({ legs }: Path, rounds: (token: Address) => boolean): bigint {
  let missing = 0n;
  for (const { tokenIn, tokenOut, amountIn, amountOut } of legs) {
    // Rounded up, with another unit for what the pool rounds down.
    if (rounds(tokenIn)) missing += 2n * ROUNDING_UNITS;
    if (missing > 0n) missing = (missing * amountOut + amountIn - 1n) / amountIn + 1n;
    if (rounds(tokenOut) && tokenOut === legs.at(-1)?.tokenOut) missing += 2n * ROUNDING_UNITS;
  }
  return missing;
}
