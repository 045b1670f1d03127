import type { Market } from '../market/market.ts';
import { type ExclusionReason, exclusionOf } from '../pools/exclusion.ts';
import { directionCount, directionOf, hopOf } from '../pools/direction.ts';
import { POOL_KIND_NAMES } from '../pools/poolKinds.ts';
import { poolAfter } from '../pools/poolSwap.ts';
import { marginalRate } from '../quote/marginalPrice.ts';
import { nativeRate } from '../quote/nativeRate.ts';
import { quote } from '../quote/quote.ts';
import { MAX_HOPS } from '../quote/router.ts';
import type { Address, Amount, Bps, Leg, Pool, Quote, QuoteRequest, QuoteResult, Rate } from '../types.ts';
import { consideredPools } from './consideredPools.ts';
import { type Detours, detoursOf, netOf, planOf } from './detour.ts';
import { canSell, rateAlong, waysThrough, type WayThrough } from './ways.ts';

/** Why a pool that was considered is not part of a quote. Amounts are of the output token for EXACT_IN, of the input token for EXACT_OUT. */
export type PoolRefusal =
  /** The request excludes its source, a token of it that is no end of the trade, or the pool itself. */
  | { readonly reason: ExclusionReason }
  /** It is empty, or its liquidity is all on the side that the trade would bring. */
  | { readonly reason: 'NO_LIQUIDITY' }
  /** No path of at most the request's hops leads over it. */
  | { readonly reason: 'BEYOND_HOPS' }
  /** EXACT_OUT: every path over it would mix pool versions, which the router cannot execute. */
  | { readonly reason: 'MIXES_VERSIONS' }
  /** There is no quote, because no route takes or gives the whole amount. */
  | { readonly reason: 'AMOUNT' }
  /**
   * The best path over the pool pays less for one more unit, fees taken off, than the worst path of the quote
   * after the swap. The difference is a part of that path's price, in Bps to hundredths.
   */
  | { readonly reason: 'PRICE'; readonly worseByBps: Bps }
  /** A path over it would gain less than its gas costs. */
  | { readonly reason: 'GAS'; readonly gain: Amount; readonly gasCost: Amount }
  /** It would gain, net of gas, if the request allowed one path more. */
  | { readonly reason: 'SPLITS'; readonly gain: Amount }
  /** It would gain, net of gas, and the search did not find it: the gap to the bound is at least this large. */
  | { readonly reason: 'NOT_FOUND'; readonly gain: Amount };

/** What the paths of a quote trade through one pool in one direction. */
export type UsedPool = {
  readonly verdict: 'USED';
  /** As the market has it, before the swap. */
  readonly pool: Pool;
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  readonly amountIn: Amount;
  readonly amountOut: Amount;
  /** The part of the quote's input whose paths pass the pool, to hundredths. */
  readonly shareBps: Bps;
  /** Marginal prices, fees aside: smallest units of `tokenOut` for one of `tokenIn`. */
  readonly priceBefore: Rate;
  readonly priceAfter: Rate;
};

/** A pool that was considered and not used. */
export type RefusedPool = {
  readonly verdict: 'REFUSED';
  readonly pool: Pool;
  readonly refusal: PoolRefusal;
};

/** A quote, and for each pool why it is used or not. */
export type Explanation = {
  readonly result: QuoteResult;
  /** Used pools in execution order. */
  readonly used: readonly UsedPool[];
  /** The pools nearest to being used come first: by reason, then by how much each one misses. */
  readonly refused: readonly RefusedPool[];
  /** Pools of the market that were not considered: they are on no path worth searching. */
  readonly notConsidered: number;
};

/** Gains below a thousandth of a Bps of the trade are taken for rounding errors of the search. */
const NEGLIGIBLE = 10_000_000n;

/**
 * Answers a request as `quote` does, and says for each pool considered whether it is used, at what prices, or why
 * not. The pools considered are those that the request's search looks at, also without the request's limits on
 * hops and what it excludes. The result depends on the market and the request alone. It takes some hundred times as
 * long as the quote.
 *
 * @example
 * ```ts
 * import { explainQuote, type Market, type QuoteRequest } from '@fairway/engine';
 *
 * declare const market: Market;
 * declare const request: QuoteRequest;
 *
 * const { used, refused } = explainQuote(market, request);
 * for (const { pool, refusal } of refused) console.log(pool.address, refusal.reason);
 * ```
 */
export function explainQuote(market: Market, request: QuoteRequest): Explanation {
  const result = quote(market, request);
  const used = result.ok ? usedPools(market, result.quote, request) : [];
  const passed = new Set(used.map(({ pool }) => pool.address));
  const others = poolsInView(market, request).filter(({ address }) => !passed.has(address));
  const judge = judgeOf(market, request, result, used, others);
  const refused = others.map((pool): RefusedPool => ({ verdict: 'REFUSED', pool, refusal: judge(pool) }));
  return {
    result,
    used,
    refused: refused.sort(byCloseness),
    notConsidered: market.poolCount - passed.size - others.length,
  };
}

