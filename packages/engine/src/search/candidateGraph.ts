import { areCurrent, type Candidates, chooseCandidates } from './candidates.ts';
import { type Curve, curveOf } from './curve.ts';
import type { Market } from '../market.ts';
import { createGraph, type GraphEnds, type SearchGraph } from './searchGraph.ts';
import type { Pool } from '../types.ts';

/** What a graph of candidates is asked for. */
export type GraphRequest = GraphEnds & { readonly excludeSources: ReadonlySet<string> };

type Known = {
  readonly candidates: Candidates;
  readonly revision: number;
  readonly pools: readonly Pool[];
  readonly graph: SearchGraph;
};

/** Pairs remembered per market; the one asked longest ago goes first. */
const MOST_KNOWN = 2000;

const knownByMarket = new WeakMap<Market, Map<string, Known>>();

/**
 * The graph of a pair's candidate pools in their present state. Kept until a pool in it changes; the choice of pools is
 * kept until it would be another.
 */
export function candidateGraph(market: Market, request: GraphRequest): SearchGraph {
  let byKey = knownByMarket.get(market);
  if (byKey === undefined) {
    byKey = new Map();
    knownByMarket.set(market, byKey);
  }
  const key = keyOf(request);
  const known = byKey.get(key);
  if (known?.revision === market.revision) return known.graph;
  const fresh = refresh(market, request, known);
  byKey.delete(key);
  byKey.set(key, fresh);
  for (const oldest of byKey.size > MOST_KNOWN ? byKey.keys() : []) {
    byKey.delete(oldest);
    break;
  }
  return fresh.graph;
}

function keyOf({ tokenIn, tokenOut, tradeType, maxHops, excludeSources }: GraphRequest): string {
  const excluded = excludeSources.size === 0 ? '' : JSON.stringify([...excludeSources].sort());
  return `${tokenIn}${tokenOut}${tradeType}${Math.min(maxHops, 3)}${excluded}`;
}

function refresh(market: Market, request: GraphRequest, known: Known | undefined): Known {
  const { tokenIn, tokenOut, excludeSources } = request;
  const candidates =
    known !== undefined && areCurrent(market, known.candidates)
      ? known.candidates
      : chooseCandidates(market, tokenIn, tokenOut);
  const pools: Pool[] = [];
  for (const address of candidates.pools) {
    const pool = market.get(address);
    if (pool !== undefined && !excludeSources.has(pool.source)) pools.push(pool);
  }
  const same =
    known?.pools.length === pools.length && pools.every((pool, index) => pool === known.pools[index]);
  const graph = same && known !== undefined ? known.graph : createGraph(curvesOf(pools), request);
  return { candidates, revision: market.revision, pools, graph };
}

/** Curves in an order that only the pools decide, so that ties fall alike in every process. */
function curvesOf(pools: readonly Pool[]): Curve[] {
  const curves: Curve[] = [];
  for (const pool of pools) {
    const curve = curveOf(pool);
    if (curve !== undefined) curves.push(curve);
  }
  return curves.sort((a, b) => (a.pool.address < b.pool.address ? -1 : 1));
}
