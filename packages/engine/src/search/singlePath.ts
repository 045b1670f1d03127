import { inputOf, outputOf } from './curve.ts';
import { hopGasUnits } from '../gas.ts';
import { SELL_0, SELL_1, type SearchGraph } from './searchGraph.ts';
import type { Pool } from '../types.ts';

/** A node reached from where the search starts, and the pool and node it was reached over. */
type Reached = {
  amount: number;
  readonly pool: number;
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
  let layer = new Map<number, Reached>([[start, { amount, pool: -1, before: undefined, node: start }]]);
  let best: Reached | undefined;
  const beats = (a: number, b: number | undefined): boolean =>
    b === undefined ? Number.isFinite(a) && a > 0 : selling ? a > b : a < b;
  for (let hop = 0; hop < maxHops && layer.size > 0; hop += 1) {
    const next = new Map<number, Reached>();
    for (const [pool, curve] of graph.curves.entries()) {
      const allowed = graph.allowed[pool] as number;
      for (const direction of [0, 1] as const) {
        if ((allowed & (direction === 0 ? SELL_0 : SELL_1)) === 0) continue;
        const [sold, bought] = [graph.node0[pool] as number, graph.node1[pool] as number];
        const [from, to] = direction === 0 ? [sold, bought] : [bought, sold];
        const [near, far] = selling ? [from, to] : [to, from];
        const before = layer.get(near);
        if (before === undefined || (far !== goal && hop + 1 === maxHops)) continue;
        const gas = (gasUnitCost * hopGasUnits(curve.pool, 0)) / (rootPrice?.[far] ?? 1) ** 2;
        const reached = selling
          ? outputOf(curve, direction, before.amount) - gas
          : inputOf(curve, direction, before.amount) + gas;
        if (beats(reached, next.get(far)?.amount))
          next.set(far, { amount: reached, pool, before, node: far });
      }
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
    const curve = graph.curves[at.pool];
    if (curve !== undefined) pools.push(curve.pool);
  }
  return selling ? pools.reverse() : pools;
}
