import { kindOf } from '../pools/poolKinds.ts';
import { hopGasUnits } from '../pools/poolSwap.ts';
import { acyclicFlow, type AcyclicFlow } from './acyclic.ts';
import type { CandidateGraphs } from './candidateGraph.ts';
import { type DualPoint, minimiseDual } from './dual.ts';
import { balanceFlow } from './flow.ts';
import { type Solved, solveLonger } from './longerRoutes.ts';
import { type PathFlow, type PathFlows, takePaths } from './pathFlow.ts';
import { sharePaths } from './pathShares.ts';
import { type SearchGraph, subgraph } from './graph.ts';

/** What a split may cost and how far it may spread. */
export type SplitLimits = {
  readonly maxHops: number;
  readonly maxSplits: number;
  /** A unit of gas in the token that is compared: the output of EXACT_IN, the input of EXACT_OUT. 0 where gas is free. */
  readonly gasUnitCost: number;
};

/** A split the search proposes. Amounts are doubles: the exact ones come from executing it. */
export type Split = {
  /** The graph that the paths' edges belong to. */
  readonly graph: SearchGraph;
  readonly paths: readonly PathFlow[];
  /** What is compared: output less gas, or the negative of input plus gas. */
  readonly net: number;
};

/** What a search found: the point that bounds every route, and the splits to execute, the most promising first. */
export type SplitSearch = {
  /** The candidates that were enough. */
  readonly graph: SearchGraph;
  readonly bound: DualPoint;
  readonly splits: readonly Split[];
  /** Whether the best flow ran in circles, so that the bound is out of reach. */
  readonly hadCircles: boolean;
};

/** A split together with the flow it comes from, from which smaller ones are derived. */
type Candidate = Split & { readonly flow: AcyclicFlow; readonly leftIn: number };

/**
 * Searches the best split of an exact amount over routes of at most three hops. Undefined where the amount is beyond the
 * pools that lead from source to sink.
 */
export function searchShort(
  graphs: CandidateGraphs,
  amount: number,
  limits: SplitLimits,
): SplitSearch | undefined {
  const solved = solve(graphs, amount);
  return solved && splitsOf(solved, amount, limits);
}

/** Searches splits over longer routes, from what a search over short ones found. Undefined where that is no use. */
export function searchLonger(
  graphs: CandidateGraphs,
  amount: number,
  limits: SplitLimits,
  { graph, bound }: SplitSearch,
): SplitSearch | undefined {
  const solved = solveLonger(graphs, amount, { graph, point: bound });
  return solved && splitsOf(solved, amount, limits);
}

function splitsOf({ graph, point }: Solved, amount: number, limits: SplitLimits): SplitSearch {
  const flow = acyclicFlow(graph, amount, point);
  const found = { graph, bound: point, hadCircles: flow?.hadCircles ?? true };
  const widest = flow && candidateOf(thin(flow, limits), limits);
  if (widest === undefined) return { ...found, splits: [] };
  const fitted = fitLimits(widest, limits);
  const pruned = dropUnworthy(fitted, limits);
  return { ...found, splits: pruned === fitted ? [fitted] : [pruned, fitted] };
}

/**
 * Minimises the dual over the most efficient candidates, then over more of them. It stops when the last unit's
 * output, as a part of the first unit's output, exceeds the efficiency of every candidate left out. Those have no
 * use.
 */
function solve(graphs: CandidateGraphs, amount: number): Solved | undefined {
  for (let level = 0; ; level += 1) {
    const graph = graphs.graph(level);
    const point = minimiseDual(graph, amount, graph.start);
    if (!Number.isFinite(point.value)) return undefined;
    if (efficiencyAt(graph, point) >= graph.floor || level >= graphs.lastLevel) return { graph, point };
  }
}

/** What the last unit brings at a point, as a part of what the first would; EXACT_OUT: the inverse of costs. */
function efficiencyAt({ tradeType, source, sink, start }: SearchGraph, { rootPrice }: DualPoint): number {
  return tradeType === 'EXACT_IN'
    ? (rootPrice[source] as number) / (start[source] as number)
    : (start[sink] as number) / (rootPrice[sink] as number);
}

