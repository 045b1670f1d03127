import type { Market } from '../market/market.ts';
import { keptAlong, outputAlong } from '../search/poolCurve.ts';
import type { Bps, Path, QuoteRequest } from '../types.ts';
import { askedAmount } from './askedAmount.ts';
import type { Execution } from './execution.ts';

const BPS = 10_000;
/** What a path pays for this part of its amount is its price before the swap. */
const SMALL_PART = 1 / 1024;
/** The impact from which the market is asked whether the paths' own prices are true. */
const DOUBTFUL_BPS = 100;
/** The part of the input that is then asked for. */
const ASKED_PART = 64n;
/** Impacts below this part of a Bps are rounding errors of doubles. */
const NOISE_BPS = 1e-6;

/**
 * How far the amount received lies below what small trades get, fees taken off, rounded up: trades over the same paths
 * before the swap. When that is far, a pool's price may be far from the market's without depth behind it.
 * Then a small trade counts for no more than what the market asks for its input. The loss by rounding is
 * included: the caller loses it, too. The market is the whole one, including what the request excludes: a price to
 * compare with needs no route.
 */
export function priceImpactBps(
  market: Market,
  { tokenIn, tokenOut }: Pick<QuoteRequest, 'tokenIn' | 'tokenOut'>,
  { paths, received, amountIn }: Execution,
): Bps {
  const before = paths.flatMap((path) => priceBefore(market, path));
  const own = impactOf(before, received);
  if (own < DOUBTFUL_BPS) return own;
  const amount = amountIn / ASKED_PART || 1n;
  const asked = askedAmount(market, { held: tokenOut, wanted: tokenIn, amount });
  if (asked === undefined) return own;
  const most = (Number(asked.amount) / Number(amount)) * keptAlong(asked.hops);
  const capped = before.map((path) => ({ ...path, rate: Math.min(path.rate, most * path.kept) }));
  return Math.min(own, impactOf(capped, received)) as Bps;
}

/** A path's input, what a small one gets for each unit, and what the fees leave. */
type PriceBefore = { readonly amountIn: number; readonly rate: number; readonly kept: number };

/** The pools in later paths' legs are already moved: the market's are those before the swap. */
function priceBefore(market: Market, path: Path): PriceBefore[] {
  const hops = path.legs.map(({ pool, tokenIn, tokenOut }) => ({
    pool: market.get(pool.address) ?? pool,
    tokenIn,
    tokenOut,
  }));
  const amountIn = Number(path.amountIn);
  const small = amountIn * SMALL_PART;
  return [{ amountIn, rate: outputAlong(hops, small) / small, kept: keptAlong(hops) }];
}

function impactOf(paths: readonly PriceBefore[], received: bigint): Bps {
  const ideal = paths.reduce((sum, { amountIn, rate }) => sum + amountIn * rate, 0);
  const lost = ideal - Number(received);
  return (lost > 0 ? Math.max(0, Math.ceil((lost / ideal) * BPS - NOISE_BPS)) : 0) as Bps;
}
