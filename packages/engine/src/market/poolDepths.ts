import type { Direction } from '../curves/curve.ts';
import { NO_DEPTH } from '../curves/depth.ts';

/** The tokens of a request. */
export type Ends = { readonly tokenIn: number; readonly tokenOut: number };

/** How deep each slot's pool is, compared with the other pools of its tokens. In classes of `DepthClasses`. */
export type PoolDepths = {
  /** Writes a slot's depth. */
  set(slot: number, of0: number, of1: number): void;
  /**
   * Whether a slot's pool can pay less in a direction than the deepest pool of the paid token, by more than `bits`
   * binary orders. A pool of one of the request's own tokens is never dust: it may be the only one.
   */
  isDust(slot: number, direction: Direction, bits: number, ends: Ends): boolean;
};

/** Which pools there are, in the columns of a network. */
export type PoolColumns = {
  readonly slotsOf: readonly (readonly number[])[];
  readonly token0: readonly number[];
  readonly token1: readonly number[];
};

/**
 * Makes the depths over the columns of a network. `set` must be called for every pool that is added, changed or
 * removed.
 */
export function createPoolDepths({ slotsOf, token0, token1 }: PoolColumns): PoolDepths {
  const [depth0, depth1]: [number[], number[]] = [[], []];
  /** The deepest class among a token's pools; undefined where it has to be computed again. */
  const deepest: (number | undefined)[] = [];

  function deepestOf(token: number): number {
    let found = deepest[token];
    if (found !== undefined) return found;
    found = NO_DEPTH;
    for (const slot of slotsOf[token] ?? [])
      found = Math.max(found, (token0[slot] === token ? depth0[slot] : depth1[slot]) as number);
    deepest[token] = found;
    return found;
  }

  function change(token: number, before: number, after: number): void {
    const known = deepest[token];
    if (known === undefined) return;
    if (after >= known) deepest[token] = after;
    else if (before === known) deepest[token] = undefined;
  }

  return {
    set(slot, of0, of1) {
      change(token0[slot] as number, depth0[slot] ?? NO_DEPTH, of0);
      change(token1[slot] as number, depth1[slot] ?? NO_DEPTH, of1);
      depth0[slot] = of0;
      depth1[slot] = of1;
    },
    isDust(slot, direction, bits, { tokenIn, tokenOut }) {
      const [first, second] = [token0[slot] as number, token1[slot] as number];
      const [paid, depth] = direction === 0 ? [second, depth1[slot]] : [first, depth0[slot]];
      if (first === tokenIn || second === tokenIn || first === tokenOut || second === tokenOut) return false;
      return (depth as number) < deepestOf(paid) - bits;
    },
  };
}
