import type { Market } from '../market/market.ts';
import { kindOf } from '../pools/poolKinds.ts';
import { exactInput, otherToken } from '../pools/poolSwap.ts';
import { type CandidateGraphs, candidateGraphs } from '../search/candidateGraph.ts';
import { bestSinglePath } from '../search/singlePath.ts';
import type { Address, Pool, Rate } from '../types.ts';
import { MAX_HOPS } from './router.ts';

const ONE: Rate = { numerator: 1n, denominator: 1n };

/** Amounts of native currency, in wei, by which its route is chosen: the first amount that a route can take is used. */
const PROBES_WEI = [10n ** 18n, 10n ** 15n, 10n ** 21n];

/** The marginal price of a pool's other token for `tokenIn`, fees aside. Needs a pool with reserves or a price. */
function marginalRate(pool: Pool, tokenIn: Address): Rate {
  const { numerator, denominator } = kindOf(pool).marginalPrice(pool);
  return tokenIn === pool.token0
    ? { numerator, denominator }
    : { numerator: denominator, denominator: numerator };
}

/** The marginal price along pools in a row, fees aside. */
export function marginalRateAlong(pools: readonly Pool[], tokenIn: Address): Rate {
  let rate = ONE;
  let token = tokenIn;
  for (const pool of pools) {
    const hop = marginalRate(pool, token);
    rate = {
      numerator: rate.numerator * hop.numerator,
      denominator: rate.denominator * hop.denominator,
    };
    token = otherToken(pool, token);
  }
  return rate;
}

type KnownRates = { readonly revision: number; readonly rates: Map<string, Rate | undefined> };

const knownByMarket = new WeakMap<Market, KnownRates>();

/**
 * The market's marginal price of `token` for the wrapped native currency; undefined where no route leads there.
 * The route is the one that pays most for a real amount, so a mispriced pool without depth does not set the price.
 * Kept until the market changes.
 */
export function nativeRate(market: Market, wrappedNative: Address, token: Address): Rate | undefined {
  if (wrappedNative === token) return ONE;
  let known = knownByMarket.get(market);
  if (known === undefined || known.revision !== market.revision) {
    known = { revision: market.revision, rates: new Map() };
    knownByMarket.set(market, known);
  }
  const key = wrappedNative + token;
  if (known.rates.has(key)) return known.rates.get(key);
  const rate = findNativeRate(market, wrappedNative, token);
  known.rates.set(key, rate);
  return rate;
}

function findNativeRate(market: Market, wrappedNative: Address, token: Address): Rate | undefined {
  const graphs = candidateGraphs(market, {
    tokenIn: wrappedNative,
    tokenOut: token,
    tradeType: 'EXACT_IN',
    maxHops: MAX_HOPS,
    excludeSources: new Set(),
  });
  if (graphs === undefined) return undefined;
  for (const amount of PROBES_WEI) {
    const pools = bestRoute(graphs, wrappedNative, amount);
    if (pools !== undefined) return marginalRateAlong(pools, wrappedNative);
  }
  return undefined;
}

/**
 * The part of the best rate among the pools left out that a route must reach. Half is enough, because gas is an
 * estimate.
 */
const GOOD_ENOUGH = 1 / 2;

/**
 * The route that pays most for an amount, looked for among the most efficient pools first. Pools without depth can rank
 * first and then pay almost nothing of what their price promises: then more pools are looked at.
 */
function bestRoute(graphs: CandidateGraphs, tokenIn: Address, amount: bigint): Pool[] | undefined {
  const terms = { maxHops: MAX_HOPS, gasUnitCost: 0 };
  for (let level = 0; ; level += 1) {
    const graph = graphs.graph(level);
    const pools = bestSinglePath(graph, Number(amount), terms);
    if (level >= graphs.lastLevel) return pools;
    const rate = Number(outputAlong(pools ?? [], tokenIn, amount)) / Number(amount);
    const leftOut = (graph.floor * (graph.start[graph.source] as number)) ** 2;
    if (rate >= GOOD_ENOUGH * leftOut) return pools;
  }
}

/** What pools in a row pay for an amount; 0 where there are none, or one cannot take it. */
function outputAlong(pools: readonly Pool[], tokenIn: Address, amount: bigint): bigint {
  let [token, carried] = [tokenIn, pools.length > 0 ? amount : 0n];
  for (const pool of pools) {
    carried = exactInput(pool, token, carried) ?? 0n;
    token = otherToken(pool, token);
  }
  return carried;
}
