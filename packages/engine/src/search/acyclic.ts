import { type DualPoint, minimiseDual } from './dual.ts';
import { type Arc, arcsAt, orderNodes } from './flow.ts';
import { type SearchGraph, subgraph } from './graph.ts';

/** A flow without circles: what can be executed as paths. */
export type AcyclicFlow = {
  readonly graph: SearchGraph;
  readonly amount: number;
  readonly point: DualPoint;
  readonly arcs: readonly Arc[];
  readonly order: readonly number[];
  /** Whether circles that would pay more had to be left out. */
  readonly hadCircles: boolean;
};

/** The most edges that are added against the order of nodes. */
const MOST_TURNS = 8;

/**
 * The flow at a minimised point. When the market leaves arbitrage, the best flow runs in circles that no path
 * can follow. Then nodes are put in an order, and edges may only lead onwards in it. Edges that would pay
 * against the order are added one by one, as long as no circle closes and the total gains.
 */
export function acyclicFlow(graph: SearchGraph, amount: number, point: DualPoint): AcyclicFlow | undefined {
  const arcs = arcsAt(graph, point);
  const order = orderNodes(graph, arcs);
  if (order !== undefined) return { graph, amount, point, arcs, order, hadCircles: false };
  const ranks = rankNodes(graph, arcs, point);
  const onwards: number[] = [];
  for (let edge = 0; edge < graph.edgeCount; edge += 1) {
    const [from, to] = [ranks[graph.from[edge] as number], ranks[graph.to[edge] as number]];
    if (from !== undefined && to !== undefined && from < to) onwards.push(edge);
  }
  let best = flowOver(graph, onwards, amount, point.rootPrice);
  for (let turns = 0; turns < MOST_TURNS && best !== undefined; turns += 1) {
    const turned = bestTurn(graph, best);
    if (turned === undefined) break;
    best = turned;
  }
  return best?.flow;
}

type PartialFlow = { readonly edges: readonly number[]; readonly flow: AcyclicFlow };

/** The flow over some edges alone; undefined where it still runs in circles. */
function flowOver(
  graph: SearchGraph,
  edges: readonly number[],
  amount: number,
  start: Float64Array,
): PartialFlow | undefined {
  const part = subgraph(graph, edges);
  const point = minimiseDual(part, amount, start);
  const arcs = arcsAt(part, point);
  const order = orderNodes(part, arcs);
  if (order === undefined) return undefined;
  return { edges, flow: { graph: part, amount, point, arcs, order, hadCircles: true } };
}

/**
 * Ranks nodes so that little flow runs against the ranks. The next node is the one that sends the most in excess of
 * what it gets. Nodes without flow have no rank. Source: Eades, Lin, Smyth, "A fast and effective heuristic for the
 * feedback arc set problem" (1993).
 */
function rankNodes(graph: SearchGraph, arcs: readonly Arc[], point: DualPoint): Float64Array {
  const ranks = new Float64Array(graph.nodeCount).fill(Number.NaN);
  const open = new Set<number>();
  for (const { from, to } of arcs) open.add(from).add(to);
  ranks[graph.source] = 0;
  ranks[graph.sink] = graph.nodeCount;
  open.delete(graph.source);
  open.delete(graph.sink);
  const ahead = new Float64Array(graph.nodeCount);
  const add = (node: number, value: number): void => {
    if (open.has(node)) ahead[node] = (ahead[node] as number) + value;
  };
  const valueOf = ({ from, amountIn }: Arc): number => amountIn * (point.rootPrice[from] as number) ** 2;
  for (const arc of arcs) {
    add(arc.from, valueOf(arc));
    if (open.has(arc.from)) add(arc.to, -valueOf(arc));
  }
  for (let rank = 1; open.size > 0; rank += 1) {
    let next = -1;
    for (const node of open)
      if (next === -1 || (ahead[node] as number) > (ahead[next] as number)) next = node;
    ranks[next] = rank;
    open.delete(next);
    for (const arc of arcs) {
      if (arc.from === next) add(arc.to, valueOf(arc));
      if (arc.to === next) add(arc.from, -valueOf(arc));
    }
  }
  return ranks;
}

/**
 * Adds the edge against the order that would pay most, or the next best; undefined where no edge makes the whole
 * gain.
 */
function bestTurn(graph: SearchGraph, { edges, flow }: PartialFlow): PartialFlow | undefined {
  const { rootPrice, value } = flow.point;
  const present = new Set(edges);
  const turns: { edge: number; worth: number }[] = [];
  for (let edge = 0; edge < graph.poolCount; edge += 1) {
    if (present.has(edge)) continue;
    const [from, to] = [graph.from[edge] as number, graph.to[edge] as number];
    const ratio = (rootPrice[from] as number) / (rootPrice[to] as number);
    const start = graph.price[edge] as number;
    const mispricing = (start * (graph.keptRoot[edge] as number)) / ratio;
    if (!(mispricing > 1 + 1e-9) || !Number.isFinite(mispricing)) continue;
    const depth = (graph.liquidity[edge] as number) * start * (rootPrice[to] as number) ** 2;
    turns.push({ edge, worth: depth * (mispricing - 1) ** 2 });
  }
  turns.sort((a, b) => b.worth - a.worth || a.edge - b.edge);
  for (const { edge } of turns.slice(0, 3)) {
    const pool = graph.pools[edge];
    const kept = edges.filter((other) => graph.pools[other] !== pool);
    const turned = flowOver(
      graph,
      [...kept, edge].sort((a, b) => a - b),
      flow.amount,
      rootPrice,
    );
    if (turned !== undefined && turned.flow.point.value > value + 1e-9 * Math.abs(value)) return turned;
  }
  return undefined;
}
