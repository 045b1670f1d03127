import { edgeInput, edgeOutput } from './edgeSwap.ts';
import type { Arc } from './flow.ts';
import type { SearchGraph } from './graph.ts';

/** A path of a flow and what passes it when the paths are executed in their order. Amounts are doubles. */
export type PathFlow = {
  /** Its pools in order; passages between layers are left out. */
  readonly arcs: readonly Arc[];
  readonly amountIn: number;
  readonly amountOut: number;
  /** The path's part of what its arcs are worth. */
  readonly gain: number;
};

/** A flow as paths, and the part of its input that no path short enough could take. */
export type PathFlows = { readonly paths: readonly PathFlow[]; readonly leftIn: number };

/** What has been used of each arc while paths are taken out of a flow. */
type Remaining = { readonly arc: Arc; usedIn: number; usedOut: number; done: boolean };

/**
 * Takes a balanced acyclic flow apart into paths of at most `maxHops` pools, the widest first. Paths are
 * executed one after the other, so each takes the next slice of its pools' curves. Each uses up at least one
 * arc, so there are fewer paths than arcs.
 */
export function takePaths(graph: SearchGraph, arcs: readonly Arc[], maxHops: number): PathFlows {
  let remaining: Remaining[] = arcs.map((arc) => ({ arc, usedIn: 0, usedOut: 0, done: false }));
  const paths: PathFlow[] = [];
  for (;;) {
    const chosen = widestPath(graph, remaining, maxHops);
    if (chosen === undefined) break;
    const path = fillPath(graph, chosen);
    if (path !== undefined) paths.push(path);
    remaining = remaining.filter(({ done }) => !done);
  }
  let leftIn = 0;
  for (const { arc, usedIn } of remaining) if (arc.from === graph.source) leftIn += arc.amountIn - usedIn;
  return { paths, leftIn };
}

/** From the source it always takes the widest remaining arc from which the sink is near enough. */
function widestPath(graph: SearchGraph, remaining: readonly Remaining[], maxHops: number) {
  const distance = distancesToSink(graph, remaining, maxHops);
  const chosen: Remaining[] = [];
  let node: number = graph.source;
  let hopsLeft = maxHops;
  while (node !== graph.sink) {
    let best: Remaining | undefined;
    for (const each of remaining) {
      if (each.arc.from !== node) continue;
      if ((distance[each.arc.to] as number) + hopsOf(graph, each.arc) > hopsLeft) continue;
      if (best === undefined || leftOf(each) > leftOf(best)) best = each;
    }
    if (best === undefined) return undefined;
    chosen.push(best);
    hopsLeft -= hopsOf(graph, best.arc);
    node = best.arc.to;
  }
  return chosen;
}

function hopsOf(graph: SearchGraph, { edge }: Arc): number {
  return edge < graph.poolCount ? 1 : 0;
}

function leftOf({ arc, usedIn }: Remaining): number {
  return arc.amountIn - usedIn;
}

function distancesToSink(graph: SearchGraph, remaining: readonly Remaining[], maxHops: number): Float64Array {
  const distance = new Float64Array(graph.nodeCount).fill(Number.POSITIVE_INFINITY);
  distance[graph.sink] = 0;
  // A passage may follow each hop: hence twice as many rounds as hops.
  for (let round = 0; round < 2 * Math.min(maxHops, graph.nodeCount); round += 1) {
    let changed = false;
    for (const { arc } of remaining) {
      const through = (distance[arc.to] as number) + hopsOf(graph, arc);
      if (through >= (distance[arc.from] as number)) continue;
      distance[arc.from] = through;
      changed = true;
    }
    if (!changed) break;
  }
  return distance;
}

/** Sends through a path all that its narrowest arc has left, and marks that arc as done. */
function fillPath(graph: SearchGraph, chosen: readonly Remaining[]): PathFlow | undefined {
  const amounts: number[] = [];
  let narrowest = 0;
  let amount = Number.POSITIVE_INFINITY;
  for (const [index, each] of chosen.entries()) {
    const left = leftOf(each);
    if (left <= amount * (1 + 1e-9)) {
      narrowest = index;
      amount = Math.min(left, amount);
    }
    amounts.push(amount);
    amount = sliceOutput(graph, each, amount);
  }
  const end = amount;
  for (let index = narrowest - 1; index >= 0; index -= 1) {
    const each = chosen[index];
    if (each !== undefined) amounts[index] = sliceInput(graph, each, amounts[index + 1] ?? 0);
  }
  let gain = 0;
  for (const [index, each] of chosen.entries()) {
    const used = amounts[index] ?? 0;
    const out = amounts[index + 1] ?? end;
    each.usedIn += used;
    each.usedOut += out;
    gain += each.arc.gain * Math.min(1, used / each.arc.amountIn);
    if (leftOf(each) <= each.arc.amountIn * 1e-9) each.done = true;
  }
  const filled = chosen[narrowest];
  if (filled === undefined) return undefined;
  filled.done = true;
  const amountIn = amounts[0] ?? 0;
  if (!(amountIn > 0) || !(end > 0)) return undefined;
  const arcs = chosen.flatMap(({ arc }) => (graph.pools[arc.edge] === undefined ? [] : [arc]));
  return { arcs, amountIn, amountOut: end, gain };
}

function sliceOutput(graph: SearchGraph, { arc, usedIn, usedOut }: Remaining, amountIn: number): number {
  return Math.max(0, edgeOutput(graph, arc.edge, usedIn + amountIn) - usedOut);
}

function sliceInput(graph: SearchGraph, { arc, usedIn, usedOut }: Remaining, amountOut: number): number {
  return Math.min(
    arc.amountIn - usedIn,
    Math.max(0, edgeInput(graph, arc.edge, usedOut + amountOut) - usedIn),
  );
}
