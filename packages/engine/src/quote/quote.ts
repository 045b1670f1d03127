import type { Market } from '../market/market.ts';
import { candidateGraphs } from '../search/candidateGraph.ts';
import { closePassages } from '../search/closePassages.ts';
import { MOST_LAYERED_HOPS } from '../search/layeredCandidates.ts';
import { boundOf, optimalityOf } from '../search/optimality.ts';
import { bestSinglePath } from '../search/singlePath.ts';
import { searchLonger, searchShort, type SplitSearch } from '../search/splitSearch.ts';
import type { Hop, Quote, QuoteRequest, QuoteResult, Rate, TradeType } from '../types.ts';
import { bestPathQuote } from './bestPath.ts';
import { describeQuote, inToken } from './describeQuote.ts';
import type { Execution, PlannedPath } from './execution.ts';
import { nativeRate } from './nativeRate.ts';
import { executeRepaired, planSplit } from './planSplit.ts';

/** Gap to the bound, in Bps, from which a single path is looked for that might do better. */
const CLOSE_ENOUGH_BPS = 0.02;
/** Gap to the bound, in Bps, from which the price of gas is doubted. */
const DOUBTFUL_BPS = 50;
/** Amounts, in smallest units, below which rounding decides the price: then every path is also tried exactly. */
const COARSE = 1n << 20n;

/**
 * Answers a request from the market as it is: the best split over paths, net of gas. Amounts are exact to the
 * wei. A bound shows what no route over the considered pools can exceed. EXACT_IN compares outputs less gas,
 * EXACT_OUT inputs plus gas; an EXACT_OUT path uses pools of one version. The answer depends on the market's
 * pools and the request alone. Expected outcomes are refusals, never errors.
 *
 * @example
 * ```ts
 * import { type Amount, type Market, quote, toAddress } from '@fairway/engine';
 *
 * declare const market: Market;
 * const [weth, usdc] = [toAddress(`0x${'1'.repeat(40)}`), toAddress(`0x${'2'.repeat(40)}`)];
 *
 * const result = quote(market, {
 *   tokenIn: weth,
 *   tokenOut: usdc,
 *   tradeType: 'EXACT_IN',
 *   amount: (10n ** 18n) as Amount,
 *   maxHops: 3,
 *   maxSplits: 4,
 *   excludeSources: new Set(),
 *   gasPrice: { weiPerGas: 1_000_000_000n, wrappedNative: weth },
 *   venueGas: {
 *     ...{ swapUnits: 50_000, tokenReturnUnits: 3400, nativeReturnUnits: 1700 },
 *     ...{ checkUnits: 9500, uncheckedKinds: new Set(['UNISWAP_V2']) },
 *   },
 * });
 * if (result.ok) console.log(result.quote.amountOut, result.quote.legs.length);
 * else console.log(result.refusal.reason);
 * ```
 */
export function quote(market: Market, request: QuoteRequest): QuoteResult {
  const { amount, tokenIn, tokenOut, maxHops } = request;
  if (amount <= 0n || tokenIn === tokenOut || maxHops < 1) return bestPathQuote(market, request);
  const terms = termsOf(market, request);
  const { best, bounds } = bestOfBoth(market, request, terms);
  if (best !== undefined && !isCoarse(best))
    return { ok: true, quote: proven(describeQuote(market, request, best), bounds) };
  const single = bestPathQuote(market, request);
  if (best === undefined) return single.ok ? { ok: true, quote: proven(single.quote, bounds) } : single;
  const split = describeQuote(market, request, best);
  const chosen = single.ok && terms.net(totalsOf(single.quote)) > terms.net(best) ? single.quote : split;
  return { ok: true, quote: proven(chosen, bounds) };
}

/** What the searches found, and the bounds that they prove, the tightest first. */
type Found = { readonly best: Execution | undefined; readonly bounds: readonly bigint[] };

/**
 * The best split, searched a second time if needed. Gas that looks too expensive makes a search leave out
 * what would pay, and the gap of its own certificate shows that. When gas is much cheaper by the price of the
 * trade's other token, the search is done again without gas. The answers are compared at that price.
 */
function bestOfBoth(market: Market, request: QuoteRequest, terms: Terms): Found {
  const found = bestSplit(market, request, terms);
  const { best, bounds } = found;
  if (terms.rate === undefined || best === undefined) return found;
  const bound = boundThatHolds(bounds, best, request.tradeType);
  if (gapOf(request, best, bound) <= DOUBTFUL_BPS) return found;
  const rate = rateAcross(market, request, best);
  if (rate === undefined || isLessThanTwice(terms.rate, rate)) return found;
  const again = bestSplit(market, request, pricedAt(undefined, request));
  return { best: better(best, again.best, pricedAt(rate, request)), bounds };
}

function isLessThanTwice(a: Rate, b: Rate): boolean {
  return a.numerator * b.denominator < 2n * b.numerator * a.denominator;
}

/** What a wei is worth in the compared token by way of the trade's other token, at the price of a quote. */
function rateAcross(
  market: Market,
  { gasPrice, tradeType, tokenIn, tokenOut }: QuoteRequest,
  { amountIn, received }: Execution,
): Rate | undefined {
  const selling = tradeType === 'EXACT_IN';
  const other = nativeRate(market, gasPrice.wrappedNative, selling ? tokenIn : tokenOut);
  const [numerator, denominator] = selling ? [received, amountIn] : [amountIn, received];
  return other && { numerator: other.numerator * numerator, denominator: other.denominator * denominator };
}

/**
 * Searches routes of at most three hops, whose flows cannot run in circles, and then longer routes where the request
 * allows them. If the best flow over longer routes runs in circles, because the market holds arbitrage, the results
 * of both searches are executed.
 */
