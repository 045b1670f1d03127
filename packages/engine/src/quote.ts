import { bestPathQuote } from './bestPath.ts';
import { candidateGraph } from './search/candidateGraph.ts';
import { curveOf } from './search/curve.ts';
import { describeQuote, inToken } from './describeQuote.ts';
import { type Execution, executePaths, type PlannedPath } from './execution.ts';
import { nativeRate, type Rate } from './marginalPrice.ts';
import type { Market } from './market.ts';
import { boundOf, optimalityOf } from './search/optimality.ts';
import { createGraph, type SearchGraph } from './search/searchGraph.ts';
import { bestSinglePath } from './search/singlePath.ts';
import { searchSplit, type Split, type SplitSearch } from './search/splitSearch.ts';
import type { Address, Pool, Quote, QuoteRequest, QuoteResult } from './types.ts';

/** Gap to the bound, in Bps, from which a single path is looked for that might do better. */
const CLOSE_ENOUGH_BPS = 0.02;
/** Gap from which that is done exactly: amounts of a few units, and bounds that arbitrage puts out of reach. */
const EXACT_SEARCH_BPS = 1;

/**
 * Answers a request from the market as it is: the best split over paths net of gas, with amounts exact to the wei and
 * a bound that no route over the pools considered can pass. EXACT_IN compares outputs less gas, EXACT_OUT inputs plus
 * gas; an EXACT_OUT path keeps to one pool version. The answer depends on the market's pools and the request alone.
 * Expected outcomes are refusals, never errors.
 */
export function quote(market: Market, request: QuoteRequest): QuoteResult {
  const { amount, tokenIn, tokenOut, maxHops, maxSplits } = request;
  if (amount <= 0n || tokenIn === tokenOut || maxHops < 1) return bestPathQuote(market, request);
  const gasRate = gasRateOf(market, request);
  const graph = candidateGraph(market, request);
  const search = searchSplit(graph, Number(amount), {
    maxHops,
    maxSplits: Math.max(1, maxSplits),
    gasUnitCost: gasUnitCostOf(request, gasRate),
  });
  if (search === undefined || maxSplits <= 1) {
    const single = bestPathQuote(market, request);
    return single.ok ? { ok: true, quote: withProof(market, request, single.quote) } : single;
  }
  const best = bestExecution(graph, request, search, gasRate);
  const bound = boundOf(search.bound, request.tradeType);
  const gapBps = best === undefined ? Number.POSITIVE_INFINITY : gapOf(request, best, bound);
  if (gapBps > EXACT_SEARCH_BPS) {
    const single = bestPathQuote(market, request);
    if (best === undefined)
      return single.ok ? { ok: true, quote: withProof(market, request, single.quote) } : single;
    if (single.ok && netOf(request, quoteTotals(single.quote), gasRate) > netOf(request, best, gasRate))
      return { ok: true, quote: withProof(market, request, single.quote) };
  }
  if (best === undefined) return { ok: false, refusal: { reason: 'INSUFFICIENT_LIQUIDITY' } };
  const returned = request.tradeType === 'EXACT_IN' ? best.received : best.amountIn;
  const proof = bound === undefined ? undefined : optimalityOf(bound, returned, request.tradeType);
  return { ok: true, quote: describeQuote(market, request, best, proof) };
}

/** Where gas has no price in the compared token, amounts alone decide. */
function gasRateOf(
  market: Market,
  { gasPrice, tradeType, tokenIn, tokenOut }: QuoteRequest,
): Rate | undefined {
  if (gasPrice.weiPerGas === 0n) return undefined;
  return nativeRate(market, gasPrice.wrappedNative, tradeType === 'EXACT_IN' ? tokenOut : tokenIn);
}

function gasUnitCostOf({ gasPrice }: QuoteRequest, rate: Rate | undefined): number {
  if (rate === undefined) return 0;
  const scaled = (gasPrice.weiPerGas * rate.numerator * 2n ** 64n) / rate.denominator;
  return Number(scaled) / 2 ** 64;
}

type Totals = Pick<Execution, 'amountIn' | 'received' | 'gasUnits'>;

/** What is compared: output less gas, or the negative of input plus gas. */
function netOf({ tradeType, gasPrice }: QuoteRequest, totals: Totals, rate: Rate | undefined): bigint {
  const gas = rate === undefined ? 0n : inToken(BigInt(totals.gasUnits) * gasPrice.weiPerGas, rate);
  return (tradeType === 'EXACT_IN' ? totals.received : -totals.amountIn) - gas;
}

