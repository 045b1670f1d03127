import { type Direction, inputOf, outputOf } from './curve.ts';
import type { DualPoint } from './dual.ts';
import type { SearchGraph } from './searchGraph.ts';

/** One pool's part in a flow. Amounts are doubles, input with fee. */
export type Arc = {
  readonly pool: number;
  readonly direction: Direction;
  readonly from: number;
  readonly to: number;
  readonly amountIn: number;
  readonly amountOut: number;
  /** What the pool loses on the trade at the search's prices, in the grounded token: about what the arc is worth. */
  readonly gain: number;
  /** Initialised ticks that the trade crosses. */
  readonly crossed: number;
};

/** An arc worth less than this part of the whole flow is noise of the search. */
const NEGLIGIBLE = 1e-8;

/** What is left of a pool that is used to its last unit, lest sharing and rounding ask more of it than it holds. */
const SHAVED = 1e-6;

/** The arcs that carry the flow at a point. */
export function arcsAt(graph: SearchGraph, point: DualPoint): Arc[] {
  const arcs: Arc[] = [];
  const least = NEGLIGIBLE * Math.abs(point.value);
  for (let at = 0; at < point.activeCount; at += 1) {
    const pool = point.activePool[at] as number;
    const [from, to] = [point.activeFrom[at] as number, point.activeTo[at] as number];
    const part = point.activeSlope[at] === 0 ? 1 - SHAVED : 1;
    const amountIn = (point.activeIn[at] as number) * part;
    const amountOut = (point.activeOut[at] as number) * part;
    const got = amountOut * (point.rootPrice[to] as number) ** 2;
    if (!(got > least)) continue;
    const paid = amountIn * (point.rootPrice[from] as number) ** 2;
    const direction = graph.node0[pool] === from ? 0 : 1;
    const crossed = point.activeCrossed[at] as number;
    arcs.push({ pool, direction, from, to, amountIn, amountOut, gain: got - paid, crossed });
  }
  return arcs;
}

/** The nodes of a flow so that every arc leads from an earlier to a later one; undefined where it runs in circles. */
export function orderNodes(graph: SearchGraph, arcs: readonly Arc[]): number[] | undefined {
  const entering = new Int32Array(graph.nodeCount);
  const touched = new Set<number>();
  for (const { from, to } of arcs) {
    entering[to] = (entering[to] as number) + 1;
    touched.add(from).add(to);
  }
  const order = [...touched].filter((node) => entering[node] === 0).sort((a, b) => a - b);
  for (let at = 0; at < order.length; at += 1) {
    for (const { from, to } of arcs) {
      if (from !== order[at]) continue;
      entering[to] = (entering[to] as number) - 1;
      if (entering[to] === 0) order.push(to);
    }
  }
  return order.length === touched.size ? order : undefined;
}

/**
 * Makes a flow add up: what comes to each node is shared among its arcs as the search shared it. EXACT_IN starts from
 * the input; EXACT_OUT from the output back. Arcs that nothing comes to, or that lead nowhere, fall away.
 */
export function balanceFlow(
  graph: SearchGraph,
  arcs: readonly Arc[],
  order: readonly number[],
  amount: number,
): Arc[] {
  return graph.tradeType === 'EXACT_IN'
    ? balanceForward(graph, arcs, order, amount)
    : balanceBackward(graph, arcs, order, amount);
}

function balanceForward(graph: SearchGraph, arcs: readonly Arc[], order: readonly number[], amount: number) {
  const leading = leadingToSink(graph, arcs, order);
  const arrived = new Float64Array(graph.nodeCount);
  arrived[graph.source] = amount;
  const balanced: Arc[] = [];
  for (const node of order) {
    const leaving = leading.filter((arc) => arc.from === node);
    const total = leaving.reduce((sum, arc) => sum + arc.amountIn, 0);
    const balance = arrived[node] as number;
    if (!(balance > 0) || !(total > 0)) continue;
    for (const arc of leaving) {
      const curve = graph.curves[arc.pool];
      if (curve === undefined) continue;
      const amountIn = balance * (arc.amountIn / total);
      const amountOut = outputOf(curve, arc.direction, amountIn);
      arrived[arc.to] = (arrived[arc.to] as number) + amountOut;
      balanced.push({ ...arc, amountIn, amountOut });
    }
  }
  return balanced;
}

function balanceBackward(graph: SearchGraph, arcs: readonly Arc[], order: readonly number[], amount: number) {
  const leading = comingFromSource(graph, arcs, order);
  const wanted = new Float64Array(graph.nodeCount);
  wanted[graph.sink] = amount;
  const balanced: Arc[] = [];
  for (const node of order.toReversed()) {
    const coming = leading.filter((arc) => arc.to === node);
    const total = coming.reduce((sum, arc) => sum + arc.amountOut, 0);
    const balance = wanted[node] as number;
    if (!(balance > 0) || !(total > 0)) continue;
    for (const arc of coming) {
      const curve = graph.curves[arc.pool];
      if (curve === undefined) continue;
      const amountOut = balance * (arc.amountOut / total);
      const amountIn = inputOf(curve, arc.direction, amountOut);
      wanted[arc.from] = (wanted[arc.from] as number) + amountIn;
      balanced.push({ ...arc, amountIn, amountOut });
    }
  }
  return balanced.reverse();
}

function leadingToSink(graph: SearchGraph, arcs: readonly Arc[], order: readonly number[]): Arc[] {
  const reaches = new Set([graph.sink]);
  for (const node of order.toReversed())
    if (arcs.some((arc) => arc.from === node && reaches.has(arc.to))) reaches.add(node);
  return arcs.filter((arc) => reaches.has(arc.to));
}

function comingFromSource(graph: SearchGraph, arcs: readonly Arc[], order: readonly number[]): Arc[] {
  const reached = new Set([graph.source]);
  for (const node of order)
    if (arcs.some((arc) => arc.to === node && reached.has(arc.from))) reached.add(node);
  return arcs.filter((arc) => reached.has(arc.from));
}
