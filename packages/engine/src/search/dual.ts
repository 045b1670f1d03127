import { createMove, type Curve, moveDown, moveUp } from '../curves/curve.ts';
import { createSystem, type LinkedSystem, solveLinked } from './laplacian.ts';
import { curveOf } from './poolCurve.ts';
import type { SearchGraph } from './graph.ts';

// The dual of optimal routing, at any prices nu of the nodes, with the price of the token that is not given
// exactly 1. The function g(nu) = nu . injected + sum of the edges' profits at nu bounds what any route
// gives. For EXACT_OUT, -g bounds the cost from below. The minimum of g equals the best route's value.
// Sources: Angeris, Chitra, Evans, Boyd (arXiv 2204.05238); Diamandis, Resnick, Chitra, Angeris (arXiv
// 2302.04938).

/** A point of the search: prices, and what the edges answer to them. Columns are written in place. */
export type DualPoint = {
  /** Square root of each node's price in the grounded token. */
  readonly rootPrice: Float64Array;
  /** Net flow into each node times its price. */
  readonly excess: Float64Array;
  /** g at these prices. */
  value: number;
  /** Sum of the magnitudes added up in `value`: what its rounding errors scale with. */
  magnitude: number;
  /** Edges that trade at these prices, or stand at the edge of trading. */
  activeCount: number;
  readonly activeEdge: Int32Array;
  /** Input with fee, output, and slope of the traded value over the log of the price. */
  readonly activeIn: Float64Array;
  readonly activeOut: Float64Array;
  readonly activeSlope: Float64Array;
  /** Initialised ticks that the trade crosses. */
  readonly activeCrossed: Int32Array;
};

/**
 * How near to the edge of its fee band a pool counts as movable. It is a few units in the last place, because
 * ties between prices are only that exact. With a wider edge, searches would approach deep pools in tiny
 * steps.
 */
const EDGE = 1 + 1e-15;

/** Written anew by every walk. */
const move = createMove();

/** An empty point over a graph, to be filled by `evaluate`. */
export function createPoint({ nodeCount, edgeCount }: GraphSize): DualPoint {
  return {
    rootPrice: new Float64Array(nodeCount),
    excess: new Float64Array(nodeCount),
    value: Number.NaN,
    magnitude: 0,
    activeCount: 0,
    activeEdge: new Int32Array(edgeCount),
    activeIn: new Float64Array(edgeCount),
    activeOut: new Float64Array(edgeCount),
    activeSlope: new Float64Array(edgeCount),
    activeCrossed: new Int32Array(edgeCount),
  };
}

/** Answers a point's prices: every edge's best response to an amount, the net flows and the dual value. */
export function evaluate(graph: SearchGraph, amount: number, point: DualPoint): void {
  const { edgeCount, poolCount, from, to, price, keptRoot, liquidity, limit } = graph;
  const { rootPrice } = point;
  begin(graph, amount, point);
  for (let edge = 0; edge < edgeCount; edge += 1) {
    const ratio = (rootPrice[from[edge] as number] as number) / (rootPrice[to[edge] as number] as number);
    const start = price[edge] as number;
    const kept = keptRoot[edge] as number;
    if (!(start * kept * EDGE > ratio)) continue;
    const target = ratio / kept;
    const end = target < start ? target : start;
    if (end < (limit[edge] as number)) {
      walk(graph, point, edge, end);
      continue;
    }
    const depth = (liquidity[edge] as number) * (edge < poolCount ? 1 : amount);
    const out = depth * (start - end);
    record(graph, point, edge, out / (start * end * kept * kept), out, depth * end, 0);
  }
}

function begin({ nodeCount, tradeType, source, sink }: SearchGraph, amount: number, point: DualPoint): void {
  point.excess.fill(0, 0, nodeCount);
  const given = tradeType === 'EXACT_IN' ? source : sink;
  const injected = (tradeType === 'EXACT_IN' ? amount : -amount) * (point.rootPrice[given] as number) ** 2;
  point.excess[given] = injected;
  point.value = injected;
  point.magnitude = Math.abs(injected);
  point.activeCount = 0;
}

