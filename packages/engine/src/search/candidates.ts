import type { Network } from '../market/network.ts';
import type { Exclusion } from '../pools/exclusion.ts';
import { POOL_KIND_NAMES } from '../pools/poolKinds.ts';
import type { Pool, TradeType } from '../types.ts';

/** What decides which pools a search may use; amounts do not. Tokens are numbers of the network. */
export type CandidateRequest = {
  readonly tokenIn: number;
  readonly tokenOut: number;
  readonly tradeType: TradeType;
  readonly maxHops: number;
  /** Undefined where every pool may be used. */
  readonly exclusion: Exclusion | undefined;
};

/** In place of an edge of the network: the passage of a token from one layer to the next. */
export const PASSAGE = -1;

/**
 * Every edge that could be part of a route, in columns. Node 0 is the input token, node 1 the output token.
 * The others are tokens, once per layer (see `layeredCandidates`). For an exact output they are also once per
 * pool version, because the router cannot mix versions in a path of exact output.
 */
export type Candidates = {
  readonly nodeCount: number;
  readonly edgeCount: number;
  /** The token of each node. */
  readonly token: readonly number[];
  readonly from: readonly number[];
  readonly to: readonly number[];
  /** The edge of the network, or `PASSAGE`. */
  readonly edge: readonly number[];
  /** Per node: square root of what a first unit of the input token brings of it, over the best pools. */
  readonly reach: readonly number[];
  /** Per node: square root of what its first unit brings of the output token, over the best pools. */
  readonly worth: readonly number[];
  /**
   * Per edge: the output of a first unit over the best route through it, as a part of the output over the best route.
   * Also a square root. While the price of the whole trade is above this, the trade does not use the edge.
   */
  readonly efficiency: readonly number[];
};

/** Where candidates are collected. */
export type Builder = {
  token: number[];
  from: number[];
  to: number[];
  edge: number[];
  reach: number[];
  worth: number[];
};

/** A builder that holds the two ends. */
export function createBuilder({ tokenIn, tokenOut }: CandidateRequest): Builder {
  return {
    token: [tokenIn, tokenOut],
    from: [],
    to: [],
    edge: [],
    reach: [1, 0],
    worth: [0, 1],
  };
}

/** Adds a node; returns its number. */
export function addNode(builder: Builder, token: number, reach: number, worth: number): number {
  builder.token.push(token);
  builder.reach.push(reach);
  return builder.worth.push(worth) - 1;
}

/** Adds an edge between two nodes. */
export function addEdge(builder: Builder, from: number, to: number, edge: number): void {
  builder.from.push(from);
  builder.to.push(to);
  builder.edge.push(edge);
}

/** Works out how efficient every edge is, and keeps those that lead somewhere. */
export function finishCandidates(network: Network, builder: Builder): Candidates {
  const { reach, worth } = builder;
  const through = builder.from.map((node, at) => {
    const edge = builder.edge[at] as number;
    const rate = edge === PASSAGE ? 1 : (network.rate[edge] as number);
    return (reach[node] as number) * rate * (worth[builder.to[at] as number] as number);
  });
  let best = 0;
  for (const rate of through) if (rate > best) best = rate;
  worth[0] = best;
  reach[1] = best;
  const kept: number[] = [];
  for (let at = 0; at < through.length; at += 1) if ((through[at] as number) > 0) kept.push(at);
  return {
    nodeCount: reach.length,
    edgeCount: kept.length,
    token: builder.token,
    from: kept.map((at) => builder.from[at] as number),
    to: kept.map((at) => builder.to[at] as number),
    edge: kept.map((at) => builder.edge[at] as number),
    reach,
    worth,
    efficiency: kept.map((at) => (through[at] as number) / best),
  };
}

/** The edges a request may use. */
export type Filter = {
  readonly network: Network;
  readonly request: CandidateRequest;
  /** The only pool version; undefined: any. */
  readonly kind: Pool['kind'] | undefined;
};

/** One filter for pools of any version, or for an exact output one for each version. */
export function filtersOf(network: Network, request: CandidateRequest): Filter[] {
  const kinds = request.tradeType === 'EXACT_IN' ? [undefined] : POOL_KIND_NAMES;
  return kinds.map((kind) => ({ network, request, kind }));
}

/** The rate of an edge; 0 where the request may not use its pool or it pays nothing. */
export function usableRate({ network, request, kind }: Filter, edge: number): number {
  const rate = network.rate[edge] as number;
  if (!(rate > 0)) return 0;
  const pool = network.pools[edge];
  if (pool === undefined || (kind !== undefined && pool.kind !== kind)) return 0;
  if (request.exclusion?.(pool) !== undefined) return 0;
  return rate;
}
