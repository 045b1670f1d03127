import { createPoint, type DualPoint, evaluate, minimiseDual } from './dual.ts';
import type { SearchGraph } from './searchGraph.ts';

/** A bound this near to the value of a search, relative, needs no more work. */
const NEAR = 1e-7;

/**
 * A point that bounds every route over a graph's pools. A search takes its passages for pools, very deep ones; in truth a
 * token is worth the same before and after a passage that it takes, and no less before than after any.
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

/** Prices no less before each passage than after it, and what the pools answer. */
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

/** The graph without passages, each that is taken merged into one node. */
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
