import type { Amount } from '@fairway/engine';
import { exactAmount } from '@fairway/values';
import { mostBelow, type UnfitAmount, withMeantAmount } from './meantAmount.ts';
import type { Outcome, ProblemFacts } from '@fairway/api';
import { type PricedTrade, priceTrade } from './priceTrade.ts';
import type { Trade } from './trade.ts';

const TOO_LARGE: ReadonlySet<ProblemFacts['code']> = new Set([
  'insufficient-liquidity',
  'price-impact-too-high',
]);

/**
 * Prices a trade for an amount that a caller asks for. If the amount looks as if it was given with other decimals
 * than its token has, it is refused. The refusal suggests what was probably meant, if that has a price now.
 * Synchronous, like `priceTrade`.
 */
export function priceAsked(trade: Trade, nowMs: number): Outcome<PricedTrade> {
  const priced = priceTrade(trade, nowMs);
  return priced.ok ? priced : { ok: false, problem: withMeantTrade(priced.problem, trade, nowMs) };
}

/**
 * The problem of a trade that has no price, with the amount that was probably meant; else the problem itself. The market
 * may have moved on from the trade's block, because no price is answered.
 */
export function withMeantTrade(problem: ProblemFacts, trade: Trade, nowMs: number): ProblemFacts {
  const fault = TOO_LARGE.has(problem.code) ? 'TOO_LARGE' : 'TOO_SMALL';
  if (fault === 'TOO_SMALL' && problem.code !== 'amount-out-of-range') return problem;
  const { chain, amount, amountPointer: pointer } = trade;
  const { address, native } = trade.tradeType === 'EXACT_IN' ? trade.tokenIn : trade.tokenOut;
  const listed = chain.follower.tokens.get(address);
  const token = native ? { symbol: chain.nativeSymbol, decimals: 18 } : listed;
  if (token === undefined) return problem;
  const priceOf = (units: bigint) => priceTrade({ ...trade, amount: units as Amount }, nowMs);
  const unfit = { pointer, units: amount, token, fault } as const;
  const meant = withMeantAmount(problem, unfit, (units) => priceOf(units).ok);
  return meant === problem && fault === 'TOO_LARGE' ? withMost(problem, unfit, priceOf) : meant;
}

/** The problem of an amount that is too large, with about the most that has a price now. */
function withMost(
  problem: ProblemFacts,
  { pointer, units, token: { symbol, decimals } }: UnfitAmount,
  priceOf: (units: bigint) => Outcome<PricedTrade>,
): ProblemFacts {
  const most = mostBelow(units, (amount) => {
    const priced = priceOf(amount);
    return !priced.ok && TOO_LARGE.has(priced.problem.code);
  });
  if (!priceOf(most).ok) return problem;
  const detail = `${problem.detail} The most now is about ${most} (${exactAmount(most, decimals)} ${symbol}).`;
  return { ...problem, detail, errors: [{ pointer, detail }] };
}
