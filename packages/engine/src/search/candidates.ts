import type { Direction } from '../curves/curve.ts';
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

/** The slot of an edge that is not a pool but the passage of a token from one layer to the next. */
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
  readonly slot: readonly number[];
  readonly direction: readonly Direction[];
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
  slot: number[];
  direction: Direction[];
  reach: number[];
  worth: number[];
};

/** A builder that holds the two ends. */
export function createBuilder({ tokenIn, tokenOut }: CandidateRequest): Builder {
  return {
    token: [tokenIn, tokenOut],
    from: [],
    to: [],
    slot: [],
    direction: [],
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
export function addEdge(
  builder: Builder,
  from: number,
  to: number,
  slot: number,
  direction: Direction,
): void {
  builder.from.push(from);
  builder.to.push(to);
  builder.slot.push(slot);
  builder.direction.push(direction);
}

/** Works out how efficient every edge is, and keeps those that lead somewhere. */
export function finishCandidates(network: Network, builder: Builder): Candidates {
  const { reach, worth } = builder;
  const through = builder.from.map((node, edge) => {
    const slot = builder.slot[edge] as number;
    const rate = slot === PASSAGE ? 1 : rateOf(network, slot, builder.direction[edge] as Direction);
    return (reach[node] as number) * rate * (worth[builder.to[edge] as number] as number);
  });
  let best = 0;
  for (const rate of through) if (rate > best) best = rate;
  worth[0] = best;
  reach[1] = best;
  const kept: number[] = [];
  for (let edge = 0; edge < through.length; edge += 1) if ((through[edge] as number) > 0) kept.push(edge);
  return {
    nodeCount: reach.length,
    edgeCount: kept.length,
    token: builder.token,
    from: kept.map((edge) => builder.from[edge] as number),
    to: kept.map((edge) => builder.to[edge] as number),
    slot: kept.map((edge) => builder.slot[edge] as number),
    direction: kept.map((edge) => builder.direction[edge] as Direction),
    reach,
    worth,
    efficiency: kept.map((edge) => (through[edge] as number) / best),
  };
}

/** Square root of the marginal rate of a pool in a direction, fee taken off; 0 where it pays nothing. */
function rateOf(network: Network, slot: number, direction: Direction): number {
  return (direction === 0 ? network.rate0[slot] : network.rate1[slot]) as number;
}

/** The pools a request may use, one direction at a time. */
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

/** The rate of a pool in a direction, as by `rateOf`; 0 where the request may not use the pool or it pays nothing. */
export function usableRate({ network, request, kind }: Filter, slot: number, direction: Direction): number {
  const rate = rateOf(network, slot, direction);
  if (!(rate > 0)) return 0;
  const pool = network.pools[slot];
  if (pool === undefined || (kind !== undefined && pool.kind !== kind)) return 0;
  if (request.exclusion?.(pool) !== undefined) return 0;
  return rate;
}
