import { type DualPoint, minimiseDual, type Problem } from './dual.ts';
import { type Arc, arcsAt, orderNodes } from './flow.ts';
import { SELL_0, SELL_1, type SearchGraph } from './searchGraph.ts';

/** A flow without circles: what can be executed as paths. */
export type AcyclicFlow = {
  readonly problem: Problem;
  readonly point: DualPoint;
  readonly arcs: readonly Arc[];
  readonly order: readonly number[];
};

/** Pools whose other direction is tried once the order of nodes is fixed. */
const MOST_FLIPS = 8;

/**
 * The flow at a minimised point. Where the market leaves arbitrage the best flow runs in circles that no path can
 * follow: then nodes are put in an order, pools may only lead onwards in it, and pools that would pay against it are
 * turned one by one as long as no circle closes and the whole gains.
 */
export function acyclicFlow(problem: Problem, point: DualPoint): AcyclicFlow | undefined {
  const { graph } = problem;
  const arcs = arcsAt(graph, point);
  const order = orderNodes(graph, arcs);
  if (order !== undefined) return { problem, point, arcs, order };
  const ranks = rankNodes(graph, arcs, point);
  const oneWay = { ...problem, allowed: onwardOnly(graph, problem.allowed, ranks) };
  let best = flowOf(oneWay, minimiseDual(oneWay, point.rootPrice));
  for (let flips = 0; flips < MOST_FLIPS && best !== undefined; flips += 1) {
    const flipped: AcyclicFlow | undefined = bestFlip(problem, best);
    if (flipped === undefined) break;
    best = flipped;
  }
  return best;
}

function flowOf(problem: Problem, point: DualPoint): AcyclicFlow | undefined {
  const arcs = arcsAt(problem.graph, point);
  const order = orderNodes(problem.graph, arcs);
  return order === undefined ? undefined : { problem, point, arcs, order };
}

/**
 * Ranks nodes so that little flow runs against the ranks: whichever node sends on most beyond what it gets comes next.
 * Source: Eades, Lin, Smyth, "A fast and effective heuristic for the feedback arc set problem" (1993).
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
  for (const { from, to, amountIn } of arcs) {
    const value = amountIn * (point.rootPrice[from] as number) ** 2;
    if (open.has(from)) ahead[from] = (ahead[from] as number) + value;
    if (open.has(to) && open.has(from)) ahead[to] = (ahead[to] as number) - value;
  }
  for (let rank = 1; open.size > 0; rank += 1) {
    let next = -1;
    for (const node of open)
      if (next === -1 || (ahead[node] as number) > (ahead[next] as number)) next = node;
    ranks[next] = rank;
    open.delete(next);
    for (const { from, to, amountIn } of arcs) {
      const value = amountIn * (point.rootPrice[from] as number) ** 2;
      if (from === next && open.has(to)) ahead[to] = (ahead[to] as number) + value;
      if (to === next && open.has(from)) ahead[from] = (ahead[from] as number) - value;
    }
  }
  return ranks;
}

/** Directions that lead from a lower to a higher rank; pools at unranked nodes have no flow and stay out. */
function onwardOnly(graph: SearchGraph, allowed: Uint8Array, ranks: Float64Array): Uint8Array {
  return allowed.map((directions, pool) => {
    const [rank0, rank1] = [ranks[graph.node0[pool] as number], ranks[graph.node1[pool] as number]];
    if (rank0 === undefined || rank1 === undefined) return 0;
    return rank0 < rank1 ? directions & SELL_0 : rank1 < rank0 ? directions & SELL_1 : 0;
  });
}

/** Turns the pool that would pay most against the order, or the next best; undefined where no turn helps. */
function bestFlip(whole: Problem, flow: AcyclicFlow): AcyclicFlow | undefined {
  const { graph, allowed } = flow.problem;
  const { rootPrice } = flow.point;
  const turns: { pool: number; direction: number; worth: number }[] = [];
  for (let pool = 0; pool < allowed.length; pool += 1) {
    const missing = (whole.allowed[pool] as number) & ~(allowed[pool] as number);
    const ratio =
      (rootPrice[graph.node0[pool] as number] as number) / (rootPrice[graph.node1[pool] as number] as number);
    const [price, kept] = [graph.sqrtPrice[pool] as number, graph.keptRoot[pool] as number];
    const mispricing = Math.max(
      (missing & SELL_0) !== 0 ? (price * kept) / ratio : 0,
      (missing & SELL_1) !== 0 ? (ratio * kept) / price : 0,
    );
    if (!(mispricing > 1 + 1e-9) || !Number.isFinite(mispricing)) continue;
    const direction = (missing & SELL_0) !== 0 && price * kept > ratio ? SELL_0 : SELL_1;
    const depth = graph.curves[pool]?.liquidity[graph.curves[pool]?.current ?? 0] ?? 0;
    const value = depth * price * (rootPrice[graph.node1[pool] as number] as number) ** 2;
    turns.push({ pool, direction, worth: value * (mispricing - 1) ** 2 });
  }
  turns.sort((a, b) => b.worth - a.worth || a.pool - b.pool);
  for (const { pool, direction } of turns.slice(0, 3)) {
    const turned = allowed.slice();
    turned[pool] = direction;
    const problem = { ...flow.problem, allowed: turned };
    const candidate = flowOf(problem, minimiseDual(problem, rootPrice));
    if (
      candidate !== undefined &&
      candidate.point.value > flow.point.value * (1 + 1e-9 * Math.sign(flow.point.value))
    )
      return candidate;
  }
  return undefined;
}