/**
 * The pools that a search looks at, with and without limits on hops and exclusions. Also the pools of the two
 * tokens that can pay nothing.
 */
function poolsInView(market: Market, request: QuoteRequest): Pool[] {
  const { tokenIn, tokenOut } = request;
  const inView = new Map<Address, Pool>();
  const { excludeTokens: _, excludePools: __, ...rest } = request;
  const unlimited = { ...rest, maxHops: MAX_HOPS, excludeSources: new Set<string>() };
  for (const pool of consideredPools(market, unlimited)) inView.set(pool.address, pool);
  for (const pool of consideredPools(market, request)) inView.set(pool.address, pool);
  for (const pool of market.poolsOf(tokenIn)) {
    const direct = directionOf(pool, tokenIn, tokenOut);
    if (direct !== undefined && !canSell(pool, direct)) inView.set(pool.address, pool);
  }
  return [...inView.values()].sort((a, b) => (a.address < b.address ? -1 : 1));
}

function usedPools(market: Market, { paths, amountIn }: Quote, { tradeType }: QuoteRequest): UsedPool[] {
  const uses = new Map<string, { readonly legs: Leg[]; pathsIn: bigint }>();
  for (const path of paths)
    for (const leg of path.legs) {
      const key = leg.pool.address + leg.tokenIn;
      const use = uses.get(key) ?? { legs: [], pathsIn: 0n };
      use.legs.push(leg);
      use.pathsIn += path.amountIn;
      uses.set(key, use);
    }
  const whole: bigint = amountIn;
  return [...uses.values()].flatMap(({ legs, pathsIn }) => {
    const [first, last] = [legs[0], legs.at(-1)];
    if (first === undefined || last === undefined) return [];
    const { tokenIn, tokenOut } = first;
    const after = poolAfter(last, { ...last, tradeType });
    return {
      verdict: 'USED' as const,
      pool: market.get(first.pool.address) ?? first.pool,
      tokenIn,
      tokenOut,
      amountIn: sumOf(legs.map((leg) => leg.amountIn)),
      amountOut: sumOf(legs.map((leg) => leg.amountOut)),
      shareBps: (Number((2_000_000n * pathsIn + whole) / (2n * whole)) / 100) as Bps,
      priceBefore: marginalRate(first),
      priceAfter: marginalRate({ pool: after, tokenIn, tokenOut }),
    };
  });
}

function sumOf(amounts: readonly Amount[]): Amount {
  return amounts.reduce((sum, amount) => sum + amount, 0n) as Amount;
}

type Judge = (pool: Pool) => PoolRefusal;

/** Prepares the judgement of pools that are not used. Reasons that need no price come first. */
function judgeOf(
  market: Market,
  request: QuoteRequest,
  result: QuoteResult,
  used: readonly UsedPool[],
  others: readonly Pool[],
): Judge {
  const { tradeType } = request;
  const exclusion = exclusionOf(request);
  const allowed = [...used.map(({ pool }) => pool), ...others].filter(
    (pool) => exclusion?.(pool) === undefined,
  );
  const connected = waysThrough(allowed, request);
  const byPrice = result.ok ? priceJudge(market, request, result.quote, allowed) : undefined;
  const executable = waysByVersion(allowed, request);
  return (pool) => {
    const excluded = exclusion?.(pool);
    if (excluded !== undefined) return { reason: excluded };
    if (isDead(pool, request)) return { reason: 'NO_LIQUIDITY' };
    if (connected(pool) === undefined) return { reason: 'BEYOND_HOPS' };
    if (tradeType === 'EXACT_OUT' && executable(pool) === undefined) return { reason: 'MIXES_VERSIONS' };
    return byPrice === undefined ? { reason: 'AMOUNT' } : byPrice(pool);
  };
}

/** Whether a pool can pay nothing in any direction a route could use. */
function isDead(pool: Pool, { tokenIn, tokenOut }: QuoteRequest): boolean {
  for (let direction = 0; direction < directionCount(pool); direction += 1) {
    const hop = hopOf(pool, direction);
    if (hop.tokenIn !== tokenOut && hop.tokenOut !== tokenIn && canSell(pool, direction)) return false;
  }
  return true;
}

/** Ways as the router can execute them: an exact output is bought over pools of one version. */
function waysByVersion(pools: readonly Pool[], request: QuoteRequest): WayThrough {
  if (request.tradeType === 'EXACT_IN') return waysThrough(pools, request);
  const ofKind = (kind: Pool['kind']): WayThrough =>
    waysThrough(
      pools.filter((pool) => pool.kind === kind),
      request,
    );
  const ways = new Map(POOL_KIND_NAMES.map((kind) => [kind, ofKind(kind)]));
  return (pool) => ways.get(pool.kind)?.(pool);
}

