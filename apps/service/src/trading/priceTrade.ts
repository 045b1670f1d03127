import { type Amount, type Quote, type QuoteRequest, quote as routeQuote } from '@fairway/engine';
import { type Head, type SwapLimit, swapLimit } from '@fairway/evm';
import { done, type Outcome, refuse } from '../problems/problem.ts';
import type { Trade } from './trade.ts';
import { impactTooHigh, quoteRefused } from './tradeProblems.ts';

/** A trade with its price at one block. */
export type PricedTrade = {
  readonly trade: Trade;
  readonly head: Head;
  readonly derivedAtMs: number;
  readonly amountIn: Amount;
  readonly amountOut: Amount;
  /** Absent for the 1:1 exchange of native currency and its wrapped token. */
  readonly routed: Quote | undefined;
  readonly market: { readonly pools: number; readonly tokens: number };
};

/**
 * Prices a trade from the live market. Synchronous, and called in the same turn as the freshness check, so
 * that head, market and answer are of one block.
 */
export function priceTrade(trade: Trade, nowMs: number): Outcome<PricedTrade> {
  const { chain, tokenIn, tokenOut } = trade;
  const head = chain.follower.head();
  if (head === undefined) throw new Error('A fresh market has a head.');
  if (tokenIn.address === tokenOut.address) return done(pricedTrade(trade, head, nowMs, undefined));
  const result = routeQuote(chain.follower.market, toQuoteRequest(trade, head));
  if (!result.ok) return refuse(quoteRefused(result.refusal, trade));
  const { priceImpactBps } = result.quote;
  if (priceImpactBps > chain.maxPriceImpactBps) {
    return refuse(impactTooHigh(priceImpactBps, chain.maxPriceImpactBps));
  }
  return done(pricedTrade(trade, head, nowMs, result.quote));
}

/** A trade with the price that a route gives it; without one it is the 1:1 exchange of native currency. */
export function pricedTrade(
  trade: Trade,
  head: Head,
  derivedAtMs: number,
  routed: Quote | undefined,
): PricedTrade {
  const { market } = trade.chain.follower;
  const { amountIn, amountOut } = routed ?? { amountIn: trade.amount, amountOut: trade.amount };
  return {
    trade,
    head,
    derivedAtMs,
    amountIn,
    amountOut,
    routed,
    market: { pools: market.poolCount, tokens: market.tokenCount },
  };
}

/** What the engine is asked for a trade at a block: gas is priced at the block's base fee. */
export function toQuoteRequest(trade: Trade, head: Head): QuoteRequest {
  return {
    tokenIn: trade.tokenIn.address,
    tokenOut: trade.tokenOut.address,
    tradeType: trade.tradeType,
    amount: trade.amount,
    maxHops: trade.maxHops,
    maxSplits: trade.maxSplits,
    excludeSources: trade.excludeSources,
    gasPrice: { weiPerGas: head.baseFeePerGas, wrappedNative: trade.chain.wrappedNative },
  };
}

/** The bound a swap of this price enforces: a plain wrap is exact, anything else gives way by the slippage asked. */
export function limitOf({ trade, amountIn, amountOut, routed }: PricedTrade): SwapLimit {
  return swapLimit(trade.tradeType, amountIn, amountOut, routed === undefined ? 0 : trade.slippageBps);
}