/** A path as narrow as this part of an even share is not looked for. */
const NARROW = 1 / 8;
/** An arc that carries less than this part of the whole can go when it gains less than its gas. */
const SLIGHT = 0.02;
const MOST_THINNINGS = 4;

/**
 * Solves again without arcs that no path within the limits would use. Those are arcs too narrow for the
 * number of paths, and slight arcs that gain less than their gas.
 */
function thin(whole: AcyclicFlow, limits: SplitLimits): AcyclicFlow {
  let flow = whole;
  for (let round = 0; round < MOST_THINNINGS; round += 1) {
    const { graph, amount, arcs, point } = flow;
    const value = Math.abs(point.value);
    const kept = arcs.filter(({ edge, to, amountOut, gain, crossed }) => {
      const pool = graph.pools[edge];
      if (pool === undefined) return false;
      const got = amountOut * (point.rootPrice[to] as number) ** 2;
      if (got < (NARROW / limits.maxSplits) * value) return false;
      return got >= SLIGHT * value || gain >= hopGasUnits(pool, crossed) * limits.gasUnitCost;
    });
    if (kept.length === arcs.filter(({ edge }) => edge < graph.poolCount).length) return flow;
    const edges = kept.map(({ edge }) => edge).sort((a, b) => a - b);
    for (let edge = graph.poolCount; edge < graph.edgeCount; edge += 1) edges.push(edge);
    const part = subgraph(graph, edges);
    const thinner = acyclicFlow(part, amount, minimiseDual(part, amount, point.rootPrice));
    if (thinner === undefined || !(Math.abs(thinner.point.value) > 0)) return flow;
    flow = thinner;
  }
  return flow;
}

/** How much gain and amount the paths that are left out may have together, as parts of the whole. */
const NOT_WORTH_A_PATH = { gain: 1e-7, amount: 1e-4 };

function candidateOf(flow: AcyclicFlow, limits: SplitLimits): Candidate | undefined {
  const { graph, amount, point } = flow;
  const arcs = balanceFlow(graph, flow.arcs, flow.order, amount);
  const taken = takePaths(graph, arcs, limits.maxHops);
  const paths = worthExecuting(taken, Math.abs(point.value));
  if (paths.length === 0) return undefined;
  return { paths, leftIn: taken.leftIn, graph, flow, net: netOf(flow, paths, limits) };
}

/** Leaves out the narrowest paths that together are next to nothing; what passed them is shared out among the others. */
function worthExecuting({ paths, leftIn }: PathFlows, value: number): readonly PathFlow[] {
  const ranked = paths.toSorted((a, b) => b.amountIn - a.amountIn);
  const whole = ranked.reduce((sum, { amountIn }) => sum + amountIn, leftIn);
  let [gain, amount] = [0, 0];
  while (ranked.length > 1) {
    gain += Math.max(0, ranked.at(-1)?.gain ?? 0);
    amount += ranked.at(-1)?.amountIn ?? 0;
    if (gain > NOT_WORTH_A_PATH.gain * value || amount > NOT_WORTH_A_PATH.amount * whole) break;
    ranked.pop();
  }
  const kept = new Set(ranked);
  return paths.filter((path) => kept.has(path));
}

function netOf({ graph, point }: AcyclicFlow, paths: readonly PathFlow[], limits: SplitLimits): number {
  const { rootPrice } = point;
  let net = 0;
  for (const path of paths) {
    net += graph.tradeType === 'EXACT_IN' ? path.amountOut : -path.amountIn;
    net -= costOf(graph, rootPrice, path, limits);
  }
  return net;
}

/**
 * The cost of a path that does not depend on its amount: its gas, and the units that rounding takes at each of its
 * pools.
 */
function costOf(
  graph: SearchGraph,
  rootPrice: Float64Array,
  { arcs }: PathFlow,
  limits: SplitLimits,
): number {
  let cost = 0;
  for (const { edge, from, to, crossed } of arcs) {
    const pool = graph.pools[edge];
    if (pool === undefined) continue;
    cost += hopGasUnits(pool, crossed) * limits.gasUnitCost + (rootPrice[to] as number) ** 2;
    if (kindOf(pool).roundsInput) cost += (rootPrice[from] as number) ** 2;
  }
  return cost;
}

