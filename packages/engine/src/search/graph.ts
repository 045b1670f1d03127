import { keptOf } from '../curves/curve.ts';
import type { Network } from '../market/network.ts';
import type { Direction } from '../pools/direction.ts';
import { kindOf } from '../pools/poolKinds.ts';
import type { Pool, TradeType } from '../types.ts';
import { type Candidates, PASSAGE } from './candidates.ts';

/**
 * The part of the candidates that a search looks at, in columns for its inner loops. Every edge sells in one direction.
 * Prices are square roots, counted the way the edge sells: `to` per `from`, in smallest units. Passages come last.
 */
export type SearchGraph = {
  readonly tradeType: TradeType;
  readonly nodeCount: number;
  /** The token of each node, by its number in the network. */
  readonly tokens: Int32Array;
  /** The nodes of the request's tokens. */
  readonly source: 0;
  readonly sink: 1;
  readonly edgeCount: number;
  /** Edges before the first passage. */
  readonly poolCount: number;
  readonly from: Int32Array;
  readonly to: Int32Array;
  /** The price where the pool starts to trade, fee aside. */
  readonly price: Float64Array;
  /** The price down to which `liquidity` holds. */
  readonly limit: Float64Array;
  /** Liquidity there; of a passage, liquidity for each unit of the request's amount. */
  readonly liquidity: Float64Array;
  /** Square root of what the fee leaves of an input. */
  readonly keptRoot: Float64Array;
  readonly direction: readonly Direction[];
  /** Absent for passages. */
  readonly pools: readonly (Pool | undefined)[];
  /** Prices at which no trade pays yet: where a search starts. */
  readonly start: Float64Array;
  /** Each edge's efficiency, as the candidates have it. */
  readonly efficiency: Float64Array;
  /** The efficiency that every edge of the candidates outside this graph lies below. */
  readonly floor: number;
};

/**
 * How much deeper a passage is than the whole trade. The cost of a passage falls with the square of this
 * number.
 */
const PASSAGE_DEPTH = 1e6;

/** An edge that is a pool, to make a graph of. Prices and nodes as in the graph. */
export type PoolEdge = {
  readonly pool: Pool;
  readonly direction: Direction;
  readonly from: number;
  readonly to: number;
  readonly efficiency: number;
};

/** The nodes of a graph: their tokens and the prices that a search starts from. */
export type GraphNodes = { readonly tokens: Int32Array; readonly start: Float64Array };

type Passage = {
  readonly from: number;
  readonly to: number;
  readonly depth: number;
  readonly efficiency: number;
};

/**
 * The candidates' edges of at least an efficiency as a graph. The order of the edges depends on the pools alone,
 * so that ties have the same outcome in every process.
 */
export function createGraph(
  network: Network,
  candidates: Candidates,
  tradeType: TradeType,
  floor: number,
): SearchGraph {
  const { from, to, efficiency } = candidates;
  const edges: number[] = [];
  for (let edge = 0; edge < candidates.edgeCount; edge += 1)
    if ((efficiency[edge] as number) >= floor) edges.push(edge);
  edges.sort((a, b) => compareEdges(network, candidates, a, b));
  const nodes = numberNodes(candidates, edges);
  const pools: PoolEdge[] = [];
  const passages: Passage[] = [];
  for (const edge of edges) {
    const ends = { from: nodes.get(from[edge] as number) ?? 0, to: nodes.get(to[edge] as number) ?? 0 };
    const shared = { ...ends, efficiency: efficiency[edge] as number };
    const priced = candidates.edge[edge] as number;
    const pool = priced === PASSAGE ? undefined : network.pools[priced];
    if (pool === undefined) passages.push({ ...shared, depth: passageDepth(candidates, edge, tradeType) });
    else pools.push({ ...shared, pool, direction: network.direction[priced] as Direction });
  }
  const numbered = [...nodes.keys()];
  const start = Float64Array.from(numbered, (node) =>
    tradeType === 'EXACT_IN' ? (candidates.worth[node] as number) : 1 / (candidates.reach[node] as number),
  );
  const tokens = Int32Array.from(numbered, (node) => candidates.token[node] as number);
  return graphOf(tradeType, { tokens, start }, pools, passages, floor);
}

