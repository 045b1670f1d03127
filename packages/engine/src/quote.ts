import { divRoundingUp } from './fullMath.ts';
import { TRANSACTION_GAS_UNITS } from './gas.ts';
import { marginalRateAlong, nativeRate, type Rate } from './marginalPrice.ts';
import type { Market } from './market.ts';
import { exactInput } from './poolSwap.ts';
import { BACKWARD, findWalks, FORWARD, type Search, type SearchResult, type Walk } from './router.ts';
import type {
  Amount,
  Bps,
  GasEstimate,
  Leg,
  Path,
  Pool,
  PoolFee,
  Quote,
  QuoteRefusal,
  QuoteRequest,
  QuoteResult,
} from './types.ts';

const PIPS = 1_000_000n;
const BPS = 10_000n;

/**
 * Answers a request from the market as it is: the best single path net of gas, with amounts exact to the wei.
 * EXACT_IN compares outputs less gas, EXACT_OUT inputs plus gas; an EXACT_OUT path keeps to one pool version.
 * The answer depends on the market's pools and the request alone. Expected outcomes are refusals, never errors.
 */
export function quote(market: Market, request: QuoteRequest): QuoteResult {
  if (request.amount <= 0n) return refuse('AMOUNT_TOO_SMALL');
  const results = searchesFor(request).map((search) => findWalks(market, search));
  for (const walk of rankNetOfGas(market, request, results)) {
    const legs = request.tradeType === 'EXACT_IN' ? legsForward(walk) : legsBackward(walk);
    if (legs !== undefined) return { ok: true, quote: describe(market, request, legs, walk.gasUnits) };
  }
  return refuse(refusalReason(results));
}

function refuse(reason: QuoteRefusal['reason']): QuoteResult {
  return { ok: false, refusal: { reason } };
}

function refusalReason(results: readonly SearchResult[]): QuoteRefusal['reason'] {
  if (!results.some((result) => result.connected)) return 'NO_ROUTE';
  return results.some((result) => result.vanished) ? 'AMOUNT_TOO_SMALL' : 'INSUFFICIENT_LIQUIDITY';
}

function searchesFor(request: QuoteRequest): Search[] {
  const { tokenIn, tokenOut, amount, maxHops, excludeSources } = request;
  if (request.tradeType === 'EXACT_IN') {
    const usable = (pool: Pool): boolean => !excludeSources.has(pool.source);
    return [{ direction: FORWARD, start: tokenIn, goal: tokenOut, amount, maxHops, usable }];
  }
  const kinds: readonly Pool['kind'][] = ['UNISWAP_V2', 'UNISWAP_V3'];
  return kinds.map((kind) => ({
    direction: BACKWARD,
    start: tokenOut,
    goal: tokenIn,
    amount,
    maxHops,
    usable: (pool) => pool.kind === kind && !excludeSources.has(pool.source),
  }));
}

/** All walks found, the best net of gas first. Where gas has no price in the compared token, amounts alone decide. */
function rankNetOfGas(market: Market, request: QuoteRequest, results: readonly SearchResult[]): Walk[] {
  const { tradeType, tokenIn, tokenOut, gasPrice } = request;
  const rate =
    gasPrice.weiPerGas === 0n
      ? undefined
      : nativeRate(market, gasPrice.wrappedNative, tradeType === 'EXACT_IN' ? tokenOut : tokenIn);
  const valued = results.flatMap(({ walks }) =>
    walks.map((walk) => {
      const gas = rate === undefined ? 0n : inToken(BigInt(walk.gasUnits) * gasPrice.weiPerGas, rate);
      return { walk, net: tradeType === 'EXACT_IN' ? walk.amount - gas : -walk.amount - gas };
    }),
  );
  // The sort is stable, so walks equal in both keep the order the search gave them, which is total.
  valued.sort((a, b) => {
    if (a.net !== b.net) return a.net > b.net ? -1 : 1;
    return a.walk.gasUnits - b.walk.gasUnits;
  });
  return valued.map(({ walk }) => walk);
}

function inToken(wei: bigint, rate: Rate): bigint {
  return divRoundingUp(wei * rate.numerator, rate.denominator);
}

function legsForward(walk: Walk): Leg[] {
  const legs: Leg[] = [];
  for (let at = walk; at.last !== undefined; at = at.last.from) {
    const { pool, from } = at.last;
    legs.push({
      pool,
      tokenIn: from.token,
      tokenOut: at.token,
      amountIn: from.amount as Amount,
      amountOut: at.amount as Amount,
    });
  }
  return legs.reverse();
}

/**
 * A walk from the output back, as it executes. V3 pools pay exactly what each next pool takes.
 * V2 pairs are swapped forward by the router once the input is known, and may pay more: those amounts count.
 * Undefined where that surplus would overflow a reserve further on.
 */
function legsBackward(walk: Walk): Leg[] | undefined {
  const legs: Leg[] = [];
  let carried = walk.amount;
  for (let at = walk; at.last !== undefined; at = at.last.from) {
    const { pool, from } = at.last;
    const amountOut = pool.kind === 'UNISWAP_V2' ? exactInput(pool, at.token, carried) : from.amount;
    if (amountOut === undefined) return undefined;
    legs.push({
      pool,
      tokenIn: at.token,
      tokenOut: from.token,
      amountIn: carried as Amount,
      amountOut: amountOut as Amount,
    });
    carried = amountOut;
  }
  return legs;
}

function describe(market: Market, request: QuoteRequest, legs: Leg[], hopsGasUnits: number): Quote {
  const { tokenIn, tokenOut, tradeType, amount } = request;
  const amountIn = legs[0]?.amountIn ?? (0n as Amount);
  const received = legs.at(-1)?.amountOut ?? (0n as Amount);
  const amountOut = tradeType === 'EXACT_IN' ? received : amount;
  const path: Path = { legs, amountIn, amountOut: received };
  return {
    tokenIn,
    tokenOut,
    tradeType,
    amountIn,
    amountOut,
    surplus: (received - amountOut) as Amount,
    legs,
    paths: [path],
    priceImpactBps: priceImpactBps(path),
    gas: estimateGas(market, request, TRANSACTION_GAS_UNITS + hopsGasUnits),
    poolFees: legs.map(poolFee),
  };
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
 * How far a path's output lies below its input at the marginal price before the swap, fees taken off, rounded up.
 * What rounding costs a tiny amount counts: it is lost to the caller all the same.
 */
function priceImpactBps(path: Path): Bps {
  const pools = path.legs.map((leg) => leg.pool);
  const tokenIn = path.legs[0]?.tokenIn;
  if (tokenIn === undefined) return 0 as Bps;
  const rate = marginalRateAlong(pools, tokenIn);
  let ideal = path.amountIn * rate.numerator;
  let scale = rate.denominator;
  for (const pool of pools) {
    ideal *= PIPS - BigInt(pool.feePips);
    scale *= PIPS;
  }
  const lost = ideal - path.amountOut * scale;
  return (lost <= 0n ? 0 : Number(divRoundingUp(lost * BPS, ideal))) as Bps;
}
