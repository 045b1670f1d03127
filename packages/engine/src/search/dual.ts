import { solveCholesky } from './cholesky.ts';
import { type Curve, type Move, moveDown, moveUp } from './curve.ts';
import { SELL_0, SELL_1, type SearchGraph } from './searchGraph.ts';

// The dual of optimal routing: at any prices nu of the tokens, with the price of the token that is not given exactly 1,
//   g(nu) = nu . injected + sum of the pools' profits at nu
// bounds what any route gives (EXACT_OUT: -g bounds the cost from below), and its minimum meets the best route.
// Sources: Angeris, Chitra, Evans, Boyd (arXiv 2204.05238); Diamandis, Resnick, Chitra, Angeris (arXiv 2302.04938).

/** A problem to solve: a graph, the directions usable in it (a subset of the graph's), and the exact amount. */
export type Problem = {
  readonly graph: SearchGraph;
  readonly allowed: Uint8Array;
  /** Exact input for EXACT_IN, exact output for EXACT_OUT. */
  readonly amount: number;
};

/** A point of the search: prices, and what the pools answer to them. Columns are written in place. */
export type DualPoint = {
  /** Square root of each node's price in the grounded token; 0 or infinite where a node is out of reach. */
  readonly rootPrice: Float64Array;
  /** Net flow into each node times its price. */
  readonly excess: Float64Array;
  /** g at these prices. */
  value: number;
  /** Sum of the magnitudes added up in `value`: what its rounding errors scale with. */
  magnitude: number;
  /** Pools that trade at these prices, or stand at the edge of trading. */
  activeCount: number;
  readonly activePool: Int32Array;
  /** Nodes sold and bought. */
  readonly activeFrom: Int32Array;
  readonly activeTo: Int32Array;
  /** Input with fee, output, and slope of the traded value over the log of the price. */
  readonly activeIn: Float64Array;
  readonly activeOut: Float64Array;
  readonly activeSlope: Float64Array;
  /** Initialised ticks that the trade crosses. */
  readonly activeCrossed: Int32Array;
};

/** How near to the edge of its fee band a pool counts as movable: a few units in the last place, which ties between prices leave open. A wider edge would make searches crawl towards deep pools. */
const EDGE = 1 + 1e-15;

const move: Move = { amount0: 0, amount1: 0, liquidity: 0, stretch: 0 };

/** An empty point over a graph, to be filled by `evaluate`. */
export function createPoint({ nodeCount, curves }: SearchGraph): DualPoint {
  const count = curves.length;
  return {
    rootPrice: new Float64Array(nodeCount),
    excess: new Float64Array(nodeCount),
    value: Number.NaN,
    magnitude: 0,
    activeCount: 0,
    activePool: new Int32Array(count),
    activeFrom: new Int32Array(count),
    activeTo: new Int32Array(count),
    activeIn: new Float64Array(count),
    activeOut: new Float64Array(count),
    activeSlope: new Float64Array(count),
    activeCrossed: new Int32Array(count),
  };
}

/** Answers a point's prices: every pool's best response, the net flows and the dual value. */
export function evaluate(problem: Problem, point: DualPoint): void {
  beginEvaluation(problem, point);
  for (let pool = 0; pool < problem.allowed.length; pool += 1) respond(problem, point, pool);
}

/** The same of some pools alone: a node's net flow is right where they are all of its pools. */
export function evaluatePools(problem: Problem, point: DualPoint, pools: readonly number[]): void {
  beginEvaluation(problem, point);
  for (const pool of pools) respond(problem, point, pool);
}

function beginEvaluation({ graph, amount }: Problem, point: DualPoint): void {
  const { tradeType, source, sink } = graph;
  const { rootPrice, excess } = point;
  excess.fill(0);
  const given = tradeType === 'EXACT_IN' ? source : sink;
  const injected = (tradeType === 'EXACT_IN' ? amount : -amount) * (rootPrice[given] as number) ** 2;
  excess[given] = injected;
  point.value = injected;
  point.magnitude = Math.abs(injected);
  point.activeCount = 0;
}