/** A graph of pools and passages in the order given. */
export function graphOf(
  tradeType: TradeType,
  { tokens, start }: GraphNodes,
  pools: readonly PoolEdge[],
  passages: readonly Passage[],
  floor: number,
): SearchGraph {
  const edges = [...pools, ...passages];
  const shapes = [
    ...pools.map(({ pool, direction }) => kindOf(pool).bound.startStretch(pool, direction)),
    ...passages.map(({ depth }) => ({ price: 1, limit: 0, liquidity: depth })),
  ];
  return {
    tradeType,
    nodeCount: tokens.length,
    tokens,
    source: 0,
    sink: 1,
    edgeCount: edges.length,
    poolCount: pools.length,
    from: Int32Array.from(edges, (edge) => edge.from),
    to: Int32Array.from(edges, (edge) => edge.to),
    price: Float64Array.from(shapes, (shape) => shape.price),
    limit: Float64Array.from(shapes, (shape) => shape.limit),
    liquidity: Float64Array.from(shapes, (shape) => shape.liquidity),
    keptRoot: Float64Array.from(edges, (_, edge) => keptRootOf(pools[edge]?.pool)),
    direction: edges.map((_, edge) => pools[edge]?.direction ?? 0),
    pools: edges.map((_, edge) => pools[edge]?.pool),
    start,
    efficiency: Float64Array.from(edges, (edge) => edge.efficiency),
    floor,
  };
}

/** Edges of another graph over the same nodes. */
export function subgraph(graph: SearchGraph, edges: readonly number[]): SearchGraph {
  const column = (values: Float64Array): Float64Array =>
    Float64Array.from(edges, (edge) => values[edge] as number);
  return {
    ...graph,
    edgeCount: edges.length,
    poolCount: edges.filter((edge) => graph.pools[edge] !== undefined).length,
    from: Int32Array.from(edges, (edge) => graph.from[edge] as number),
    to: Int32Array.from(edges, (edge) => graph.to[edge] as number),
    price: column(graph.price),
    limit: column(graph.limit),
    liquidity: column(graph.liquidity),
    keptRoot: column(graph.keptRoot),
    efficiency: column(graph.efficiency),
    direction: edges.map((edge) => graph.direction[edge] as Direction),
    pools: edges.map((edge) => graph.pools[edge]),
  };
}

function keptRootOf(pool: Pool | undefined): number {
  return pool === undefined ? 1 : Math.sqrt(keptOf(pool.feePips));
}

/** Pools by address and direction, then passages by token; those of one token stay in the order of versions. */
function compareEdges(network: Network, candidates: Candidates, a: number, b: number): number {
  const [edgeA, edgeB] = [candidates.edge[a] as number, candidates.edge[b] as number];
  if (edgeA === PASSAGE || edgeB === PASSAGE) {
    if (edgeA !== edgeB) return edgeA === PASSAGE ? 1 : -1;
    const tokenOf = (edge: number): string =>
      network.tokens[candidates.token[candidates.from[edge] as number] as number] ?? '';
    return tokenOf(a) < tokenOf(b) ? -1 : tokenOf(a) > tokenOf(b) ? 1 : 0;
  }
  const [addressA, addressB] = [network.pools[edgeA]?.address ?? '', network.pools[edgeB]?.address ?? ''];
  if (addressA !== addressB) return addressA < addressB ? -1 : 1;
  return (network.direction[edgeA] as number) - (network.direction[edgeB] as number);
}

/** Numbers the nodes of some edges in the order they are met, after the two ends. */
function numberNodes({ from, to }: Candidates, edges: readonly number[]): Map<number, number> {
  const nodes = new Map([
    [0, 0],
    [1, 1],
  ]);
  for (const edge of edges)
    for (const node of [from[edge] as number, to[edge] as number])
      if (!nodes.has(node)) nodes.set(node, nodes.size);
  return nodes;
}

function passageDepth(candidates: Candidates, edge: number, tradeType: TradeType): number {
  const node = candidates.from[edge] as number;
  const root =
    tradeType === 'EXACT_IN' ? (candidates.reach[node] as number) : 1 / (candidates.worth[node] as number);
  return PASSAGE_DEPTH * root * root;
}
