import { type Amount, type Quote, type QuoteRequest, quote as routeQuote } from '@fairway/engine';
import { type GasTerms, type Head, type SwapLimit, swapLimit } from '@fairway/evm';
import { done, type Outcome, refuse } from '../problems/problem.ts';
import type { Trade } from './trade.ts';
import { impactTooHigh, quoteRefused } from './tradeProblems.ts';

/** A trade with its price at one block. `derivedAtMs`: when it was priced. */
export type PricedTrade = {
  readonly trade: Trade;
  readonly head: Head;
  readonly gasTerms: GasTerms;
  readonly derivedAtMs: number;
  readonly amountIn: Amount;
  readonly amountOut: Amount;
  /** Absent for the 1:1 exchange of native currency and its wrapped token. */
  readonly routed: Quote | undefined;
  readonly market: { readonly pools: number; readonly tokens: number };
};

/**
 * Prices a trade from the live market. It is synchronous and must be called without an `await` after the check that the
 * market is fresh, so that head, market and price belong to one block.
 */
export function priceTrade(trade: Trade, nowMs: number): Outcome<PricedTrade> {
  const { chain, tokenIn, tokenOut } = trade;
  const head = chain.follower.head();
  if (head === undefined) throw new Error('A trade was priced on a market that has no head yet.');
  if (tokenIn.address === tokenOut.address) return done(pricedTrade(trade, head, nowMs, undefined));
  const result = routeQuote(chain.follower.market, toQuoteRequest(trade, head));
  if (!result.ok) return refuse(quoteRefused(result.refusal, trade));
  const { priceImpactBps } = result.quote;
  if (priceImpactBps > chain.maxPriceImpactBps) {
    return refuse(impactTooHigh(priceImpactBps, chain.maxPriceImpactBps));
  }
  return done(pricedTrade(trade, head, nowMs, result.quote));
}

/** A trade with the price of a route. Without a route it is a 1:1 exchange of native currency and its wrapped token. */
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
    gasTerms: trade.chain.follower.gasTerms(),
    derivedAtMs,
    amountIn,
    amountOut,
    routed,
    market: { pools: market.poolCount, tokens: market.tokenCount },
  };
}

/** The engine's request for a trade at a block. Gas is priced at the block's base fee and what is paid beyond it. */
export function toQuoteRequest(trade: Trade, head: Head): QuoteRequest {
  return {
    tokenIn: trade.tokenIn.address,
    tokenOut: trade.tokenOut.address,
    tradeType: trade.tradeType,
    amount: trade.amount,
    maxHops: trade.maxHops,
    maxSplits: trade.maxSplits,
    excludeSources: trade.excludeSources,
    gasPrice: {
      weiPerGas: head.baseFeePerGas + (trade.chain.follower.gasTerms().priorityFeePerGas ?? 0n),
      wrappedNative: trade.chain.wrappedNative,
    },
  };
}

/** The worst amount that a swap accepts: its price, made worse by the slippage asked. A wrap has no slippage. */
export function limitOf({ trade, amountIn, amountOut, routed }: PricedTrade): SwapLimit {
  return swapLimit(trade.tradeType, amountIn, amountOut, routed === undefined ? 0 : trade.slippageBps);
}