/** Records the response of a V3 pool whose price leaves its current stretch. */
function walk(graph: SearchGraph, point: DualPoint, edge: number, end: number): void {
  const pool = graph.pools[edge];
  const curve = pool && curveOf(pool);
  const priceTo = (point.rootPrice[graph.to[edge] as number] as number) ** 2;
  if (curve === undefined || !(end > 0) || !Number.isFinite(priceTo)) return;
  const sellsFirst = graph.direction[edge] === 0;
  if (sellsFirst) moveDown(curve, end, move);
  else moveUp(curve, 1 / end, move);
  const [sold, bought] = sellsFirst ? [move.amount0, move.amount1] : [move.amount1, move.amount0];
  const crossed = Math.abs(move.stretch - curve.current);
  record(graph, point, edge, sold / curve.kept, bought, move.liquidity * end, crossed);
  point.magnitude += strainOf(curve, priceTo * (graph.price[edge] as number));
}

/**
 * How much rounding errors in the first stretch's bound can weigh once the price has crossed it: the worth of the
 * reserves behind it, scaled.
 */
function strainOf({ liquidity, current }: Curve, worth: number): number {
  return 4e-3 * (liquidity[current] as number) * worth;
}

function record(
  graph: SearchGraph,
  point: DualPoint,
  edge: number,
  amountIn: number,
  amountOut: number,
  depth: number,
  crossed: number,
): void {
  const { rootPrice, excess } = point;
  const [from, to] = [graph.from[edge] as number, graph.to[edge] as number];
  const priceTo = (rootPrice[to] as number) ** 2;
  const paid = (rootPrice[from] as number) ** 2 * amountIn;
  const got = priceTo * amountOut;
  const at = point.activeCount;
  point.activeCount = at + 1;
  point.activeEdge[at] = edge;
  point.activeIn[at] = amountIn;
  point.activeOut[at] = amountOut;
  point.activeSlope[at] = 0.5 * priceTo * depth;
  point.activeCrossed[at] = crossed;
  excess[from] = (excess[from] as number) - paid;
  excess[to] = (excess[to] as number) + got;
  point.value += got - paid;
  point.magnitude += got + paid;
}

/** Longest change of a log price in one step. */
const LONGEST_STEP = 2;
const MOST_STEPS = 60;
/** Predicted decrease, relative to the value, at which a point counts as the minimum. */
const TOLERANCE = 1e-12;
/** What may be out of balance, relative to the value, so that a flow is near enough to share amounts by. */
const IMBALANCE = 1e-8;
/** What rounding may add to a value between two points, relative to its magnitude. */
const NOISE = 4e-16;

type GraphSize = Pick<SearchGraph, 'nodeCount' | 'edgeCount'>;

/** Room for searches over graphs of at most this size. Its columns can be longer than a graph. */
type Scratch = GraphSize & {
  readonly point: DualPoint;
  readonly trial: DualPoint;
  readonly position: Int32Array;
  readonly nodes: Int32Array;
  /** Solved for the step of their log prices. */
  readonly system: LinkedSystem;
};

/**
 * Written anew by every search. Making its columns anew took a seventh of a quote. It grows to the
 * largest graph so far.
 */
let scratch = createScratch({ nodeCount: 0, edgeCount: 0 });

function scratchFor({ nodeCount, edgeCount }: GraphSize): Scratch {
  if (nodeCount > scratch.nodeCount || edgeCount > scratch.edgeCount)
    scratch = createScratch({
      nodeCount: Math.max(nodeCount, scratch.nodeCount),
      edgeCount: Math.max(edgeCount, scratch.edgeCount),
    });
  return scratch;
}

function createScratch(size: GraphSize): Scratch {
  const { nodeCount, edgeCount } = size;
  return {
    ...size,
    point: createPoint(size),
    trial: createPoint(size),
    position: new Int32Array(nodeCount),
    nodes: new Int32Array(nodeCount),
    system: createSystem(nodeCount, edgeCount),
  };
}

/** A search under way: the graph, the amount, and what it writes on the way. */
type Search = Pick<Scratch, 'position' | 'nodes' | 'system'> & {
  readonly graph: SearchGraph;
  readonly amount: number;
  /** Nodes that can move, counted at the last step. */
  size: number;
  readonly step: Float64Array;
};