function quoteTotals({ amountIn, amountOut, surplus, gas }: Quote): Totals {
  return { amountIn, received: amountOut + surplus, gasUnits: Number(gas.units) };
}

function gapOf({ tradeType }: QuoteRequest, execution: Execution, bound: bigint | undefined): number {
  if (bound === undefined) return Number.POSITIVE_INFINITY;
  const returned = tradeType === 'EXACT_IN' ? execution.received : execution.amountIn;
  return optimalityOf(bound, returned, tradeType).gapBps;
}

/** Executes what the search proposes and, unless that is proven as good, its widest and the best single path. */
function bestExecution(
  graph: SearchGraph,
  request: QuoteRequest,
  search: SplitSearch,
  gasRate: Rate | undefined,
): Execution | undefined {
  let best: Execution | undefined;
  const offer = (planned: readonly PlannedPath[] | undefined): void => {
    const executed = planned && executeRepaired(request, planned);
    if (executed === undefined) return;
    if (best === undefined || netOf(request, executed, gasRate) > netOf(request, best, gasRate))
      best = executed;
  };
  for (const split of search.splits) offer(planSplit(graph, request, split));
  const bound = boundOf(search.bound, request.tradeType);
  const proven = best !== undefined && gapOf(request, best, bound) <= CLOSE_ENOUGH_BPS;
  if (proven && gasRate === undefined) return best;
  const single = bestSinglePath(graph, Number(request.amount), {
    maxHops: request.maxHops,
    gasUnitCost: gasUnitCostOf(request, gasRate),
    rootPrice: search.bound.rootPrice,
  });
  if (single !== undefined) offer([{ pools: single, amount: request.amount }]);
  return best;
}

/** Shares the exact amount among a split's paths in proportion to what the search sent along them. */
function planSplit(
  graph: SearchGraph,
  { amount, tradeType }: QuoteRequest,
  { paths }: Split,
): PlannedPath[] | undefined {
  const weights = paths.map((path) => (tradeType === 'EXACT_IN' ? path.amountIn : path.amountOut));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (!(total > 0) || !Number.isFinite(total)) return undefined;
  const planned: PlannedPath[] = [];
  let left: bigint = amount;
  for (const [index, { arcs }] of paths.entries()) {
    const share = BigInt(Math.floor(Number(amount) * ((weights[index] ?? 0) / total)));
    const given = share < left ? share : left;
    left -= given;
    if (given > 0n) planned.push({ pools: poolsOf(graph, arcs), amount: given });
  }
  const [first] = planned;
  if (first === undefined) return undefined;
  planned[0] = { ...first, amount: first.amount + left };
  return planned;
}

/** Executes a plan; a path that cannot take its part to the unit gives it up to the others. */
function executeRepaired(request: QuoteRequest, plan: readonly PlannedPath[]): Execution | undefined {
  let planned = plan;
  while (planned.length > 0) {
    const result = executePaths(request, planned);
    if (result.ok) return result.execution;
    const failed = planned[result.failedPath];
    const others = planned.filter((path) => path !== failed);
    const total = others.reduce((sum, { amount }) => sum + amount, 0n);
    if (failed === undefined || total === 0n) return undefined;
    let left = failed.amount;
    planned = others.map(({ pools, amount }, index) => {
      const share = index === others.length - 1 ? left : (failed.amount * amount) / total;
      left -= share;
      return { pools, amount: amount + share };
    });
  }
  return undefined;
}

function poolsOf(graph: SearchGraph, arcs: readonly { readonly pool: number }[]): Pool[] {
  return arcs.flatMap(({ pool }) => graph.curves[pool]?.pool ?? []);
}

/** A single-path quote with the bound of the candidate pools and its own. */
function withProof(market: Market, request: QuoteRequest, single: Quote): Quote {
  const graph = candidateGraph(market, request);
  const known = new Set<Address>(graph.curves.map(({ pool }) => pool.address));
  const extra = single.legs.flatMap(({ pool }) => (known.has(pool.address) ? [] : (curveOf(pool) ?? [])));
  const whole = extra.length === 0 ? graph : createGraph([...graph.curves, ...extra], request);
  const search = searchSplit(whole, Number(request.amount), {
    maxHops: request.maxHops,
    maxSplits: 1,
    gasUnitCost: 0,
  });
  const bound = search && boundOf(search.bound, request.tradeType);
  if (bound === undefined) return single;
  const returned = request.tradeType === 'EXACT_IN' ? single.amountOut : single.amountIn;
  return { ...single, optimality: optimalityOf(bound, returned, request.tradeType) };
}
