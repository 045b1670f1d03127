import type { Market } from '../market/market.ts';
import { exclusionOf } from '../pools/exclusion.ts';
import { POOL_KIND_NAMES } from '../pools/poolKinds.ts';
import { hopOf } from '../pools/direction.ts';
import { exactInput, mayPayMore } from '../pools/poolSwap.ts';
import type { Amount, Leg, Pool, QuoteRefusal, QuoteRequest, QuoteResult } from '../types.ts';
import { describeQuote, inToken } from './describeQuote.ts';
import type { Execution } from './execution.ts';
import { nativeRate } from './nativeRate.ts';
import { BACKWARD, findWalks, FORWARD, type Search, type SearchResult, type Walk } from './router.ts';
import { venueGasUnits } from './venueGas.ts';

/**
 * The best single path net of gas, with amounts exact to the wei: what split quotes are compared with.
 * EXACT_IN compares outputs less gas, EXACT_OUT inputs plus gas; an EXACT_OUT path uses pools of one version.
 * The answer depends on the market's pools and the request alone. Expected outcomes are refusals, never errors.
 *
 * @example
 * ```ts
 * import { bestPathQuote, type Market, quote, type QuoteRequest } from '@fairway/engine';
 *
 * declare const market: Market;
 * declare const request: QuoteRequest;
 *
 * const [single, split] = [bestPathQuote(market, request), quote(market, request)];
 * if (single.ok && split.ok) console.log(split.quote.amountOut - single.quote.amountOut);
 * ```
 */
export function bestPathQuote(market: Market, request: QuoteRequest): QuoteResult {
  if (request.amount <= 0n) return refuse('AMOUNT_TOO_SMALL');
  const results = searchesFor(market, request).map((search) => findWalks(market.network, search));
  for (const walk of rankNetOfGas(market, request, results)) {
    const legs = request.tradeType === 'EXACT_IN' ? legsForward(walk) : legsBackward(walk);
    if (legs !== undefined)
      return { ok: true, quote: describeQuote(market, request, executionOf(request, legs, walk)) };
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

function searchesFor({ network }: Market, request: QuoteRequest): Search[] {
  const { amount, maxHops } = request;
  const [tokenIn, tokenOut] = [network.tokenOf(request.tokenIn), network.tokenOf(request.tokenOut)];
  if (tokenIn === undefined || tokenOut === undefined) return [];
  const exclusion = exclusionOf(request);
  const isAllowed = (pool: Pool): boolean => exclusion?.(pool) === undefined;
  if (request.tradeType === 'EXACT_IN') {
    return [{ direction: FORWARD, start: tokenIn, goal: tokenOut, amount, maxHops, usable: isAllowed }];
  }
  return POOL_KIND_NAMES.map((kind) => ({
    direction: BACKWARD,
    start: tokenOut,
    goal: tokenIn,
    amount,
    maxHops,
    usable: (pool) => pool.kind === kind && isAllowed(pool),
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
  // The sort is stable, so walks equal in net and gas keep the search's order, in which no two walks are equal.
  valued.sort((a, b) => {
    if (a.net !== b.net) return a.net > b.net ? -1 : 1;
    return a.walk.gasUnits - b.walk.gasUnits;
  });
  return valued.map(({ walk }) => walk);
}

function legsForward(walk: Walk): Leg[] {
  const legs: Leg[] = [];
  for (let at = walk; at.last !== undefined; at = at.last.from) {
    const { pool, direction, from } = at.last;
    const amounts = { amountIn: from.amount as Amount, amountOut: at.amount as Amount };
    legs.push({ ...hopOf(pool, direction), ...amounts });
  }
  return legs.reverse();
}

/**
 * The legs of a walk from the output back, as they are executed. A V3 pool pays exactly what the next pool takes. A
 * V2 pair is swapped forward by the router with its known input and may pay more. Undefined where this surplus would
 * overflow the reserve of a later pair.
 */
function legsBackward(walk: Walk): Leg[] | undefined {
  const legs: Leg[] = [];
  let carried = walk.amount;
  for (let at = walk; at.last !== undefined; at = at.last.from) {
    const { pool, direction, from } = at.last;
    const hop = hopOf(pool, direction);
    const amountOut = mayPayMore(pool) ? exactInput(hop, carried) : from.amount;
    if (amountOut === undefined) return undefined;
    legs.push({ ...hop, amountIn: carried as Amount, amountOut: amountOut as Amount });
    carried = amountOut;
  }
  return legs;
}

function executionOf(
  { tradeType, nativeIn = false, venueGas }: QuoteRequest,
  legs: readonly Leg[],
  walk: Walk,
): Execution {
  const amountIn = legs[0]?.amountIn ?? (0n as Amount);
  const received = legs.at(-1)?.amountOut ?? (0n as Amount);
  const paths = [{ legs, amountIn, amountOut: received }];
  const gasUnits = walk.gasUnits + venueGasUnits(venueGas, { tradeType, paths, nativeIn });
  return { paths, amountIn, received, gasUnits };
}