/**
 * Minimises the dual of an exact amount from a start. Newton steps on the nodes that some edge moves. When
 * the whole step does not lower the value, it ends where the value is least along its line. Returns the last
 * point, whose value is a bound wherever the search stopped.
 */
export function minimiseDual(graph: SearchGraph, amount: number, start: Float64Array): DualPoint {
  const { position, nodes, system, ...points } = scratchFor(graph);
  let { point, trial } = points;
  const search: Search = { graph, amount, position, nodes, size: 0, system, step: system.right };
  point.rootPrice.set(start);
  evaluate(graph, amount, point);
  let settled = 0;
  for (let steps = 0; steps < MOST_STEPS; steps += 1) {
    newtonStep(search, point);
    const slope = slopeAlong(search, point);
    const optimal = slope <= TOLERANCE * Math.abs(point.value);
    if (optimal && (settled >= 3 || imbalance(graph, point) <= IMBALANCE * Math.abs(point.value))) break;
    if (optimal) settled += 1;
    if (!searchLine(search, point, trial, slope)) break;
    [point, trial] = [trial, point];
  }
  return kept(graph, point);
}

/** A copy of a point that the next search does not overwrite. */
function kept({ nodeCount }: SearchGraph, point: DualPoint): DualPoint {
  const { activeCount } = point;
  return {
    ...point,
    rootPrice: point.rootPrice.slice(0, nodeCount),
    excess: point.excess.slice(0, nodeCount),
    activeEdge: point.activeEdge.slice(0, activeCount),
    activeIn: point.activeIn.slice(0, activeCount),
    activeOut: point.activeOut.slice(0, activeCount),
    activeSlope: point.activeSlope.slice(0, activeCount),
    activeCrossed: point.activeCrossed.slice(0, activeCount),
  };
}

/** Positions of nodes that do not move: nodes without flow, and the node whose price is always 1. */
const OUTSIDE = -1;
const GROUNDED = -2;

/**
 * Numbers the nodes that can move. Those are nodes out of balance or with a flow, and those that a surplus
 * can reach over edges that are about to trade. Other nodes have such edges, too, but no flow reaches them.
 */
function findMovableNodes(search: Search, point: DualPoint): void {
  const { graph, position, nodes } = search;
  const selling = graph.tradeType === 'EXACT_IN';
  position.fill(OUTSIDE, 0, graph.nodeCount);
  position[selling ? graph.sink : graph.source] = GROUNDED;
  position[selling ? graph.source : graph.sink] = 0;
  nodes[0] = selling ? graph.source : graph.sink;
  search.size = 1;
  const least = TOLERANCE * 0.1 * Math.abs(point.value);
  for (let node = 0; node < graph.nodeCount; node += 1)
    if (position[node] === OUTSIDE && Math.abs(point.excess[node] as number) > least) number(search, node);
  while (growMovable(search, point));
}

function number(search: Search, node: number): void {
  search.position[node] = search.size;
  search.nodes[search.size] = node;
  search.size += 1;
}

function growMovable(search: Search, point: DualPoint): boolean {
  const { graph, position } = search;
  const selling = graph.tradeType === 'EXACT_IN';
  const before = search.size;
  for (let at = 0; at < point.activeCount; at += 1) {
    const edge = point.activeEdge[at] as number;
    const [from, to] = [graph.from[edge] as number, graph.to[edge] as number];
    const [fromAt, toAt] = [position[from] as number, position[to] as number];
    const flows = (point.activeIn[at] as number) > 0;
    if (fromAt !== OUTSIDE && toAt === OUTSIDE) {
      if (flows || (fromAt !== GROUNDED && selling)) number(search, to);
    } else if (toAt !== OUTSIDE && fromAt === OUTSIDE) {
      if (flows || (toAt !== GROUNDED && !selling)) number(search, from);
    }
  }
  return search.size > before;
}

