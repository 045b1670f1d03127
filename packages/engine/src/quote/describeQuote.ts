import { divRoundingUp } from '../exact/fullMath.ts';
import type { Market } from '../market/market.ts';
import type { Amount, GasEstimate, Leg, PoolFee, Quote, QuoteRequest, Rate } from '../types.ts';
import type { Execution } from './execution.ts';
import { nativeRate } from './nativeRate.ts';
import { priceImpactBps } from './priceImpact.ts';

const PIPS = 1_000_000n;

/** The quote for an execution. All of its members follow from the executed paths. */
export function describeQuote(market: Market, request: QuoteRequest, execution: Execution): Quote {
  const { tokenIn, tokenOut, tradeType, amount } = request;
  const { paths, received } = execution;
  const legs = paths.flatMap((path) => path.legs);
  const amountOut = tradeType === 'EXACT_IN' ? (received as Amount) : amount;
  return {
    tokenIn,
    tokenOut,
    tradeType,
    amountIn: execution.amountIn as Amount,
    amountOut,
    surplus: (received - amountOut) as Amount,
    legs,
    paths,
    priceImpactBps: priceImpactBps(market, request, execution),
    gas: estimateGas(market, request, execution.gasUnits),
    poolFees: legs.map(poolFee),
  };
}

/** What wei of the native currency are worth at a rate, rounded up. */
export function inToken(wei: bigint, rate: Rate): bigint {
  return divRoundingUp(wei * rate.numerator, rate.denominator);
}

function estimateGas(market: Market, request: QuoteRequest, gasUnits: number): GasEstimate {
  const { weiPerGas, wrappedNative } = request.gasPrice;
  const units = BigInt(gasUnits);
  const cost = (units * weiPerGas) as Amount;
  const rate = nativeRate(market, wrappedNative, request.tokenOut);
  return rate === undefined
    ? { units, cost }
    : { units, cost, costInTokenOut: inToken(cost, rate) as Amount };
}

/** The part of a leg's input that is the pool's fee, rounded up; a V3 pool's own rounding may keep a few units more. */
function poolFee(leg: Leg): PoolFee {
  const amount = divRoundingUp(leg.amountIn * BigInt(leg.pool.feePips), PIPS) as Amount;
  return { pool: leg.pool.address, token: leg.tokenIn, amount };
}
