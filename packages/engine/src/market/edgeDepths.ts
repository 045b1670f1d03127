import { NO_DEPTH } from '../curves/depth.ts';

/** The tokens of a request. */
export type Ends = { readonly tokenIn: number; readonly tokenOut: number };

/** How deep each edge's pool is in the token it pays, compared with that token's other pools. In classes of `depthClass`. */
export type EdgeDepths = {
  /** Writes an edge's depth. */
  set(edge: number, depth: number): void;
  /**
   * Whether an edge can pay less than the deepest pool of the paid token, by more than `bits` binary orders. An edge
   * of one of the request's own tokens is never dust: it may be the only one.
   */
  isDust(edge: number, bits: number, ends: Ends): boolean;
};

/** Which edges there are, in the columns of a network. */
export type EdgeColumns = {
  readonly edgesTo: readonly (readonly number[])[];
  readonly from: readonly number[];
  readonly to: readonly number[];
};

/**
 * Makes the depths over the columns of a network. `set` must be called for every edge that is added, changed or
 * removed.
 */
export function createEdgeDepths({ edgesTo, from, to }: EdgeColumns): EdgeDepths {
  const depths: number[] = [];
  /** The deepest class among the pools that pay a token; undefined where it has to be computed again. */
  const deepest: (number | undefined)[] = [];

  function deepestOf(token: number): number {
    let found = deepest[token];
    if (found !== undefined) return found;
    found = NO_DEPTH;
    for (const edge of edgesTo[token] ?? []) found = Math.max(found, depths[edge] as number);
    deepest[token] = found;
    return found;
  }

  return {
    set(edge, depth) {
      const token = to[edge] as number;
      const before = depths[edge] ?? NO_DEPTH;
      depths[edge] = depth;
      const known = deepest[token];
      if (known === undefined) return;
      if (depth >= known) deepest[token] = depth;
      else if (before === known) deepest[token] = undefined;
    },
    isDust(edge, bits, { tokenIn, tokenOut }) {
      const [sold, paid] = [from[edge] as number, to[edge] as number];
      if (sold === tokenIn || paid === tokenIn || sold === tokenOut || paid === tokenOut) return false;
      return (depths[edge] as number) < deepestOf(paid) - bits;
    },
  };
}
