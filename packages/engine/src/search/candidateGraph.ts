import type { Market } from '../market/market.ts';
import type { Network } from '../market/network.ts';
import { exclusionKey, exclusionOf } from '../pools/exclusion.ts';
import type { Address, Exclusions, TradeType } from '../types.ts';
import type { CandidateRequest, Candidates } from './candidates.ts';
import { layeredCandidates, MOST_LAYERED_HOPS } from './layeredCandidates.ts';
import { createGraph, type SearchGraph } from './graph.ts';

/** What a graph of candidates is asked for. */
export type GraphRequest = Exclusions & {
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  readonly tradeType: TradeType;
  readonly maxHops: number;
};

/** The candidates of a pair, as graphs of more and more of them. */
export type CandidateGraphs = {
  readonly network: Network;
  readonly request: CandidateRequest;
  readonly candidates: Candidates;
  /** The graph of a level: each holds about four times the edges of the one below, the last all of them. */
  graph(level: number): SearchGraph;
  readonly lastLevel: number;
};

const FIRST_LEVEL_EDGES = 96;
const GROWTH = 4;

/** Edges remembered per market, of all its pairs: about fifty bytes each. */
const MOST_KNOWN_EDGES = 1_000_000;

type Known = { revision: number; edges: number; readonly byKey: Map<string, CandidateGraphs> };

const knownByMarket = new WeakMap<Market, Known>();

/** The graphs of a pair's candidate pools in their present state: made when first asked for after the market changed. */
export function candidateGraphs(market: Market, request: GraphRequest): CandidateGraphs | undefined {
  let known = knownByMarket.get(market);
  if (known?.revision !== market.revision) {
    known = { revision: market.revision, edges: 0, byKey: new Map() };
    knownByMarket.set(market, known);
  }
  const { network } = market;
  const [tokenIn, tokenOut] = [network.tokenOf(request.tokenIn), network.tokenOf(request.tokenOut)];
  if (tokenIn === undefined || tokenOut === undefined) return undefined;
  const maxHops = Math.min(request.maxHops, MOST_LAYERED_HOPS);
  const { tradeType } = request;
  const exclusion = exclusionOf(request);
  const excluded = exclusion === undefined ? '' : exclusionKey(request);
  const key = `${tokenIn} ${tokenOut} ${tradeType} ${maxHops} ${excluded}`;
  const found = known.byKey.get(key);
  if (found !== undefined) return found;
  const fresh = createGraphs(network, { tokenIn, tokenOut, tradeType, maxHops, exclusion });
  if (fresh === undefined) return undefined;
  known.edges += fresh.candidates.edgeCount;
  for (const [oldest, graphs] of known.byKey) {
    if (known.edges <= MOST_KNOWN_EDGES) break;
    known.byKey.delete(oldest);
    known.edges -= graphs.candidates.edgeCount;
  }
  known.byKey.set(key, fresh);
  return fresh;
}

function createGraphs(network: Network, request: CandidateRequest): CandidateGraphs | undefined {
  const candidates = layeredCandidates(network, request);
  if (candidates.edgeCount === 0) return undefined;
  const lastLevel = Math.max(
    0,
    Math.ceil(Math.log2(candidates.edgeCount / FIRST_LEVEL_EDGES) / Math.log2(GROWTH)),
  );
  const graphs: SearchGraph[] = [];
  return {
    network,
    request,
    candidates,
    lastLevel,
    graph(level) {
      const count = FIRST_LEVEL_EDGES * GROWTH ** level;
      const made = graphs[level];
      if (made !== undefined) return made;
      const floor = level >= lastLevel ? 0 : nthLargest(candidates.efficiency, count);
      return (graphs[level] = createGraph(network, candidates, request.tradeType, floor));
    },
  };
}

/** The nth largest of some values, for less than it takes to sort them: parts that cannot hold it are left as they are. */
function nthLargest(values: readonly number[], n: number): number {
  const ranked = Float64Array.from(values);
  const wanted = ranked.length - n;
  let [low, high] = [0, ranked.length - 1];
  while (low < high) {
    const pivot = ranked[(low + high) >>> 1] as number;
    let [left, right] = [low, high];
    while (left <= right) {
      while ((ranked[left] as number) < pivot) left += 1;
      while ((ranked[right] as number) > pivot) right -= 1;
      if (left > right) break;
      const swapped = ranked[left] as number;
      ranked[left] = ranked[right] as number;
      ranked[right] = swapped;
      left += 1;
      right -= 1;
    }
    if (wanted <= right) high = right;
    else if (wanted >= left) low = left;
    else break;
  }
  return ranked[wanted] ?? 0;
}
