import type { Market } from '../market.ts';
import { candidateGraphs, type GraphRequest } from '../search/candidateGraph.ts';
import type { Address, Pool } from '../types.ts';

/** Four hundred edges or so: what a search looks at unless an amount moves prices far. */
const LEVEL = 1;

/** The pools over which the best routes for the request lead, ordered by address. */
export function consideredPools(market: Market, request: GraphRequest): readonly Pool[] {
  const graphs = candidateGraphs(market, request);
  const pools = new Map<Address, Pool>();
  for (const pool of graphs?.graph(Math.min(LEVEL, graphs.lastLevel)).pools ?? [])
    if (pool !== undefined) pools.set(pool.address, pool);
  return [...pools.values()].sort((a, b) => (a.address < b.address ? -1 : 1));
}
