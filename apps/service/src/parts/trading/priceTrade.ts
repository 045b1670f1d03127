import {
  type Address,
  type Amount,
  type Quote,
  type QuoteRequest,
  quote as routeQuote,
} from '@fairway/engine';
import { type Rounding, roundingOf, type SwapLimit, swapLimit, venueGas } from '@fairway/evm';
import { defined } from '@fairway/values';
import { type AvoidedNow, joined, NOTHING_AVOIDED } from '../../platform/chains/avoided.ts';
import { done, eip55, type Outcome, type ProblemFacts, refuse } from '@fairway/api';
import type { Trade } from './trade.ts';
import { impactTooHigh, quoteRefused, tokenNotTraded, type UntradedToken } from './tradeProblems.ts';

/** A trade with its price at its block. `derivedAtMs`: when it was priced. */
export type PricedTrade = {
  readonly trade: Trade;
  readonly derivedAtMs: number;
  readonly amountIn: Amount;
  readonly amountOut: Amount;
  /** Absent for the 1:1 exchange of native currency and its wrapped token. */
  readonly routed: Quote | undefined;
  /** Present where tokens of the route round transfers. */
  readonly rounding: Rounding | undefined;
  readonly market: { readonly pools: number; readonly tokens: number };
  /** What the route keeps away from besides what the trade excludes. */
  readonly avoided: AvoidedNow;
};

/**
 * Prices a trade from the live market, around what is avoided for now where there is a way around it. Otherwise it is
 * not avoided. The simulation of a swap then shows whether it works again. A pool or token that failed in the same
 * request stays avoided. It is synchronous and must be called without an `await` after the trade got its block. So
 * block, market and price belong together.
 */
export function priceTrade(trade: Trade, nowMs: number): Outcome<PricedTrade> {
  const { chain, tokenIn, tokenOut } = trade;
  if (tokenIn.address === tokenOut.address) return done(pricedTrade(trade, nowMs, undefined));
  const { goneAround = NOTHING_AVOIDED } = trade;
  const avoided = joined(goneAround, chain.avoided.now());
  const around = priceRoute(trade, nowMs, avoided);
  return around.ok || avoided === goneAround ? around : priceRoute(trade, nowMs, goneAround);
}

function priceRoute(trade: Trade, nowMs: number, avoided: AvoidedNow): Outcome<PricedTrade> {
  const { chain } = trade;
  const result = routeQuote(chain.follower.market, toQuoteRequest(trade, avoided));
  if (!result.ok) return refuse(untradedTokens(trade) ?? quoteRefused(result.refusal, trade));
  const { priceImpactBps } = result.quote;
  if (priceImpactBps > chain.maxPriceImpactBps) {
    return refuse(impactTooHigh(priceImpactBps, chain.maxPriceImpactBps));
  }
  return done(pricedTrade(trade, nowMs, result.quote, avoided));
}

/** The problem of a trade of tokens whose pools are left out of the market for what their transfers do. */
function untradedTokens(trade: Trade): ProblemFacts | undefined {
  const ends = [trade.tokenIn.address, trade.tokenOut.address];
  const untraded = untradedAmong(trade, ends);
  return untraded.length === 0 ? undefined : tokenNotTraded(trade.chain.chainId, untraded);
}

/** Those of some tokens that move other amounts than they are asked to; the ends of a trade as its fields name them. */
export function untradedAmong(trade: Trade, tokens: readonly Address[]): UntradedToken[] {
  const { chain, tokenIn, tokenOut } = trade;
  return tokens.flatMap((token) => {
    const behaviour = chain.follower.behaviours.get(token);
    if (behaviour?.kind !== 'TAXED') return [];
    const end = Object.entries({ tokenIn, tokenOut }).find(([, { address }]) => address === token);
    if (end === undefined) return [{ named: eip55(token), behaviour }];
    const [name, { given, pointer }] = end;
    return [{ named: `${name} ${given}`, behaviour, ...defined({ pointer }) }];
  });
}

/** A trade with the price of a route. Without a route it is a 1:1 exchange of native currency and its wrapped token. */
export function pricedTrade(
  trade: Trade,
  derivedAtMs: number,
  routed: Quote | undefined,
  avoided: AvoidedNow = NOTHING_AVOIDED,
): PricedTrade {
  const { market, behaviours } = trade.chain.follower;
  const { amountIn, amountOut } = routed ?? { amountIn: trade.amount, amountOut: trade.amount };
  return {
    trade,
    derivedAtMs,
    amountIn,
    amountOut,
    routed,
    rounding: routed && roundingOf(routed, behaviours),
    market: { pools: market.poolCount, tokens: market.tokenCount },
    avoided,
  };
}

/** The engine's request for a trade. Gas is priced at the block's base fee and what is paid beyond it. */
export function toQuoteRequest(trade: Trade, avoided: AvoidedNow = NOTHING_AVOIDED): QuoteRequest {
  const { head, gasTerms } = trade.block;
  return {
    tokenIn: trade.tokenIn.address,
    tokenOut: trade.tokenOut.address,
    tradeType: trade.tradeType,
    nativeIn: trade.tokenIn.native,
    amount: trade.amount,
    maxHops: trade.maxHops,
    maxSplits: trade.maxSplits,
    excludeSources: trade.excludeSources,
    excludeTokens: union(trade.excludeTokens, avoided.tokens),
    excludePools: union(trade.excludePools, avoided.pools),
    gasPrice: {
      weiPerGas: head.baseFeePerGas + (gasTerms.priorityFeePerGas ?? 0n),
      wrappedNative: trade.chain.wrappedNative,
    },
    venueGas: venueGas(trade.chain.routerKind),
  };
}

/** The same set where the other is empty: what was derived from it is then known already. */
function union<Member>(a: ReadonlySet<Member>, b: ReadonlySet<Member>): ReadonlySet<Member> {
  if (b.size === 0) return a;
  return a.size === 0 ? b : new Set([...a, ...b]);
}

/**
 * The worst amount that a swap accepts: its price, made worse by the slippage asked and by what rounding of transfers may keep back.
 * A wrap has no slippage.
 */
export function limitOf(priced: PricedTrade): SwapLimit {
  const { trade, amountIn, routed } = priced;
  return swapLimit(trade.tradeType, amountIn, leastOut(priced), routed === undefined ? 0 : trade.slippageBps);
}

/** What arrives at least while the market does not move: the price less what rounding of transfers may keep back. */
export function leastOut({ amountOut, rounding }: Pick<PricedTrade, 'amountOut' | 'rounding'>): Amount {
  return (amountOut - (rounding?.amountOut ?? 0n)) as Amount;
}
