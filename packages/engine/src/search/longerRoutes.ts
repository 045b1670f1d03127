import type { Network } from '../market/network.ts';
import type { Direction } from '../pools/direction.ts';
import { POOL_KIND_NAMES } from '../pools/poolKinds.ts';
import type { Pool } from '../types.ts';
import type { CandidateGraphs } from './candidateGraph.ts';
import { type CandidateRequest, type Filter, filtersOf, usableRate } from './candidates.ts';
import { type DualPoint, minimiseDual } from './dual.ts';
import { graphOf, type PoolEdge, type SearchGraph } from './graph.ts';

/** Rounds in which pools are added that would pay at the prices found so far. */
const ROUNDS = 3;

/**
 * How many binary orders shallower than the deepest pool of its tokens an added pool may be. A pool that
 * trades one of the request's tokens has no such limit. Shallower pools add nothing to longer routes but
 * circles through their stale prices. The bound of longer routes leaves them out.
 */
const DUST_BITS = 12;

/** By how much a pool must pay at the prices found to be added; less is noise of the search. */
const PAYS = 1 + 1e-9;

/** What a search over a graph came to. */
export type Solved = { readonly graph: SearchGraph; readonly point: DualPoint };

/**
 * Lets routes grow longer than layers allow. They may pass the tokens that short routes could use, each now
 * one node. They may also pass tokens next to two of those, if they pay at the prices found so far. Undefined
 * where there are none to add, or no prices.
 */
export function solveLonger(graphs: CandidateGraphs, amount: number, short: Solved): Solved | undefined {
  const { network, request } = graphs;
  const nodes = mergeLayers(network, short, request);
  let solved: Solved | undefined;
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = nodes.edges.size;
    for (const filter of filtersOf(network, request)) addPaying(nodes, filter);
    if (solved !== undefined && nodes.edges.size === before) return solved;
    solved = solveNodes(nodes, request, amount);
    if (!Number.isFinite(solved.point.value)) return undefined;
  }
  return solved;
}

/** Tokens, for an exact output per pool version, and the pools between them by the network's edges. */
type Nodes = {
  readonly nodeOf: Map<number, number>;
  readonly tokens: number[];
  /** Square roots, as in the search. */
  readonly price: number[];
  readonly edges: Map<number, PoolEdge>;
};

/** A token and a pool version as one number; without a version, that of the first. */
function keyOf(token: number, kind: Pool['kind'] | undefined): number {
  return POOL_KIND_NAMES.length * token + (kind === undefined ? 0 : POOL_KIND_NAMES.indexOf(kind));
}

function nodeFor(nodes: Nodes, key: number, token: number, price: number): number {
  let node = nodes.nodeOf.get(key);
  if (node === undefined) {
    node = nodes.tokens.push(token) - 1;
    nodes.nodeOf.set(key, node);
    nodes.price.push(price);
  }
  nodes.price[node] = Math.max(nodes.price[node] as number, price);
  return node;
}

function endKeys(request: CandidateRequest): Map<number, number> {
  const { tokenIn, tokenOut } = request;
  return new Map(
    POOL_KIND_NAMES.flatMap((kind) => [
      [keyOf(tokenIn, kind), 0],
      [keyOf(tokenOut, kind), 1],
    ]),
  );
}

function mergeLayers(network: Network, { graph, point }: Solved, request: CandidateRequest): Nodes {
  const { tokenIn, tokenOut } = request;
  const [source, sink] = [point.rootPrice[0] as number, point.rootPrice[1] as number];
  const nodes: Nodes = {
    nodeOf: endKeys(request),
    tokens: [tokenIn, tokenOut],
    price: [source, sink],
    edges: new Map(),
  };
  const margin =
    graph.tradeType === 'EXACT_IN' ? source / (graph.start[0] as number) : (graph.start[1] as number) / sink;
  for (let edge = 0; edge < graph.poolCount; edge += 1) {
    const pool = graph.pools[edge];
    if (pool === undefined || (graph.efficiency[edge] as number) < margin) continue;
    const kind = graph.tradeType === 'EXACT_IN' ? undefined : pool.kind;
    const [from, to] = [graph.from[edge] as number, graph.to[edge] as number].map((node) => {
      const token = graph.tokens[node] as number;
      return nodeFor(nodes, keyOf(token, kind), token, point.rootPrice[node] as number);
    }) as [number, number];
    const direction = graph.direction[edge] as Direction;
    const first = network.firstEdgeOf(pool.address);
    if (first !== undefined) nodes.edges.set(first + direction, { pool, direction, from, to, efficiency: 1 });
  }
  return nodes;
}