/** The best flow over the arcs of some paths alone; undefined where the flow has no other arcs. */
function restrictedTo(candidate: Candidate, paths: readonly PathFlow[], limits: SplitLimits) {
  const { graph, amount, arcs, point } = candidate.flow;
  const used = new Set<number>();
  for (const path of paths) for (const { edge } of path.arcs) used.add(edge);
  if (arcs.every(({ edge }) => used.has(edge) || edge >= graph.poolCount)) return undefined;
  const edges: number[] = [];
  for (let edge = 0; edge < graph.edgeCount; edge += 1)
    if (used.has(edge) || edge >= graph.poolCount) edges.push(edge);
  const part = subgraph(graph, edges);
  const flow = acyclicFlow(part, amount, minimiseDual(part, amount, point.rootPrice));
  return flow && candidateOf(flow, limits);
}

/**
 * Drops the narrowest paths until the rest fits the limits; where solving again does not help, the amount is shared
 * among the paths.
 */
function fitLimits(widest: Candidate, limits: SplitLimits): Candidate {
  const fits = ({ paths, leftIn }: Candidate, total: number): boolean =>
    paths.length <= limits.maxSplits && leftIn <= 1e-9 * total;
  let candidate = widest;
  for (let rounds = 0; rounds < 12; rounds += 1) {
    if (fits(candidate, totalIn(candidate))) break;
    const excess = candidate.paths.length - limits.maxSplits;
    const ranked = candidate.paths.toSorted((a, b) => b.amountIn - a.amountIn);
    const kept = excess > 0 ? ranked.slice(0, ranked.length - Math.ceil(excess / 2)) : ranked;
    const next = restrictedTo(candidate, kept, limits);
    if (next === undefined) break;
    candidate = next;
  }
  if (candidate === widest && fits(widest, totalIn(widest))) return widest;
  const fromWidest = shared(widest, limits);
  const solved = fits(candidate, totalIn(candidate)) ? candidate : shared(candidate, limits);
  return solved.net >= fromWidest.net ? solved : fromWidest;
}

function totalIn({ paths, leftIn }: Candidate): number {
  return paths.reduce((sum, path) => sum + path.amountIn, leftIn);
}

/** The given paths, with the whole amount shared among as many of them as may be used. */
function shared(candidate: Candidate, limits: SplitLimits): Candidate {
  const { graph, amount } = candidate.flow;
  const ranked = candidate.paths.toSorted((a, b) => b.amountIn - a.amountIn);
  const paths = sharePaths(graph, ranked.slice(0, 3 * limits.maxSplits), amount, limits.maxSplits);
  if (paths === undefined)
    return { ...candidate, paths: ranked.slice(0, limits.maxSplits), net: Number.NEGATIVE_INFINITY };
  return { ...candidate, paths, leftIn: 0, net: netOf(candidate.flow, paths, limits) };
}

/**
 * Drops paths that are worth less than they cost, all of them at once. When gas has a price, it then drops
 * the least worthy path one at a time, as long as the total gains.
 */
function dropUnworthy(fitted: Candidate, limits: SplitLimits): Candidate {
  let best = fitted;
  for (let rounds = 0; rounds < MOST_DROPS && best.paths.length > 1; rounds += 1) {
    const ranked = rankByWorth(best, limits);
    const worthy = ranked.filter(({ worth }, index) => index === 0 || worth > 0);
    const attempts = worthy.length < ranked.length ? [worthy] : [];
    if (limits.gasUnitCost > 0 && worthy.length !== ranked.length - 1) attempts.push(ranked.slice(0, -1));
    const current = best;
    for (const attempt of attempts) {
      const paths = attempt.map(({ path }) => path);
      const next = restrictedTo(current, paths, limits);
      const fit = next && fitLimits(next, limits);
      if (fit === undefined || fit.net <= current.net) continue;
      best = fit;
      break;
    }
    if (best === current) return best;
  }
  return best;
}

const MOST_DROPS = 24;

function rankByWorth({ flow, paths }: Candidate, limits: SplitLimits) {
  const { graph, point } = flow;
  return paths
    .map((path) => ({
      path,
      worth: path.gain - costOf(graph, point.rootPrice, path, limits),
    }))
    .sort((a, b) => b.worth - a.worth);
}
