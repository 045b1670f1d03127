import { hopGasUnits } from '../pools/poolSwap.ts';
import type { Pool } from '../types.ts';
import { edgeInput, edgeOutput } from './edgeSwap.ts';
import type { SearchGraph } from './searchGraph.ts';

/** A node reached from where the search starts, and the edge and node it was reached over. */
type Reached = {
  readonly amount: number;
  readonly edge: number;
  readonly before: Reached | undefined;
  readonly node: number;
};

/** How a single path is compared. */
export type SinglePathTerms = {
  readonly maxHops: number;
  /** A unit of gas in the compared token. */
  readonly gasUnitCost: number;
  /** Square roots of the nodes' prices in the compared token, which price gas in theirs; absent: gas is free. */
  readonly rootPrice?: Float64Array;
};

/**
 * The best single path of at most `maxHops` pools in doubles, net of gas; undefined where none takes the amount.
 */
export function bestSinglePath(
  graph: SearchGraph,
  amount: number,
  { maxHops, gasUnitCost, rootPrice }: SinglePathTerms,
): Pool[] | undefined {
  const selling = graph.tradeType === 'EXACT_IN';
  const [start, goal] = selling ? [graph.source, graph.sink] : [graph.sink, graph.source];
  let layer = new Map<number, Reached>([[start, { amount, edge: -1, before: undefined, node: start }]]);
  let best: Reached | undefined;
  const beats = (a: number, b: number | undefined): boolean =>
    b === undefined ? Number.isFinite(a) && a > 0 : selling ? a > b : a < b;
  for (let hop = 0; hop < maxHops && layer.size > 0; hop += 1) {
    const next = new Map<number, Reached>();
    for (let edge = 0; edge < graph.edgeCount; edge += 1) {
      const pool = graph.pools[edge];
      const [from, to] = [graph.from[edge] as number, graph.to[edge] as number];
      const [near, far] = selling ? [from, to] : [to, from];
      // Passages come after all pools and cost no hop.
      const before = pool === undefined ? next.get(near) : layer.get(near);
      if (before === undefined || (far !== goal && hop + 1 === maxHops)) continue;
      const gas =
        pool === undefined ? 0 : (gasUnitCost * hopGasUnits(pool, 0)) / (rootPrice?.[far] ?? 1) ** 2;
      const reached = selling
        ? edgeOutput(graph, edge, before.amount) - gas
        : edgeInput(graph, edge, before.amount) + gas;
      if (beats(reached, next.get(far)?.amount)) next.set(far, { amount: reached, edge, before, node: far });
    }
    const arrived = next.get(goal);
    if (arrived !== undefined && beats(arrived.amount, best?.amount)) best = arrived;
    next.delete(goal);
    layer = next;
  }
  return best && poolsOf(graph, best, selling);
}

/** Pools in the order a swap passes them; undefined where the way passes a node twice. */
function poolsOf(graph: SearchGraph, end: Reached, selling: boolean): Pool[] | undefined {
  const pools: Pool[] = [];
  const seen = new Set<number>();
  for (let at: Reached | undefined = end; at !== undefined; at = at.before) {
    if (seen.has(at.node)) return undefined;
    seen.add(at.node);
    const pool = graph.pools[at.edge];
    if (pool !== undefined) pools.push(pool);
  }
  return selling ? pools.reverse() : pools;
}