/** Compares the best way over a pool with the quote's own prices after the swap, and executes ways that look better. */
function priceJudge(market: Market, request: QuoteRequest, answer: Quote, allowed: readonly Pool[]): Judge {
  const { tokenIn, tokenOut, tradeType, gasPrice } = request;
  const ended = poolsAfter(answer, request);
  const atTheEnd = waysByVersion(
    allowed.map((pool) => ended.get(pool.address) ?? pool),
    request,
  );
  const planned = planOf(answer, (pool) => market.get(pool.address) ?? pool, tradeType);
  const ends = planned
    .map((path) => ({
      path,
      rate: rateAlong(path.hops.map((hop) => ({ ...hop, pool: ended.get(hop.pool.address) ?? hop.pool }))),
    }))
    .sort((a, b) => a.rate - b.rate);
  const compared = tradeType === 'EXACT_IN' ? tokenOut : tokenIn;
  const gasRate =
    gasPrice.weiPerGas === 0n ? undefined : nativeRate(market, gasPrice.wrappedNative, compared);
  const [worst] = ends;
  return (pool) => {
    const way = atTheEnd(pool);
    const rate = way?.rate ?? 0;
    if (worst === undefined || way === undefined || rate <= worst.rate)
      return { reason: 'PRICE', worseByBps: worseBy(rate, worst?.rate ?? 0) };
    const hops = way.hops.map((hop) => ({ ...hop, pool: market.get(hop.pool.address) ?? hop.pool }));
    const detours = detoursOf(request, planned, worst.path, hops, gasRate);
    const total = tradeType === 'EXACT_IN' ? answer.amountOut : answer.amountIn;
    return judgeDetours(detours, planned.length < request.maxSplits, total);
  };
}

/** The pools of a quote as it leaves them. */
function poolsAfter({ legs }: Quote, { tradeType }: QuoteRequest): Map<Address, Pool> {
  const ended = new Map<Address, Pool>();
  for (const leg of legs) ended.set(leg.pool.address, poolAfter(leg, { ...leg, tradeType }));
  return ended;
}

function worseBy(rate: number, than: number): Bps {
  const bps = than > 0 ? 10_000 * (1 - rate / than) : 0;
  return (Math.max(0, Math.round(100 * bps)) / 100) as Bps;
}

function judgeDetours({ whole, part }: Detours, mayAddPath: boolean, total: bigint): PoolRefusal {
  const tried = [whole, part].filter((detour) => detour !== undefined);
  const open = [whole, mayAddPath ? part : undefined].filter((detour) => detour !== undefined);
  const isWorthIt = (net: bigint): boolean => net * NEGLIGIBLE > total;
  const best = (detours: typeof tried): bigint =>
    detours.reduce((most, detour) => (netOf(detour) > most ? netOf(detour) : most), 0n);
  if (isWorthIt(best(open))) return { reason: 'NOT_FOUND', gain: best(open) as Amount };
  if (isWorthIt(best(tried))) return { reason: 'SPLITS', gain: best(tried) as Amount };
  const gaining = tried.filter(({ gain, gasCost }) => isWorthIt(gain) && gasCost > 0n);
  const [first, ...others] = gaining;
  if (first === undefined) return { reason: 'PRICE', worseByBps: 0 as Bps };
  const { gain, gasCost } = others.reduce((a, b) => (netOf(b) > netOf(a) ? b : a), first);
  return { reason: 'GAS', gain: gain as Amount, gasCost: gasCost as Amount };
}

/** Reasons in the order shown: first pools that would gain, last pools that cannot be used. */
const ORDER: readonly PoolRefusal['reason'][] = [
  'NOT_FOUND',
  'SPLITS',
  'GAS',
  'PRICE',
  'AMOUNT',
  'MIXES_VERSIONS',
  'BEYOND_HOPS',
  'NO_LIQUIDITY',
  'EXCLUDED_POOL',
  'EXCLUDED_TOKEN',
  'EXCLUDED_SOURCE',
];

function byCloseness(a: RefusedPool, b: RefusedPool): number {
  const [of, and] = [a.refusal, b.refusal];
  if (of.reason !== and.reason) return ORDER.indexOf(of.reason) - ORDER.indexOf(and.reason);
  if (of.reason === 'PRICE' && and.reason === 'PRICE' && of.worseByBps !== and.worseByBps)
    return of.worseByBps - and.worseByBps;
  if ('gain' in of && 'gain' in and && of.gain !== and.gain) return of.gain > and.gain ? -1 : 1;
  return a.pool.address < b.pool.address ? -1 : 1;
}
