import {
  type Address,
  type GasPrice,
  type Leg,
  type Market,
  quote,
  type Quote,
  type QuoteRefusal,
  type QuoteResult,
} from '@fairway/engine';
import { venueGas } from '@fairway/evm';
import { replayLegs } from '../replay.ts';
import { median } from '../measuring/statistics.ts';
import { isJsonObject, messageOf, type TokenId } from './jsonFile.ts';
import { checkQuery } from './queryFile.ts';

/** A market for which queries are answered. */
export type LoadedMarket = {
  readonly market: Market;
  readonly addresses: ReadonlyMap<TokenId, Address>;
  readonly ids: ReadonlyMap<Address, TokenId>;
  readonly labels: ReadonlyMap<Address, string>;
};

/** What is the same for every query. */
export type Terms = {
  readonly maxSplits: number;
  readonly maxHops: number;
  readonly gasPrice: GasPrice;
  readonly repeat: number;
};

/** The line printed for a query, which `JSON.stringify` writes. Absent amounts are null. */
export type AnswerLine = {
  readonly in: unknown;
  readonly out: unknown;
  readonly tradeType: unknown;
  readonly amountIn: string | null;
  readonly amountOut: string | null;
  readonly legs: readonly LegLine[];
  readonly bound: string | null;
  readonly gapBps: number | null;
  readonly medianMs: number | null;
  readonly error?: string;
};

type LegLine = {
  readonly pool: string;
  readonly tokenIn: TokenId;
  readonly tokenOut: TokenId;
  readonly amountIn: string;
  readonly amountOut: string;
};

/** A line, and whether it shows a fault of the engine. */
export type Answer = { readonly line: AnswerLine; readonly faulty: boolean };

/** Asks the engine one query, measures the time, and replays the legs of the answer. */
export function answer(loaded: LoadedMarket, query: unknown, terms: Terms): Answer {
  const given = isJsonObject(query) ? query : {};
  const asked = { in: given['in'] ?? null, out: given['out'] ?? null, tradeType: given['tradeType'] ?? null };
  const nothing = { amountIn: null, amountOut: null, legs: [], bound: null, gapBps: null };
  const checked = checkQuery(query, loaded.addresses);
  if ('problem' in checked)
    return {
      line: { ...asked, ...nothing, medianMs: null, error: `INVALID_QUERY: ${checked.problem}` },
      faulty: false,
    };
  const { maxSplits, maxHops, gasPrice } = terms;
  const limits = { maxSplits, maxHops, excludeSources: new Set<string>() };
  const request = { ...checked, ...limits, gasPrice, venueGas: venueGas('SWAP_ROUTER_02') };
  let timed: Timed;
  try {
    timed = timeCalls(() => quote(loaded.market, request), terms.repeat);
  } catch (error) {
    const message = `ENGINE_FAULT: ${messageOf(error)}`;
    return { line: { ...asked, ...nothing, medianMs: null, error: message }, faulty: true };
  }
  const { result, medianMs } = timed;
  if (!result.ok) {
    const error = refusalText(result.refusal, maxHops);
    return { line: { ...asked, ...nothing, medianMs, error }, faulty: false };
  }
  const line = { ...asked, ...quoteFields(loaded, result.quote), medianMs };
  const fault = replayFault(loaded.market, result.quote);
  if (fault !== undefined) return { line: { ...line, error: `ENGINE_FAULT: ${fault}` }, faulty: true };
  return { line, faulty: false };
}

type Timed = { readonly result: QuoteResult; readonly medianMs: number };

function timeCalls(call: () => QuoteResult, repeat: number): Timed {
  let result = call();
  const times = Array.from({ length: repeat }, () => {
    const startedMs = performance.now();
    result = call();
    return performance.now() - startedMs;
  });
  return { result, medianMs: Number(median(times).toFixed(6)) };
}

function quoteFields({ ids, labels }: LoadedMarket, quoted: Quote) {
  const { amountIn, amountOut, surplus, legs, optimality } = quoted;
  const idOf = (address: Address): TokenId => ids.get(address) ?? address;
  return {
    amountIn: String(amountIn),
    amountOut: String(amountOut + surplus),
    legs: legs.map((leg) => ({
      pool: labels.get(leg.pool.address) ?? leg.pool.address,
      tokenIn: idOf(leg.tokenIn),
      tokenOut: idOf(leg.tokenOut),
      amountIn: String(leg.amountIn),
      amountOut: String(leg.amountOut),
    })),
    bound: optimality === undefined ? null : String(optimality.upperBound),
    gapBps: optimality?.gapBps ?? null,
  };
}

function refusalText({ reason }: QuoteRefusal, maxHops: number): string {
  switch (reason) {
    case 'NO_ROUTE':
      return `NO_ROUTE: no pools connect the tokens within ${maxHops} ${maxHops === 1 ? 'hop' : 'hops'}.`;
    case 'INSUFFICIENT_LIQUIDITY':
      return 'INSUFFICIENT_LIQUIDITY: pools connect the tokens, but no route can take or give the whole amount.';
    case 'AMOUNT_TOO_SMALL':
      return 'AMOUNT_TOO_SMALL: the input does not buy one unit of the output.';
  }
}

/** How a quote differs from the replay of its legs; undefined when it does not differ. */
function replayFault(market: Market, quoted: Quote): string | undefined {
  const { tokenIn, tokenOut, tradeType, amountIn, amountOut, surplus, legs } = quoted;
  const claimed = legs.map((leg: Leg) => ({ ...leg, pool: leg.pool.address }));
  const replayed = replayLegs((address) => market.get(address), claimed, tradeType);
  if ('failedLeg' in replayed) return `legs[${replayed.failedLeg}] does not execute as it says.`;
  for (const [token, balance] of replayed.balances) {
    const expected = token === tokenIn ? 0n - amountIn : token === tokenOut ? amountOut + surplus : 0n;
    if (balance !== expected) return 'the legs do not add up to amountIn and amountOut.';
  }
  return undefined;
}