function respond({ graph, allowed }: Problem, point: DualPoint, pool: number): void {
  const directions = allowed[pool] as number;
  if (directions === 0) return;
  const { rootPrice } = point;
  const root0 = rootPrice[graph.node0[pool] as number] as number;
  const ratio = root0 / (rootPrice[graph.node1[pool] as number] as number);
  const price = graph.sqrtPrice[pool] as number;
  const kept = graph.keptRoot[pool] as number;
  if ((directions & SELL_0) !== 0 && price * kept * EDGE > ratio) respond0(graph, point, pool, ratio / kept);
  else if ((directions & SELL_1) !== 0 && ratio * kept * EDGE > price)
    respond1(graph, point, pool, ratio * kept);
}

function respond0(graph: SearchGraph, point: DualPoint, pool: number, target: number): void {
  const curve = graph.curves[pool];
  const [from, to] = [graph.node0[pool] as number, graph.node1[pool] as number];
  const priceTo = (point.rootPrice[to] as number) ** 2;
  if (curve === undefined || !(target > 0) || !Number.isFinite(priceTo)) return;
  const end = Math.min(target, curve.sqrtPrice);
  moveDown(curve, end, move);
  record(point, pool, from, to, {
    amountIn: move.amount0 / curve.kept,
    amountOut: move.amount1,
    slope: 0.5 * priceTo * move.liquidity * end,
    crossed: curve.current - move.stretch,
    strain: move.stretch === curve.current ? 0 : strainOf(curve, priceTo * curve.sqrtPrice),
  });
}

function respond1(graph: SearchGraph, point: DualPoint, pool: number, target: number): void {
  const curve = graph.curves[pool];
  const [from, to] = [graph.node1[pool] as number, graph.node0[pool] as number];
  const priceTo = (point.rootPrice[to] as number) ** 2;
  if (curve === undefined || !Number.isFinite(target) || !Number.isFinite(priceTo)) return;
  const end = Math.max(target, curve.sqrtPrice);
  moveUp(curve, end, move);
  record(point, pool, from, to, {
    amountIn: move.amount1 / curve.kept,
    amountOut: move.amount0,
    slope: (0.5 * priceTo * move.liquidity) / end,
    crossed: move.stretch - curve.current,
    strain: move.stretch === curve.current ? 0 : strainOf(curve, priceTo / curve.sqrtPrice),
  });
}

function strainOf({ liquidity, current }: Curve, worth: number): number {
  return 4e-3 * (liquidity[current] as number) * worth;
}

type Response = {
  readonly amountIn: number;
  readonly amountOut: number;
  readonly slope: number;
  readonly crossed: number;
  /** Worth of the reserves behind the first stretch, scaled, where its end was crossed: that bound's last digits weigh as much. */
  readonly strain: number;
};

