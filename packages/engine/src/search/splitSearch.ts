import { acyclicFlow, type AcyclicFlow } from './acyclic.ts';
import { type DualPoint, minimiseDual, type Problem } from './dual.ts';
import { balanceFlow } from './flow.ts';
import { hopGasUnits } from '../gas.ts';
import { marginalPrices } from './marginalStart.ts';
import { type PathFlow, takePaths } from './pathFlow.ts';
import { sharePaths } from './pathShares.ts';
import type { SearchGraph } from './searchGraph.ts';

/** What a split may cost and how far it may spread. */
export type SplitLimits = {
  readonly maxHops: number;
  readonly maxSplits: number;
  /** A unit of gas in the token that is compared: the output of EXACT_IN, the input of EXACT_OUT. 0 where gas is free. */
  readonly gasUnitCost: number;
};

/** A split the search proposes. Amounts are doubles: the exact ones come from executing it. */
export type Split = {
  readonly paths: readonly PathFlow[];
  /** What is compared: output less gas, or the negative of input plus gas. */
  readonly net: number;
};

/** What a search found: the point that bounds every route, and the splits worth executing, most promising first. */
export type SplitSearch = { readonly bound: DualPoint; readonly splits: readonly Split[] };

/** A split together with the problem it solves, from which smaller ones are derived. */
type Candidate = Split & { readonly flow: AcyclicFlow; readonly leftIn: number };

/**
 * Searches the best split of an exact amount over a graph. Undefined where no pools lead from source to sink or
 * the amount is beyond them.
 */
export function searchSplit(
  graph: SearchGraph,
  amount: number,
  limits: SplitLimits,
): SplitSearch | undefined {
  const problem: Problem = { graph, allowed: graph.allowed, amount };
  const start = marginalPrices(graph, graph.allowed);
  const far = start[graph.tradeType === 'EXACT_IN' ? graph.source : graph.sink] ?? 0;
  if (!(far > 0) || !Number.isFinite(far)) return undefined;
  const bound = minimiseDual(problem, start);
  if (!Number.isFinite(bound.value)) return undefined;
  const flow = acyclicFlow(problem, bound);
  const widest = flow && candidateOf(flow, limits);
  if (widest === undefined) return { bound, splits: [] };
  const fitted = fitLimits(widest, limits);
  const pruned = dropUnworthy(fitted, limits);
  return { bound, splits: pruned === fitted ? [fitted] : [pruned, fitted] };
}

function candidateOf(flow: AcyclicFlow, limits: SplitLimits): Candidate | undefined {
  const { graph, amount } = flow.problem;
  const arcs = balanceFlow(graph, flow.arcs, flow.order, amount);
  const taken = takePaths(graph, arcs, limits.maxHops);
  if (taken.paths.length === 0) return undefined;
  return { ...taken, flow, net: netOf(flow, taken.paths, limits) };
}

function netOf({ problem, point }: AcyclicFlow, paths: readonly PathFlow[], limits: SplitLimits): number {
  const { graph } = problem;
  const { rootPrice } = point;
  let net = 0;
  for (const path of paths) {
    net += graph.tradeType === 'EXACT_IN' ? path.amountOut : -path.amountIn;
    net -= costOf(graph, rootPrice, path, limits);
  }
  return net;
}

/** What a path costs whatever it carries: its gas, and the units that rounding takes at each of its pools. */
function costOf(
  graph: SearchGraph,
  rootPrice: Float64Array,
  { arcs }: PathFlow,
  limits: SplitLimits,
): number {
  let cost = 0;
  for (const { pool, from, to, crossed } of arcs) {
    const curve = graph.curves[pool];
    if (curve === undefined) continue;
    cost += hopGasUnits(curve.pool, crossed) * limits.gasUnitCost + (rootPrice[to] as number) ** 2;
    if (curve.pool.kind === 'UNISWAP_V3') cost += (rootPrice[from] as number) ** 2;
  }
  return cost;
}

/** The best flow over the arcs of some paths alone. */
function restrictedTo(candidate: Candidate, paths: readonly PathFlow[], limits: SplitLimits) {
  const { problem, point } = candidate.flow;
  const allowed = new Uint8Array(problem.allowed.length);
  for (const { arcs } of paths)
    for (const { pool, direction } of arcs) allowed[pool] = (allowed[pool] ?? 0) | (1 << direction);
  let removed = false;
  for (const { pool } of candidate.flow.arcs) removed ||= allowed[pool] === 0;
  if (!removed) return undefined;
  const restricted = { ...problem, allowed };
  const solved = minimiseDual(restricted, point.rootPrice);
  const flow = acyclicFlow(restricted, solved);
  return flow && candidateOf(flow, limits);
}

/** Drops the narrowest paths until the rest respects the limits; what cannot be solved again is shared out. */
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

/** The paths there are, with the whole amount shared among as many as may be used. */
function shared(candidate: Candidate, limits: SplitLimits): Candidate {
  const { graph, amount } = candidate.flow.problem;
  const ranked = candidate.paths.toSorted((a, b) => b.amountIn - a.amountIn);
  const paths = sharePaths(graph, ranked.slice(0, 3 * limits.maxSplits), amount, limits.maxSplits);
  if (paths === undefined)
    return { ...candidate, paths: ranked.slice(0, limits.maxSplits), net: Number.NEGATIVE_INFINITY };
  return { ...candidate, paths, leftIn: 0, net: netOf(candidate.flow, paths, limits) };
}

/**
 * Drops paths that are worth less than they cost: all of them at once, and where gas has a price the least worthy one
 * at a time, as long as the whole gains.
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
  const { problem, point } = flow;
  return paths
    .map((path) => ({
      path,
      worth: path.gain - costOf(problem.graph, point.rootPrice, path, limits),
    }))
    .sort((a, b) => b.worth - a.worth);
}
