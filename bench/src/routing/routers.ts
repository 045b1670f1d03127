import {
  type Amount,
  bestPathQuote,
  type Market,
  quote,
  type QuoteRequest,
  type QuoteResult,
  type TradeType,
} from '@fairway/engine';
import { venueGas } from '@fairway/evm';
import { LIMITS } from '@fairway/wire';
import type { ClaimedLeg } from '../replay.ts';
import type { RoutingQuery } from './queries.ts';

/** A router's answer, before its replay. */
export type Claim = {
  readonly amountIn: bigint;
  /** The whole output, which for EXACT_OUT may be more than asked. */
  readonly amountOut: bigint;
  /** In execution order. */
  readonly legs: readonly ClaimedLeg[];
  /** The gap that the router itself proves, to the best route over the pools it considered. */
  readonly provenGapBps?: number;
};

/** How many hops and paths a router may use. */
export type Width = { readonly maxHops: number; readonly maxSplits: number };

/** A router with its market loaded. Gas costs nothing for all routers, so that only the search is compared. */
export type Router = {
  readonly name: string;
  /** Timed calls per query; slow routers get fewer. */
  readonly repeats: number;
  /** Prepares what a user of the router has ready before a query comes; this is not measured. */
  prepare(query: RoutingQuery, tradeType: TradeType): () => Claim | undefined | Promise<Claim | undefined>;
};

/** Limits that no route of the engine reaches. */
export const FULL_WIDTH: Width = { maxHops: 8, maxSplits: 1000 };

/** The defaults of `GET /v1/quote`. */
export const API_DEFAULTS: Width = {
  maxHops: LIMITS.maxHops.default,
  maxSplits: LIMITS.maxSplits.default,
};

/** The engine at its full width, at the API's defaults, and its single-path baseline. */
export function engineRouters(market: Market): Router[] {
  const { maxHops, maxSplits } = API_DEFAULTS;
  const engine = (name: string, width: Width, repeats: number, ask: Ask): Router => ({
    name,
    repeats,
    prepare(query, tradeType) {
      const request = requestOf(query, tradeType, width);
      return () => claimOf(ask(market, request));
    },
  });
  return [
    engine('quote, full width', FULL_WIDTH, 9, quote),
    engine(`quote, ${maxHops} hops ${maxSplits} paths`, API_DEFAULTS, 9, quote),
    engine('bestPathQuote', { maxHops, maxSplits: 1 }, 3, bestPathQuote),
  ];
}

type Ask = (market: Market, request: QuoteRequest) => QuoteResult;

/** A query as a request to the engine, with gas at no cost. */
export function requestOf(
  { tokenIn, tokenOut, amounts }: RoutingQuery,
  tradeType: TradeType,
  width: Width,
): QuoteRequest {
  const gasPrice = { weiPerGas: 0n, wrappedNative: tokenIn };
  const amount = amounts[tradeType] as Amount;
  const gas = { gasPrice, venueGas: venueGas('SWAP_ROUTER_02') };
  return { tokenIn, tokenOut, tradeType, amount, ...width, excludeSources: new Set(), ...gas };
}

function claimOf(result: QuoteResult): Claim | undefined {
  if (!result.ok) return undefined;
  const { amountIn, amountOut, surplus, legs, optimality } = result.quote;
  return {
    amountIn,
    amountOut: amountOut + surplus,
    legs: legs.map((leg) => ({ ...leg, pool: leg.pool.address })),
    ...(optimality === undefined ? {} : { provenGapBps: optimality.gapBps }),
  };
}
