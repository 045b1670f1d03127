import { divRoundingUp } from '../exact/fullMath.ts';
import type { Market } from '../market/market.ts';
import type { Amount, Bps, GasEstimate, Leg, Path, PoolFee, Quote, QuoteRequest, Rate } from '../types.ts';
import type { Execution } from './execution.ts';
import { marginalRateAlong, nativeRate } from './marginalPrice.ts';

const PIPS = 1_000_000n;
const BPS = 10_000n;
/** Fractional bits in which ideal outputs are added up. */
const EXTRA_BITS = 64n;

/** A quote of what was executed: everything that follows from its paths. */
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
    priceImpactBps: priceImpactBps(market, paths, received),
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

/**
 * How far the amount received lies below the paths' inputs at the marginal prices before the swap, fees taken off,
 * rounded up. The loss by rounding is included: the caller loses it, too.
 */
function priceImpactBps(market: Market, paths: readonly Path[], received: bigint): Bps {
  let ideal = 0n;
  for (const path of paths) ideal += idealOutput(market, path);
  const lost = ideal - (received << EXTRA_BITS);
  return (lost <= 0n ? 0 : Number(divRoundingUp(lost * BPS, ideal))) as Bps;
}

/**
 * A path's output at the marginal prices of the market's pools, in 2^-64 of a unit. The pools in later paths' legs
 * are already moved.
 */
function idealOutput(market: Market, { legs, amountIn }: Path): bigint {
  const [first] = legs;
  if (first === undefined) return 0n;
  const pools = legs.map(({ pool }) => market.get(pool.address) ?? pool);
  const rate = marginalRateAlong(pools, first.tokenIn);
  let ideal = (amountIn * rate.numerator) << EXTRA_BITS;
  let scale = rate.denominator;
  for (const pool of pools) {
    ideal *= PIPS - BigInt(pool.feePips);
    scale *= PIPS;
  }
  return ideal / scale;
}
