import type { Market } from '../market/market.ts';
import type { Network } from '../market/network.ts';
import type { Direction } from '../pools/direction.ts';
import type { QuoteRequest } from '../types.ts';
import { candidateGraphs } from './candidateGraph.ts';
import { type Filter, filtersOf, usableRate } from './candidates.ts';
import { closePassages } from './closePassages.ts';
import { type DualPoint, minimiseDual } from './dual.ts';
import { MOST_LAYERED_HOPS } from './layeredCandidates.ts';
import { boundOf } from './optimality.ts';
import { graphOf, type PoolEdge, type SearchGraph } from './graph.ts';

/**
 * A bound over every pool of the market: over routes of at most three hops or, when the request allows more,
 * of any length. It judges what a quote's own candidates leave out. Far too slow to quote with. Undefined
 * where no pools connect the tokens or the amount is beyond them.
 *
 * @example
 * ```ts
 * import { type Market, marketBound, quote, type QuoteRequest } from '@fairway/engine';
 *
 * declare const market: Market;
 * declare const request: QuoteRequest;
 *
 * const [result, bound] = [quote(market, request), marketBound(market, request)];
 * if (result.ok && bound !== undefined) console.log(bound - result.quote.amountOut);
 * ```
 */
export function marketBound(market: Market, request: QuoteRequest): bigint | undefined {
  const graphs = candidateGraphs(market, request);
  if (graphs === undefined) return undefined;
  const amount = Number(request.amount);
  const layered = graphs.graph(graphs.lastLevel);
  const solved = minimiseDual(layered, amount, layered.start);
  if (request.maxHops <= MOST_LAYERED_HOPS)
    return boundOf(closePassages(layered, amount, solved), request.tradeType);
  const filters = filtersOf(market.network, graphs.request);
  const whole = wholeGraph(market.network, filters, layered, solved);
  return boundOf(minimiseDual(whole, amount, whole.start), request.tradeType);
}

/** Every usable pool as edges between tokens (EXACT_OUT: per pool version), at prices carried on from those known. */
function wholeGraph(
  network: Network,
  filters: readonly Filter[],
  layered: SearchGraph,
  { rootPrice }: DualPoint,
) {
  const count = network.tokens.length;
  const price = new Float64Array(2 + filters.length * count);
  const tokens = new Int32Array(price.length);
  const edges: PoolEdge[] = [];
  for (const [version, filter] of filters.entries()) {
    const { tokenIn, tokenOut } = filter.request;
    const nodeOf = (token: number): number =>
      token === tokenIn ? 0 : token === tokenOut ? 1 : 2 + version * count + token;
    const added = edgesOf(filter, nodeOf);
    for (const [node, token] of layered.tokens.entries())
      price[nodeOf(token)] = Math.max(price[nodeOf(token)] as number, rootPrice[node] as number);
    spread(added, price);
    edges.push(...added);
  }
  const reachable = edges.filter(({ from, to }) => (price[from] as number) > 0 && (price[to] as number) > 0);
  return graphOf(layered.tradeType, { tokens, start: price }, reachable, [], 0);
}

type RatedEdge = PoolEdge & { readonly rate: number };

function edgesOf(filter: Filter, nodeOf: (token: number) => number): RatedEdge[] {
  const { network } = filter;
  const edges: RatedEdge[] = [];
  for (const [edge, pool] of network.pools.entries()) {
    const [from, to] = [nodeOf(network.from[edge] as number), nodeOf(network.to[edge] as number)];
    const [direction, rate] = [network.direction[edge] as Direction, usableRate(filter, edge)];
    if (pool !== undefined && rate > 0 && from !== 1 && to !== 0)
      edges.push({ pool, direction, from, to, efficiency: 1, rate });
  }
  return edges;
}

/** Gives each token without a price the best that any pool derives from another token's price. Known prices stay. */
function spread(edges: readonly RatedEdge[], price: Float64Array): void {
  const known = price.map((root) => (root > 0 ? 1 : 0));
  for (let changed = true; changed; ) {
    changed = false;
    for (const { from, to, rate } of edges) {
      const carried = rate * (price[to] as number);
      if (known[from] === 1 || carried <= (price[from] as number) * (1 + 1e-9)) continue;
      price[from] = carried;
      changed = true;
    }
    if (price.some((root) => root > 1e100)) return;
  }
}
