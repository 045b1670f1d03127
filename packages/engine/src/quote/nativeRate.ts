import type { Market } from '../market/market.ts';
import type { Address, Rate } from '../types.ts';
import { askedAmount } from './askedAmount.ts';
import {
  bestSmallTrade,
  CLOSE,
  type SmallTradeRequest,
  smallTradeGraphs,
  smallTradeIn,
} from './smallTrade.ts';
import { MAX_HOPS } from './router.ts';

const ONE: Rate = { numerator: 1n, denominator: 1n };

/** Amounts of native currency, in wei, that are sold to learn its price: the first that a route can take is used. */
const PROBES_WEI = [10n ** 18n, 10n ** 15n, 10n ** 21n];

type KnownRates = { readonly revision: number; readonly rates: Map<string, Rate | undefined> };

const knownByMarket = new WeakMap<Market, KnownRates>();

/**
 * What the wrapped native currency is worth in `token`; undefined where no route leads there. It is what an
 * executed trade pays, so a pool's price without depth behind it means nothing. It is believed only when no
 * single pool decides it (see `findNativeRate`). Kept until the market changes.
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
  for (const amount of PROBES_WEI) {
    const request = {
      tokenIn: wrappedNative,
      tokenOut: token,
      tradeType: 'EXACT_IN',
      amount,
      maxHops: MAX_HOPS,
    } as const;
    const numerator = believedAmount(market, request);
    if (numerator !== undefined) return { numerator, denominator: amount };
  }
  return undefined;
}

/**
 * What the market pays for an amount, whatever a single pool says.
 *
 * Let `best` be what the best route pays, and `rest` what remains without the one pool that matters most. Another
 * pool can only raise both. It never raises `rest` above the `best` of the market before it. So where both are close,
 * `best` is right within their distance. Otherwise one pool pays far more than all others. It may be the only one
 * with depth, or it may give something away. Then the amount is bought back. A pool that gives something away in one
 * direction does not ask less in the other. If the market asks less for an amount than `best`, the amount is worth no
 * more than that, and no less than `rest`.
 */
function believedAmount(market: Market, request: SmallTradeRequest): bigint | undefined {
  const graphs = smallTradeGraphs(market, request);
  const found = graphs && bestSmallTrade(graphs, request);
  if (graphs === undefined || found === undefined) return undefined;
  const { hops, amount: best } = found.trade;
  // The amount without any of its pools is at most `rest`, and takes one search.
  const apart = smallTradeIn(graphs.graph(found.level), request, hops)?.amount ?? 0n;
  if (Number(apart) >= CLOSE * Number(best)) return best;
  const { tokenIn, tokenOut, amount } = request;
  const asked = askedAmount(market, { held: tokenOut, wanted: tokenIn, amount })?.amount;
  if (asked === undefined || asked >= best) return best;
  const all = graphs.graph(graphs.lastLevel);
  const rest = leastOf(hops.map((hop) => smallTradeIn(all, request, [hop])?.amount ?? 0n));
  return rest > asked ? rest : asked;
}

function leastOf(amounts: readonly bigint[]): bigint {
  return amounts.reduce((least, amount) => (amount < least ? amount : least));
}
