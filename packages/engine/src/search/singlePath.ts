import { type Direction, hopOf } from '../pools/direction.ts';
import { hopGasUnits } from '../pools/poolSwap.ts';
import type { Hop, Pool } from '../types.ts';
import { edgeInput, edgeOutput } from './edgeSwap.ts';
import type { SearchGraph } from './graph.ts';

/** What reaches each node after a number of hops, 0 where nothing does, and the edge it came over. */
type Layer = { readonly amount: Float64Array; readonly edge: Int32Array };

/** How a single path is compared. */
export type SinglePathTerms = {
  readonly maxHops: number;
  /** A unit of gas in the compared token. */
  readonly gasUnitCost: number;
  /** Square roots of the nodes' prices in the compared token, which price gas in theirs; absent: gas is free. */
  readonly rootPrice?: Float64Array;
  /** Pools that the path may not use. */
  readonly without?: ReadonlySet<Pool>;
};

/**
 * The best single path of at most `maxHops` pools in doubles, net of gas; undefined where none takes the amount.
 */
export function bestSinglePath(
  graph: SearchGraph,
  amount: number,
  { maxHops, gasUnitCost, rootPrice, without }: SinglePathTerms,
): Hop[] | undefined {
  const selling = graph.tradeType === 'EXACT_IN';
  const [start, goal] = selling ? [graph.source, graph.sink] : [graph.sink, graph.source];
  const [nears, fars] = selling ? [graph.from, graph.to] : [graph.to, graph.from];
  const beats = (a: number, b: number): boolean =>
    b === 0 ? Number.isFinite(a) && a > 0 : selling ? a > b : a < b;
  const layers = [emptyLayer(graph)];
  (layers[0] as Layer).amount[start] = amount;
  let [best, bestHops] = [0, 0];
  for (let hop = 1; hop <= maxHops; hop += 1) {
    const [layer, next] = [layers[hop - 1] as Layer, emptyLayer(graph)];
    layers.push(next);
    for (let edge = 0; edge < graph.edgeCount; edge += 1) {
      const [near, far] = [nears[edge] as number, fars[edge] as number];
      // Passages come after all pools and cost no hop.
      const isPool = edge < graph.poolCount;
      const before = (isPool ? layer : next).amount[near] as number;
      if (before === 0 || near === goal || (far !== goal && hop === maxHops)) continue;
      const pool = graph.pools[edge];
      if (without !== undefined && pool !== undefined && without.has(pool)) continue;
      const gas =
        pool === undefined || gasUnitCost === 0
          ? 0
          : (gasUnitCost * hopGasUnits(pool, 0)) / (rootPrice?.[far] ?? 1) ** 2;
      const reached = selling ? edgeOutput(graph, edge, before) - gas : edgeInput(graph, edge, before) + gas;
      if (!beats(reached, next.amount[far] as number)) continue;
      next.amount[far] = reached;
      next.edge[far] = edge;
    }
    const arrived = next.amount[goal] as number;
    if (arrived !== 0 && beats(arrived, best)) [best, bestHops] = [arrived, hop];
  }
  return best === 0 ? undefined : hopsOf(graph, layers.slice(0, bestHops + 1), { nears, start, goal });
}

function emptyLayer({ nodeCount }: SearchGraph): Layer {
  return { amount: new Float64Array(nodeCount), edge: new Int32Array(nodeCount) };
}

/** Hops in the order a swap passes them; undefined where the way passes a node twice. */
function hopsOf(
  graph: SearchGraph,
  layers: readonly Layer[],
  { nears, start, goal }: { readonly nears: Int32Array; readonly start: number; readonly goal: number },
): Hop[] | undefined {
  const hops: Hop[] = [];
  const seen = new Set<number>();
  let node = goal;
  for (let hop = layers.length - 1; hop > 0; ) {
    if (seen.has(node)) return undefined;
    seen.add(node);
    const edge = (layers[hop] as Layer).edge[node] as number;
    const pool = graph.pools[edge];
    node = nears[edge] as number;
    if (pool === undefined) continue;
    hops.push(hopOf(pool, graph.direction[edge] as Direction));
    hop -= 1;
  }
  if (node !== start || seen.has(start)) return undefined;
  return graph.tradeType === 'EXACT_IN' ? hops.reverse() : hops;
}
