import { edgeInput, edgeOutput } from './edgeSwap.ts';
import type { PathFlow } from './pathFlow.ts';
import type { SearchGraph } from './graph.ts';

/** Parts an amount is handed out in. */
const PARTS = 128;

/** What has passed each pool so far: input and output. */
type Passed = { in: number; out: number };

/**
 * Shares an amount among given paths part by part. Each part goes to the path that does best with it, given what all
 * paths already carry; at most `maxSplits` paths are used. This is for flows that do not fit the limits as they are.
 * Undefined where the paths cannot take the amount.
 */
export function sharePaths(
  graph: SearchGraph,
  paths: readonly PathFlow[],
  amount: number,
  maxSplits: number,
): PathFlow[] | undefined {
  const passed = new Map<number, Passed>();
  const carried = new Map<PathFlow, { in: number; out: number }>();
  const part = amount / PARTS;
  for (let count = 0; count < PARTS; count += 1) {
    const open = carried.size < maxSplits ? paths : paths.filter((path) => carried.has(path));
    let best: { path: PathFlow; slice: Passed[]; worth: number } | undefined;
    for (const path of open) {
      const slice = sliceOf(graph, path, passed, part);
      const worth = graph.tradeType === 'EXACT_IN' ? (slice.at(-1)?.out ?? 0) : -(slice[0]?.in ?? 0);
      if (!Number.isFinite(worth) || worth === 0) continue;
      if (best === undefined || worth > best.worth) best = { path, slice, worth };
    }
    if (best === undefined) return undefined;
    for (const [index, { edge }] of best.path.arcs.entries()) {
      const [before, added] = [passed.get(edge) ?? { in: 0, out: 0 }, best.slice[index]];
      if (added !== undefined) passed.set(edge, { in: before.in + added.in, out: before.out + added.out });
    }
    const so = carried.get(best.path) ?? { in: 0, out: 0 };
    carried.set(best.path, {
      in: so.in + (best.slice[0]?.in ?? 0),
      out: so.out + (best.slice.at(-1)?.out ?? 0),
    });
  }
  return [...carried].map(([path, total]) => ({
    ...path,
    amountIn: total.in,
    amountOut: total.out,
    gain: path.gain * Math.min(1, total.in / path.amountIn),
  }));
}

/** What one more part through a path moves at each of its pools; infinite or empty where a pool has no more to pay. */
function sliceOf(
  graph: SearchGraph,
  { arcs }: PathFlow,
  passed: ReadonlyMap<number, Passed>,
  part: number,
): Passed[] {
  const selling = graph.tradeType === 'EXACT_IN';
  const slice: Passed[] = [];
  let amount = part;
  for (const { edge } of selling ? arcs : arcs.toReversed()) {
    const before = passed.get(edge) ?? { in: 0, out: 0 };
    if (selling) {
      const out = edgeOutput(graph, edge, before.in + amount) - before.out;
      // Beyond a pool's depth its output stops growing: such a part would not be taken.
      if (!(edgeInput(graph, edge, before.out + out) >= (before.in + amount) * (1 - 1e-9))) return [];
      slice.push({ in: amount, out });
      amount = out;
    } else {
      const needed = edgeInput(graph, edge, before.out + amount) - before.in;
      slice.unshift({ in: needed, out: amount });
      amount = needed;
    }
  }
  return slice;
}
