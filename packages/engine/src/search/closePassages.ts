import { createPoint, type DualPoint, evaluate, minimiseDual } from './dual.ts';
import type { SearchGraph } from './graph.ts';

/** A bound this near to the value of a search, relative, needs no more work. */
const NEAR = 1e-7;

/**
 * A point whose value bounds every route over a graph's pools. A search treats passages (edges without a pool) as very
 * deep pools. Exactly, a token has the same price before and after a passage that is used. Before an unused passage its
 * price is at least the price after it.
 */
export function closePassages(graph: SearchGraph, amount: number, point: DualPoint): DualPoint {
  if (graph.poolCount === graph.edgeCount) return point;
  const raised = raise(graph, amount, point.rootPrice);
  if (raised.value - point.value <= NEAR * Math.abs(point.value)) return raised;
  const { nodeOf, merged } = mergeTaken(graph, point.rootPrice);
  const solved = minimiseDual(merged, amount, point.rootPrice);
  const polished = raise(
    graph,
    amount,
    point.rootPrice.map((_, node) => solved.rootPrice[nodeOf[node] as number] as number),
  );
  return polished.value < raised.value ? polished : raised;
}

/** Raises the price before each passage to at least the price after it, and evaluates the pools at these prices. */
function raise(graph: SearchGraph, amount: number, rootPrice: Float64Array): DualPoint {
  const pools = { ...graph, edgeCount: graph.poolCount };
  const point = createPoint(pools);
  point.rootPrice.set(rootPrice);
  for (let edge = graph.poolCount; edge < graph.edgeCount; edge += 1) {
    const [from, to] = [graph.from[edge] as number, graph.to[edge] as number];
    point.rootPrice[from] = Math.max(point.rootPrice[from] as number, point.rootPrice[to] as number);
  }
  evaluate(pools, amount, point);
  return point;
}

/** The graph without passages: the two nodes of each passage that is used become one. */
function mergeTaken(graph: SearchGraph, rootPrice: Float64Array) {
  const nodeOf = Int32Array.from(rootPrice, (_, node) => node);
  for (let edge = graph.poolCount; edge < graph.edgeCount; edge += 1) {
    const [from, to] = [graph.from[edge] as number, graph.to[edge] as number];
    if ((rootPrice[from] as number) <= (rootPrice[to] as number)) nodeOf[to] = from;
  }
  const merge = (node: number): number => nodeOf[node] as number;
  const merged = {
    ...graph,
    edgeCount: graph.poolCount,
    from: graph.from.slice(0, graph.poolCount).map(merge),
    to: graph.to.slice(0, graph.poolCount).map(merge),
  };
  return { nodeOf, merged };
}
