import { candidateGraph } from './candidateGraph.ts';
import { curveOf } from './curve.ts';
import { createPoint, type DualPoint, evaluate, evaluatePools, minimiseDual, type Problem } from './dual.ts';
import { marginalPrices, spreadPrices } from './marginalStart.ts';
import type { Market } from '../market.ts';
import { boundOf } from './optimality.ts';
import { createGraph } from './searchGraph.ts';
import type { QuoteRequest } from '../types.ts';

/** Nodes up to which the dual of a whole market is minimised by Newton steps; beyond, one node at a time. */
const MOST_NODES = 500;

/**
 * A bound over every pool of the market, not just the candidates of a quote, for judging how well those are chosen. Far
 * too slow to quote with. Any prices bound every route, so on large markets it is loose at worst, never wrong.
 * Undefined where no pools connect the tokens or the amount is beyond them.
 */
export function marketBound(market: Market, request: QuoteRequest): bigint | undefined {
  const near = candidateGraph(market, request);
  const narrow: Problem = { graph: near, allowed: near.allowed, amount: Number(request.amount) };
  const solved = minimiseDual(narrow, marginalPrices(near, near.allowed));
  const usable = [...market.pools()].filter((pool) => !request.excludeSources.has(pool.source));
  const graph = createGraph(
    usable.flatMap((pool) => curveOf(pool) ?? []),
    request,
  );
  const problem: Problem = { graph, allowed: graph.allowed, amount: Number(request.amount) };
  const selling = request.tradeType === 'EXACT_IN';
  const start = new Float64Array(graph.nodeCount).fill(selling ? 0 : Number.POSITIVE_INFINITY);
  for (const [name, node] of graph.nodes) {
    const known = near.nodes.get(name);
    if (known !== undefined) start[node] = solved.rootPrice[known] ?? 0;
  }
  const fixed = start.slice();
  spreadPrices(graph, graph.allowed, start);
  for (const [node, root] of fixed.entries()) if (root > 0 && Number.isFinite(root)) start[node] = root;
  if (graph.nodeCount <= MOST_NODES) return boundOf(minimiseDual(problem, start), request.tradeType);
  return boundOf(balanceNodes(problem, start), request.tradeType);
}

const MOST_SWEEPS = 40;

/** Balances one node after the other, over and over: slow to converge, but linear in the pools. */
function balanceNodes(problem: Problem, start: Float64Array): DualPoint {
  const { graph } = problem;
  const grounded = graph.tradeType === 'EXACT_IN' ? graph.sink : graph.source;
  const poolsByNode: number[][] = Array.from({ length: graph.nodeCount }, () => []);
  for (const [pool] of graph.curves.entries())
    for (const node of [graph.node0[pool] ?? 0, graph.node1[pool] ?? 0]) poolsByNode[node]?.push(pool);
  const point = createPoint(graph);
  const whole = createPoint(graph);
  point.rootPrice.set(start);
  whole.rootPrice.set(start);
  evaluate(problem, whole);
  for (let sweep = 0; sweep < MOST_SWEEPS; sweep += 1) {
    const before = whole.value;
    for (const [node, pools] of poolsByNode.entries()) {
      const root = point.rootPrice[node] ?? 0;
      if (node === grounded || !(root > 0) || !Number.isFinite(root)) continue;
      evaluatePools(problem, point, pools);
      if (Math.abs(point.excess[node] ?? 0) > 1e-10 * Math.abs(before))
        balanceNode(problem, point, node, pools);
    }
    whole.rootPrice.set(point.rootPrice);
    evaluate(problem, whole);
    if (before - whole.value < 1e-8 * Math.abs(before)) break;
  }
  return whole;
}

/** Moves a node's price to where its net flow changes sign. */
function balanceNode(problem: Problem, point: DualPoint, node: number, pools: readonly number[]): void {
  const excessAt = (root: number): number => {
    point.rootPrice[node] = root;
    evaluatePools(problem, point, pools);
    return point.excess[node] ?? 0;
  };
  const root = point.rootPrice[node] ?? 0;
  let [low, high] = [root, root];
  for (let factor = 1.001; excessAt(low) > 0 && factor < 1e3; factor *= factor) low = root / factor;
  for (let factor = 1.001; excessAt(high) < 0 && factor < 1e3; factor *= factor) high = root * factor;
  for (let halvings = 0; halvings < 40 && high / low > 1 + 1e-14; halvings += 1) {
    const middle = (low + high) / 2;
    if (excessAt(middle) > 0) high = middle;
    else low = middle;
  }
  point.rootPrice[node] = (low + high) / 2;
}
