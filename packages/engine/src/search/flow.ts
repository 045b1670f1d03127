import type { DualPoint } from './dual.ts';
import { edgeInput, edgeOutput } from './edgeSwap.ts';
import type { SearchGraph } from './graph.ts';

/** One edge's part in a flow. Amounts are doubles, input with fee. */
export type Arc = {
  readonly edge: number;
  readonly from: number;
  readonly to: number;
  readonly amountIn: number;
  readonly amountOut: number;
  /** What the pool loses on the trade at the search's prices, in the grounded token: about what the arc is worth. */
  readonly gain: number;
  /** Initialised ticks that the trade crosses. */
  readonly crossed: number;
  /** Whether the pool pays all it holds, so that it can take no more. */
  readonly isDrained: boolean;
};

/** An arc worth less than this part of the whole flow is noise of the search. */
const NEGLIGIBLE = 1e-8;

/**
 * The part that is left in a pool that would be used up, so that sharing and rounding never ask for more than it
 * holds.
 */
const SHAVED = 1e-6;

/** The arcs that carry the flow at a point. */
export function arcsAt(graph: SearchGraph, point: DualPoint): Arc[] {
  const arcs: Arc[] = [];
  const least = NEGLIGIBLE * Math.abs(point.value);
  for (let at = 0; at < point.activeCount; at += 1) {
    const edge = point.activeEdge[at] as number;
    const [from, to] = [graph.from[edge] as number, graph.to[edge] as number];
    const isDrained = point.activeSlope[at] === 0 && (point.activeIn[at] as number) > 0;
    const part = isDrained ? 1 - SHAVED : 1;
    const amountIn = (point.activeIn[at] as number) * part;
    const amountOut = (point.activeOut[at] as number) * part;
    const got = amountOut * (point.rootPrice[to] as number) ** 2;
    if (!(got > least)) continue;
    const paid = amountIn * (point.rootPrice[from] as number) ** 2;
    const crossed = point.activeCrossed[at] as number;
    arcs.push({ edge, from, to, amountIn, amountOut, gain: got - paid, crossed, isDrained });
  }
  return arcs;
}

/** The nodes of a flow so that every arc leads from an earlier to a later one; undefined where it runs in circles. */
export function orderNodes(graph: SearchGraph, arcs: readonly Arc[]): number[] | undefined {
  const entering = new Int32Array(graph.nodeCount);
  const touched = new Uint8Array(graph.nodeCount);
  let count = 0;
  for (const { from, to } of arcs) {
    entering[to] = (entering[to] as number) + 1;
    for (const node of [from, to]) {
      if (touched[node] === 0) count += 1;
      touched[node] = 1;
    }
  }
  const leaving = leavingArcs(graph, arcs);
  const order: number[] = [];
  for (let node = 0; node < graph.nodeCount; node += 1)
    if (touched[node] === 1 && entering[node] === 0) order.push(node);
  for (let at = 0; at < order.length; at += 1) {
    for (const { to } of leaving[order[at] as number] ?? []) {
      entering[to] = (entering[to] as number) - 1;
      if (entering[to] === 0) order.push(to);
    }
  }
  return order.length === count ? order : undefined;
}

/** The arcs out of each node. */
function leavingArcs(graph: SearchGraph, arcs: readonly Arc[]): Arc[][] {
  const leaving: Arc[][] = [];
  leaving.length = graph.nodeCount;
  for (const arc of arcs) (leaving[arc.from] ??= []).push(arc);
  return leaving;
}

function comingArcs(graph: SearchGraph, arcs: readonly Arc[]): Arc[][] {
  const coming: Arc[][] = [];
  coming.length = graph.nodeCount;
  for (const arc of arcs) (coming[arc.to] ??= []).push(arc);
  return coming;
}

/**
 * Makes a flow add up: what comes to each node is shared among its arcs as the search shared it. EXACT_IN starts from
 * the input; EXACT_OUT from the output back. Arcs that nothing reaches, or that do not lead to the output, are dropped.
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
  const leaving = leavingArcs(graph, leadingToSink(graph, arcs, order));
  const arrived = new Float64Array(graph.nodeCount);
  arrived[graph.source] = amount;
  const balanced: Arc[] = [];
  for (const node of order) {
    const leads = leaving[node] ?? [];
    let total = 0;
    for (const { amountIn } of leads) total += amountIn;
    const balance = arrived[node] as number;
    if (!(balance > 0) || !(total > 0)) continue;
    for (const arc of leads) {
      const amountIn = balance * (arc.amountIn / total);
      const amountOut = edgeOutput(graph, arc.edge, amountIn);
      arrived[arc.to] = (arrived[arc.to] as number) + amountOut;
      balanced.push({ ...arc, amountIn, amountOut });
    }
  }
  return balanced;
}

function balanceBackward(graph: SearchGraph, arcs: readonly Arc[], order: readonly number[], amount: number) {
  const coming = comingArcs(graph, comingFromSource(graph, arcs, order));
  const wanted = new Float64Array(graph.nodeCount);
  wanted[graph.sink] = amount;
  const balanced: Arc[] = [];
  for (const node of order.toReversed()) {
    const leads = coming[node] ?? [];
    let total = 0;
    for (const { amountOut } of leads) total += amountOut;
    const balance = wanted[node] as number;
    if (!(balance > 0) || !(total > 0)) continue;
    for (const arc of leads) {
      const amountOut = balance * (arc.amountOut / total);
      const amountIn = edgeInput(graph, arc.edge, amountOut);
      wanted[arc.from] = (wanted[arc.from] as number) + amountIn;
      balanced.push({ ...arc, amountIn, amountOut });
    }
  }
  return balanced.reverse();
}

function leadingToSink(graph: SearchGraph, arcs: readonly Arc[], order: readonly number[]): Arc[] {
  const reaches = new Uint8Array(graph.nodeCount);
  reaches[graph.sink] = 1;
  const leaving = leavingArcs(graph, arcs);
  for (const node of order.toReversed())
    if (leaving[node]?.some((arc) => reaches[arc.to] === 1) === true) reaches[node] = 1;
  return arcs.filter((arc) => reaches[arc.to] === 1);
}

function comingFromSource(graph: SearchGraph, arcs: readonly Arc[], order: readonly number[]): Arc[] {
  const reached = new Uint8Array(graph.nodeCount);
  reached[graph.source] = 1;
  const coming = comingArcs(graph, arcs);
  for (const node of order)
    if (coming[node]?.some((arc) => reached[arc.from] === 1) === true) reached[node] = 1;
  return arcs.filter((arc) => reached[arc.from] === 1);
}
