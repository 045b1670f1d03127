import type { Market } from '../market/market.ts';
import { candidateGraphs, type GraphRequest } from '../search/candidateGraph.ts';
import type { Address, Pool } from '../types.ts';

/** Pools that a reader can still look through. */
const MOST = 400;
/** Four hundred edges or so: what a search looks at unless an amount moves prices far. */
const LEVEL = 1;

/**
 * The pools to account for, ordered by address. They are all pools connected with the request's tokens when
 * these are few. Otherwise they are the pools between the tokens that the best routes pass.
 */
export function consideredPools(market: Market, request: GraphRequest): readonly Pool[] {
  const pools = connectedPools(market, request) ?? poolsOnRoutes(market, request);
  return pools.sort((a, b) => (a.address < b.address ? -1 : 1));
}

function connectedPools(market: Market, { tokenIn, tokenOut }: GraphRequest): Pool[] | undefined {
  const pools = new Set<Pool>();
  const tokens = new Set([tokenIn, tokenOut]);
  // A set is walked in the order it grows.
  for (const token of tokens)
    for (const pool of market.poolsOf(token)) {
      pools.add(pool);
      if (pools.size > MOST) return undefined;
      for (const traded of pool.tokens) tokens.add(traded);
    }
  return [...pools];
}

function poolsOnRoutes(market: Market, request: GraphRequest): Pool[] {
  const graphs = candidateGraphs(market, request);
  const tokens = new Set<Address>([request.tokenIn, request.tokenOut]);
  for (const token of graphs?.graph(Math.min(LEVEL, graphs.lastLevel)).tokens ?? []) {
    const address = market.network.tokens[token];
    if (address !== undefined) tokens.add(address);
  }
  const pools = new Set<Pool>();
  for (const token of tokens)
    for (const pool of market.poolsOf(token))
      if (pool.tokens.filter((traded) => tokens.has(traded)).length > 1) pools.add(pool);
  return [...pools];
}