function bestSplit(market: Market, request: QuoteRequest, terms: Terms): Found {
  const amount = Number(request.amount);
  const { maxHops } = request;
  const graphs = candidateGraphs(market, request);
  if (graphs === undefined) return { best: undefined, bounds: [] };
  const limits = { maxHops, maxSplits: Math.max(1, request.maxSplits), gasUnitCost: terms.gasUnitCost };
  const short = searchShort(graphs, amount, limits);
  const isLimited = maxHops <= MOST_LAYERED_HOPS || short === undefined;
  const longer = isLimited ? undefined : searchLonger(graphs, amount, limits, short);
  let best: Execution | undefined;
  const bounds: bigint[] = [];
  for (const search of longer === undefined || longer.hadCircles ? [short, longer] : [longer]) {
    if (search === undefined) continue;
    const bound = boundOf(closePassages(search.graph, amount, search.bound), request.tradeType);
    if (bound !== undefined) bounds.push(bound);
    if (request.maxSplits > 1) best = better(best, bestExecution(request, search, bound, terms), terms);
  }
  return { best, bounds };
}

/** How routes are compared, and what a unit of gas costs in the token compared. */
type Terms = {
  /** What a wei is worth in the token compared; undefined where gas is free or has no price. */
  readonly rate: Rate | undefined;
  readonly gasUnitCost: number;
  /** Output less gas, or the negative of input plus gas. Where gas has no price in the token, amounts alone decide. */
  net(totals: Totals): bigint;
};

type Totals = Pick<Execution, 'amountIn' | 'received' | 'gasUnits'>;

function termsOf(market: Market, request: QuoteRequest): Terms {
  const { gasPrice, tradeType, tokenIn, tokenOut } = request;
  const compared = tradeType === 'EXACT_IN' ? tokenOut : tokenIn;
  const isFree = gasPrice.weiPerGas === 0n;
  return pricedAt(isFree ? undefined : nativeRate(market, gasPrice.wrappedNative, compared), request);
}

/** Terms with gas at a rate; without one, gas is free. */
function pricedAt(rate: Rate | undefined, { gasPrice, tradeType }: QuoteRequest): Terms {
  return {
    rate,
    gasUnitCost: rate === undefined ? 0 : unitCost(gasPrice.weiPerGas, rate),
    net({ amountIn, received, gasUnits }) {
      const gas = rate === undefined ? 0n : inToken(BigInt(gasUnits) * gasPrice.weiPerGas, rate);
      return (tradeType === 'EXACT_IN' ? received : -amountIn) - gas;
    },
  };
}

function unitCost(weiPerGas: bigint, { numerator, denominator }: Rate): number {
  return Number((weiPerGas * numerator * 2n ** 64n) / denominator) / 2 ** 64;
}

/** Whether some pool trades so few units that rounding decides which path is best. */
function isCoarse({ paths }: Execution): boolean {
  return paths.some(({ legs }) =>
    legs.some(({ amountIn, amountOut }) => amountIn < COARSE || amountOut < COARSE),
  );
}

function totalsOf({ amountIn, amountOut, surplus, gas }: Quote): Totals {
  return { amountIn, received: amountOut + surplus, gasUnits: Number(gas.units) };
}

function gapOf({ tradeType }: QuoteRequest, execution: Execution, bound: bigint | undefined): number {
  if (bound === undefined) return Number.POSITIVE_INFINITY;
  const returned = tradeType === 'EXACT_IN' ? execution.received : execution.amountIn;
  return optimalityOf(bound, returned, tradeType).gapBps;
}

function better(a: Execution | undefined, b: Execution | undefined, terms: Terms): Execution | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return terms.net(b) > terms.net(a) ? b : a;
}

/** Executes what the search proposes and, unless that is proven as good, the best single path. */
function bestExecution(
  request: QuoteRequest,
  search: SplitSearch,
  bound: bigint | undefined,
  terms: Terms,
): Execution | undefined {
  const { graph, splits } = search;
  let best: Execution | undefined;
  const offer = (planned: readonly PlannedPath[] | undefined): void => {
    best = better(best, planned && executeRepaired(request, planned), terms);
  };
  for (const split of splits) offer(planSplit(request, split));
  if (best !== undefined && terms.rate === undefined && gapOf(request, best, bound) <= CLOSE_ENOUGH_BPS)
    return best;
  const { maxHops } = request;
  const singleAt = (gasUnitCost: number): readonly Hop[] | undefined =>
    bestSinglePath(graph, Number(request.amount), {
      maxHops,
      gasUnitCost,
      rootPrice: search.bound.rootPrice,
    });
  // Where gas costs more than the trade brings, no path is left net of it.
  const single = singleAt(terms.gasUnitCost) ?? (terms.gasUnitCost > 0 ? singleAt(0) : undefined);
  if (single !== undefined) offer([{ hops: single, amount: request.amount }]);
  return best;
}

/** A quote with its certificate. */
function proven(found: Quote, bounds: readonly bigint[]): Quote {
  const { tradeType, amountIn, amountOut, surplus } = found;
  const totals = { amountIn, received: amountOut + surplus };
  const bound = boundThatHolds(bounds, totals, tradeType);
  const returned = tradeType === 'EXACT_IN' ? totals.received : amountIn;
  return bound === undefined ? found : { ...found, optimality: optimalityOf(bound, returned, tradeType) };
}

/** The first bound that an answer itself does not exceed. */
function boundThatHolds(
  bounds: readonly bigint[],
  { amountIn, received }: Pick<Execution, 'amountIn' | 'received'>,
  tradeType: TradeType,
): bigint | undefined {
  return bounds.find((bound) => (tradeType === 'EXACT_IN' ? received <= bound : amountIn >= bound));
}