/** Sets up and solves the Newton system of the nodes that can move. */
function newtonStep(search: Search, point: DualPoint): void {
  findMovableNodes(search, point);
  const { graph, position, nodes, step, size, system } = search;
  const { diagonal, linkA, linkB, weight } = system;
  diagonal.fill(0, 0, size);
  let links = 0;
  for (let at = 0; at < point.activeCount; at += 1) {
    const slope = point.activeSlope[at] as number;
    const edge = point.activeEdge[at] as number;
    const from = position[graph.from[edge] as number] as number;
    const to = position[graph.to[edge] as number] as number;
    if (from === OUTSIDE || to === OUTSIDE) continue;
    if (from >= 0) diagonal[from] = (diagonal[from] as number) + slope;
    if (to >= 0) diagonal[to] = (diagonal[to] as number) + slope;
    if (from < 0 || to < 0 || slope === 0) continue;
    linkA[links] = from;
    linkB[links] = to;
    weight[links] = slope;
    links += 1;
  }
  for (let row = 0; row < size; row += 1) {
    const excess = point.excess[nodes[row] as number] as number;
    step[row] = -excess;
    const entry = diagonal[row] as number;
    // Prices change by factors, so a surplus adds itself to the curvature; the rest keeps flat spots solvable.
    diagonal[row] = entry * (1 + 1e-12) + Math.max(excess, -1e-3 * excess) + Number.MIN_VALUE;
  }
  system.size = size;
  system.linkCount = links;
  solveLinked(system);
  let longest = 0;
  for (let row = 0; row < size; row += 1) longest = Math.max(longest, Math.abs(step[row] as number));
  const shrink = longest > LONGEST_STEP ? LONGEST_STEP / longest : 1;
  for (let row = 0; row < size; row += 1) step[row] = (step[row] as number) * shrink;
}

/** The sum of the imbalances at the nodes whose price can move, in the grounded token. */
function imbalance(graph: SearchGraph, { excess }: DualPoint): number {
  const grounded = graph.tradeType === 'EXACT_IN' ? graph.sink : graph.source;
  let sum = 0;
  for (let node = 0; node < graph.nodeCount; node += 1)
    if (node !== grounded) sum += Math.abs(excess[node] as number);
  return sum;
}

/** How fast the value falls along the step. */
function slopeAlong({ nodes, step, size }: Search, point: DualPoint): number {
  let slope = 0;
  for (let row = 0; row < size; row += 1)
    slope -= (step[row] as number) * (point.excess[nodes[row] as number] as number);
  return slope;
}

/**
 * Takes the whole step if that lowers the value enough. Otherwise finds the point along the step where the value is
 * least, which is where its slope changes sign. A deep pool that starts to trade on the way makes a kink
 * there. The next step sees that pool only from a point on the kink.
 */
function searchLine(search: Search, point: DualPoint, trial: DualPoint, slope: number): boolean {
  const noise = NOISE * point.magnitude;
  moveAlong(search, point, trial, 1);
  if (trial.value <= point.value - 1e-4 * slope + noise) return true;
  let [low, high, slopeLow, slopeHigh] = [0, 1, slope, slopeAlong(search, trial)];
  for (let tries = 0; tries < 40; tries += 1) {
    // Regula falsi while both ends are comparable, halves where a kink makes them differ wildly.
    const split = slopeLow / (slopeLow - slopeHigh);
    const share = tries % 2 === 0 && slopeHigh < 0 ? Math.min(0.95, Math.max(0.05, split)) : 0.5;
    const length = low + (high - low) * share;
    moveAlong(search, point, trial, length);
    const found = slopeAlong(search, trial);
    if (Math.abs(found) <= 0.3 * slope && trial.value < point.value + noise) return true;
    if (found > 0) [low, slopeLow] = [length, found];
    else [high, slopeHigh] = [length, found];
  }
  return trial.value < point.value;
}

/** Writes into `trial` the point a part of the step away. */
function moveAlong(search: Search, point: DualPoint, trial: DualPoint, length: number): void {
  const { graph, amount, nodes, step, size } = search;
  for (let node = 0; node < graph.nodeCount; node += 1)
    trial.rootPrice[node] = point.rootPrice[node] as number;
  for (let row = 0; row < size; row += 1) {
    const node = nodes[row] as number;
    // A factor that agrees with exp(step / 2) to second order, and never leaves the positive numbers.
    const quarter = (length * (step[row] as number)) / 4;
    trial.rootPrice[node] = ((trial.rootPrice[node] as number) * (1 + quarter)) / (1 - quarter);
  }
  evaluate(graph, amount, trial);
}