/** Adds the pools that pay between known tokens, or from one over a new token to another. */
function addPaying(nodes: Nodes, filter: Filter): void {
  const { network, request, kind } = filter;
  const { tokenIn, tokenOut } = request;
  const known = nodes.tokens
    .map((token, node) => ({ token, node }))
    .filter(({ token, node }) => nodes.nodeOf.get(keyOf(token, kind)) === node);
  const worth = new Map<number, number>();
  for (const { token, node } of known) {
    if (token === tokenIn) continue;
    eachEdge(filter, token, false, (_edge, other, rate) => {
      if (other === tokenIn || other === tokenOut || nodes.nodeOf.has(keyOf(other, kind))) return;
      const brings = rate * (nodes.price[node] as number);
      if (brings > (worth.get(other) ?? 0)) worth.set(other, brings);
    });
  }
  const reached = new Set<number>();
  for (const { token, node } of known) {
    if (token === tokenOut) continue;
    eachEdge(filter, token, true, (edge, other, rate) => {
      if (other === tokenIn) return;
      const to = nodes.nodeOf.get(keyOf(other, kind));
      const price = to === undefined || reached.has(to) ? worth.get(other) : nodes.price[to];
      if (price === undefined || !(rate * price > (nodes.price[node] as number) * PAYS)) return;
      if (to === undefined) reached.add(nodeFor(nodes, keyOf(other, kind), other, price));
      addEdge(nodes, network, edge, node, to ?? (nodes.nodeOf.get(keyOf(other, kind)) as number));
    });
  }
  for (const node of reached) {
    const token = nodes.tokens[node] as number;
    eachEdge(filter, token, true, (edge, other) => {
      const to = nodes.nodeOf.get(keyOf(other, kind));
      if (to !== undefined && to !== 0 && to !== node) addEdge(nodes, network, edge, node, to);
    });
  }
}

function addEdge(nodes: Nodes, network: Network, edge: number, from: number, to: number): void {
  const [pool, direction] = [network.pools[edge], network.direction[edge] as Direction];
  if (pool !== undefined) nodes.edges.set(edge, { pool, direction, from, to, efficiency: 1 });
}

/** Visits the usable edges of a token that are not dust: those that sell it (`selling`), or those that pay it. */
function eachEdge(
  filter: Filter,
  token: number,
  selling: boolean,
  visit: (edge: number, other: number, rate: number) => void,
): void {
  const { edgesFrom, edgesTo, from, to, depths } = filter.network;
  const [edges, others] = selling ? [edgesFrom[token], to] : [edgesTo[token], from];
  for (const edge of edges ?? []) {
    const rate = usableRate(filter, edge);
    if (rate > 0 && !depths.isDust(edge, DUST_BITS, filter.request))
      visit(edge, others[edge] as number, rate);
  }
}

/**
 * Solves for the pools found, in an order that depends on them alone. Nodes are numbered in the order in which the
 * pools meet them. Writes the prices back.
 */
function solveNodes(nodes: Nodes, { tradeType }: CandidateRequest, amount: number): Solved {
  const sorted = [...nodes.edges.values()].sort(comparePools);
  const numbers = new Map([
    [0, 0],
    [1, 1],
  ]);
  for (const { from, to } of sorted)
    for (const node of [from, to]) if (!numbers.has(node)) numbers.set(node, numbers.size);
  const order = [...numbers.keys()];
  const tokens = Int32Array.from(order, (node) => nodes.tokens[node] as number);
  const start = Float64Array.from(order, (node) => nodes.price[node] as number);
  const edges = sorted.map((edge) => ({
    ...edge,
    from: numbers.get(edge.from) ?? 0,
    to: numbers.get(edge.to) ?? 0,
  }));
  const graph = graphOf(tradeType, { tokens, start }, edges, [], 0);
  const point = minimiseDual(graph, amount, start);
  for (const [node, number] of numbers) nodes.price[node] = point.rootPrice[number] as number;
  return { graph, point };
}

function comparePools(a: PoolEdge, b: PoolEdge): number {
  if (a.pool.address !== b.pool.address) return a.pool.address < b.pool.address ? -1 : 1;
  return a.direction - b.direction;
}