function record(point: DualPoint, pool: number, from: number, to: number, response: Response): void {
  const { rootPrice, excess } = point;
  const paid = (rootPrice[from] as number) ** 2 * response.amountIn;
  const got = (rootPrice[to] as number) ** 2 * response.amountOut;
  const at = point.activeCount;
  point.activeCount = at + 1;
  point.activePool[at] = pool;
  point.activeFrom[at] = from;
  point.activeTo[at] = to;
  point.activeIn[at] = response.amountIn;
  point.activeOut[at] = response.amountOut;
  point.activeSlope[at] = response.slope;
  point.activeCrossed[at] = response.crossed;
  excess[from] = (excess[from] as number) - paid;
  excess[to] = (excess[to] as number) + got;
  point.value += got - paid;
  point.magnitude += got + paid + response.strain;
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

/** Scratch space of one graph's searches, reused from step to step. */
type Scratch = {
  readonly trial: DualPoint;
  readonly position: Int32Array;
  readonly nodes: Int32Array;
  readonly matrix: Float64Array;
  readonly step: Float64Array;
};

/**
 * Minimises the dual from a start. Newton steps on the tokens that some pool moves, each along a line until the value
 * is least along it where the whole step does not lower it. Returns the last point, whose value is a bound wherever
 * the search stopped.
 */
export function minimiseDual(problem: Problem, start: Float64Array): DualPoint {
  const { nodeCount } = problem.graph;
  let point = createPoint(problem.graph);
  const scratch: Scratch = {
    trial: createPoint(problem.graph),
    position: new Int32Array(nodeCount),
    nodes: new Int32Array(nodeCount),
    matrix: new Float64Array(nodeCount * nodeCount),
    step: new Float64Array(nodeCount),
  };
  point.rootPrice.set(start);
  evaluate(problem, point);
  let trial = scratch.trial;
  let settled = 0;
  for (let steps = 0; steps < MOST_STEPS; steps += 1) {
    const size = newtonStep(problem.graph, point, scratch);
    const slope = slopeAlong(point, scratch, size);
    const optimal = slope <= TOLERANCE * Math.abs(point.value);
    if (optimal && (settled >= 3 || imbalance(problem.graph, point) <= IMBALANCE * Math.abs(point.value)))
      break;
    if (optimal) settled += 1;
    if (!searchLine(problem, point, trial, scratch, size, slope)) break;
    [point, trial] = [trial, point];
  }
  return point;
}

/** Positions of nodes without one: those no flow passes, and the one whose price is 1. */
const OUTSIDE = -1;
const GROUNDED = -2;

/**
 * Numbers the nodes that can move: those out of balance or with a flow, and those a surplus can reach over pools that
 * stand at the edge of trading. Other nodes hang on such pools too, but nothing comes to them. Returns how many there are.
 */
function movableNodes(graph: SearchGraph, point: DualPoint, { position, nodes }: Scratch): number {
  const selling = graph.tradeType === 'EXACT_IN';
  const { activeFrom, activeTo, activeIn } = point;
  position.fill(OUTSIDE);
  position[selling ? graph.sink : graph.source] = GROUNDED;
  position[selling ? graph.source : graph.sink] = 0;
  nodes[0] = selling ? graph.source : graph.sink;
  let size = 1;
  const least = TOLERANCE * 0.1 * Math.abs(point.value);
  for (let node = 0; node < position.length; node += 1) {
    if (position[node] !== OUTSIDE || Math.abs(point.excess[node] as number) <= least) continue;
    position[node] = size;
    nodes[size] = node;
    size += 1;
  }
  for (let grown = true; grown; ) {
    grown = false;
    for (let at = 0; at < point.activeCount; at += 1) {
      const [from, to] = [activeFrom[at] as number, activeTo[at] as number];
      const flows = (activeIn[at] as number) > 0;
      for (const [near, far] of [
        [from, to],
        [to, from],
      ] as const) {
        if (position[far] !== OUTSIDE || (position[near] as number) === OUTSIDE) continue;
        if (!flows && (position[near] === GROUNDED || (near === from) !== selling)) continue;
        position[far] = size;
        nodes[size] = far;
        size += 1;
        grown = true;
      }
    }
  }
  return size;
}

/** Sets up and solves the Newton system of the nodes that can move; returns how many they are. */
function newtonStep(graph: SearchGraph, point: DualPoint, scratch: Scratch): number {
  const { position, nodes, matrix, step } = scratch;
  const size = movableNodes(graph, point, scratch);
  matrix.fill(0, 0, size * size);
  for (let at = 0; at < point.activeCount; at += 1) {
    const slope = point.activeSlope[at] as number;
    const from = position[point.activeFrom[at] as number] as number;
    const to = position[point.activeTo[at] as number] as number;
    if (from === OUTSIDE || to === OUTSIDE) continue;
    if (from >= 0) matrix[from * size + from] = (matrix[from * size + from] as number) + slope;
    if (to >= 0) matrix[to * size + to] = (matrix[to * size + to] as number) + slope;
    if (from < 0 || to < 0) continue;
    const entry = Math.max(from, to) * size + Math.min(from, to);
    matrix[entry] = (matrix[entry] as number) - slope;
  }
  for (let row = 0; row < size; row += 1) {
    const excess = point.excess[nodes[row] as number] as number;
    step[row] = -excess;
    const diagonal = matrix[row * size + row] as number;
    // Prices change by factors, so a surplus adds itself to the curvature; the rest keeps flat spots solvable.
    matrix[row * size + row] = diagonal * (1 + 1e-12) + Math.max(excess, -1e-3 * excess) + Number.MIN_VALUE;
  }
  solveCholesky(matrix, step, size);
  let longest = 0;
  for (let row = 0; row < size; row += 1) longest = Math.max(longest, Math.abs(step[row] as number));
  const shrink = longest > LONGEST_STEP ? LONGEST_STEP / longest : 1;
  for (let row = 0; row < size; row += 1) step[row] = (step[row] as number) * shrink;
  return size;
}

/** What does not add up at the nodes whose price is free, in the grounded token. */
function imbalance(graph: SearchGraph, { excess }: DualPoint): number {
  const grounded = graph.tradeType === 'EXACT_IN' ? graph.sink : graph.source;
  let sum = 0;
  for (let node = 0; node < excess.length; node += 1)
    if (node !== grounded) sum += Math.abs(excess[node] as number);
  return sum;
}

/** How fast the value falls along the step. */
function slopeAlong(point: DualPoint, { nodes, step }: Scratch, size: number): number {
  let slope = 0;
  for (let row = 0; row < size; row += 1)
    slope -= (step[row] as number) * (point.excess[nodes[row] as number] as number);
  return slope;
}

/**
 * Takes the whole step where that lowers the value enough. Otherwise goes to where the value is least along it, which
 * is found by where its slope changes sign: a deep pool that starts to trade on the way makes a kink there, and only
 * a point on the kink lets the next step see that pool.
 */
function searchLine(
  problem: Problem,
  point: DualPoint,
  trial: DualPoint,
  scratch: Scratch,
  size: number,
  slope: number,
): boolean {
  const noise = NOISE * point.magnitude;
  moveAlong(problem, point, trial, scratch, size, 1);
  if (trial.value <= point.value - 1e-4 * slope + noise) return true;
  let [low, high, slopeLow, slopeHigh] = [0, 1, slope, slopeAlong(trial, scratch, size)];
  for (let tries = 0; tries < 40; tries += 1) {
    // Regula falsi while both ends are comparable, halves where a kink makes them differ wildly.
    const split = slopeLow / (slopeLow - slopeHigh);
    const share = tries % 2 === 0 && slopeHigh < 0 ? Math.min(0.95, Math.max(0.05, split)) : 0.5;
    const length = low + (high - low) * share;
    moveAlong(problem, point, trial, scratch, size, length);
    const found = slopeAlong(trial, scratch, size);
    if (Math.abs(found) <= 0.3 * slope && trial.value < point.value + noise) return true;
    if (found > 0) [low, slopeLow] = [length, found];
    else [high, slopeHigh] = [length, found];
  }
  return trial.value < point.value;
}

/** Writes into `trial` the point a part of the step away. */
function moveAlong(
  problem: Problem,
  point: DualPoint,
  trial: DualPoint,
  { nodes, step }: Scratch,
  size: number,
  length: number,
): void {
  trial.rootPrice.set(point.rootPrice);
  for (let row = 0; row < size; row += 1) {
    const node = nodes[row] as number;
    // A factor that agrees with exp(step / 2) to second order, and never leaves the positive numbers.
    const quarter = (length * (step[row] as number)) / 4;
    trial.rootPrice[node] = ((trial.rootPrice[node] as number) * (1 + quarter)) / (1 - quarter);
  }
  evaluate(problem, trial);
}
