import type { Curve } from './curve.ts';
import type { Address, Pool, TradeType } from '../types.ts';

/** Which directions of a pool a search may use: bit 0 sells its token0, bit 1 sells its token1. */
export const SELL_0 = 1;
/** The bit of `allowed` that sells a pool's token1. */
export const SELL_1 = 2;

/**
 * Pools as edges between numbered nodes, in columns for the search's inner loops. A node is a token; in a search for an
 * exact output a token between the ends has a node per pool version, because the router cannot mix versions there:
 * then no flow can, and the bound holds for what can be executed.
 */
export type SearchGraph = {
  readonly tradeType: TradeType;
  readonly curves: readonly Curve[];
  /** Node of each pool's token0 and token1. */
  readonly node0: Int32Array;
  readonly node1: Int32Array;
  /** Per pool: square root price, and square root of what the fee leaves. */
  readonly sqrtPrice: Float64Array;
  readonly keptRoot: Float64Array;
  /** Per pool: the directions any executable route could use. */
  readonly allowed: Uint8Array;
  readonly nodeCount: number;
  /** Nodes by token, or by pool version and token where versions have nodes of their own. */
  readonly nodes: ReadonlyMap<string, number>;
  /** The nodes of the request's tokens. */
  readonly source: number;
  readonly sink: number;
};

/** What shapes a graph besides its pools. */
export type GraphEnds = {
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  readonly tradeType: TradeType;
  readonly maxHops: number;
};

/**
 * Numbers the nodes of a set of curves. No path visits a token twice, so nothing may be sold into the input token or
 * out of the output token; with two hops or fewer nothing passes between two other tokens either.
 */
export function createGraph(candidates: readonly Curve[], ends: GraphEnds): SearchGraph {
  const { tokenIn, tokenOut, tradeType, maxHops } = ends;
  const nodes = new Map<string, number>([
    [tokenIn, 0],
    [tokenOut, 1],
  ]);
  const nodeOf = (pool: Pool, token: Address): number => {
    const between = token !== tokenIn && token !== tokenOut;
    const name = between && tradeType === 'EXACT_OUT' ? pool.kind + token : token;
    let node = nodes.get(name);
    if (node === undefined) {
      node = nodes.size;
      nodes.set(name, node);
    }
    return node;
  };
  const curves = candidates.filter(({ pool }) => directionsOf(pool, ends, maxHops) !== 0);
  const column = (value: (curve: Curve) => number): Float64Array => Float64Array.from(curves, value);
  return {
    tradeType,
    curves,
    node0: Int32Array.from(curves, ({ pool }) => nodeOf(pool, pool.token0)),
    node1: Int32Array.from(curves, ({ pool }) => nodeOf(pool, pool.token1)),
    sqrtPrice: column((curve) => curve.sqrtPrice),
    keptRoot: column((curve) => curve.keptRoot),
    allowed: Uint8Array.from(curves, ({ pool }) => directionsOf(pool, ends, maxHops)),
    nodeCount: nodes.size,
    nodes,
    source: 0,
    sink: 1,
  };
}

function directionsOf({ token0, token1 }: Pool, ends: GraphEnds, maxHops: number): number {
  const { tokenIn, tokenOut } = ends;
  const touchesIn = token0 === tokenIn || token1 === tokenIn;
  const touchesOut = token0 === tokenOut || token1 === tokenOut;
  if (maxHops < 2 && !(touchesIn && touchesOut)) return 0;
  if (maxHops < 3 && !touchesIn && !touchesOut) return 0;
  let allowed = SELL_0 | SELL_1;
  if (token1 === tokenIn || token0 === tokenOut) allowed &= ~SELL_0;
  if (token0 === tokenIn || token1 === tokenOut) allowed &= ~SELL_1;
  return allowed;
}
