import {
  type Address,
  type Amount,
  type Quote,
  type QuoteRequest,
  quote as routeQuote,
} from '@fairway/engine';
import type { Head } from '@fairway/evm';
import { LIMITS, NATIVE_ADDRESSES } from '@fairway/wire';
import type { ChainService } from '../chains/chainService.ts';
import {
  addError,
  addressField,
  amountField,
  chainIdField,
  type Fields,
  type GivenAddress,
  integerField,
  optional,
  pointerTo,
  required,
  sourcesField,
  tradeTypeField,
} from '../fields/fields.ts';
import {
  type Answer,
  impactTooHigh,
  invalidFields,
  marketStale,
  type ProblemAnswer,
  quoteRefused,
  refuse,
} from '../http/problem.ts';

/** Chains by the decimal digits of their id. */
export type ChainsByDigits = ReadonlyMap<string, ChainService>;

/** Indexes chains by the digits that requests name them with. */
export function chainsByDigits(chains: readonly ChainService[]): ChainsByDigits {
  return new Map(chains.map((chain) => [String(chain.chainId), chain]));
}

/** A token as the caller named it, and as the market knows it. */
type TradedToken = {
  readonly given: string;
  /** The token's own address; the wrapped token's for native currency. */
  readonly address: Address;
  readonly native: boolean;
};

/** What quotes and swaps both ask for. */
export type Trade = {
  readonly chain: ChainService;
  readonly tokenIn: TradedToken;
  readonly tokenOut: TradedToken;
  readonly tradeType: 'EXACT_IN' | 'EXACT_OUT';
  readonly amount: Amount;
  readonly slippageBps: number;
  readonly excludeSources: ReadonlySet<string>;
  readonly maxHops: number;
  readonly maxSplits: number;
  readonly amountPointer: string;
};

/** Names of the fields of a trade. */
export const TRADE_FIELDS = [
  'chainId',
  'tokenIn',
  'tokenOut',
  'tradeType',
  'amount',
  'slippageBps',
  'excludeSources',
  'maxHops',
  'maxSplits',
] as const;

const slippageField = integerField(LIMITS.slippageBps);
const maxHopsField = integerField(LIMITS.maxHops);
const maxSplitsField = integerField(LIMITS.maxSplits);

/** The fields of a trade as read; a member is undefined when it is wrong, which `fields.errors` then says. */
export type ReadTrade = ReturnType<typeof readTrade>;

/** Reads the fields of a trade without judging whether it can be made. */
export function readTrade(fields: Fields) {
  return {
    chainId: required(fields, 'chainId', chainIdField),
    tokenIn: required(fields, 'tokenIn', addressField),
    tokenOut: required(fields, 'tokenOut', addressField),
    tradeType: required(fields, 'tradeType', tradeTypeField),
    amount: required(fields, 'amount', amountField),
    slippageBps: optional(fields, 'slippageBps', slippageField) ?? LIMITS.slippageBps.default,
    excludeSources: optional(fields, 'excludeSources', sourcesField) ?? [],
    maxHops: optional(fields, 'maxHops', maxHopsField) ?? LIMITS.maxHops.default,
    maxSplits: optional(fields, 'maxSplits', maxSplitsField) ?? LIMITS.maxSplits.default,
  };
}

/** Judges whether the trade can be asked for on a chain of this deployment, whose market must be fresh. */
export function resolveTrade(fields: Fields, read: ReadTrade, chains: ChainsByDigits): Answer<Trade> {
  const { chainId, tokenIn, tokenOut, tradeType, amount } = read;
  const chain = chainId === undefined ? undefined : chains.get(chainId);
  if (chain !== undefined) refuseUnknownSources(fields, chain, read.excludeSources);
  if (
    fields.errors.length > 0 ||
    chainId === undefined ||
    tokenIn === undefined ||
    tokenOut === undefined ||
    tradeType === undefined ||
    amount === undefined
  ) {
    return refuse(invalidFields(fields.errors));
  }
  if (chain === undefined) return refuse(unknownChain(chainId, pointerTo(fields.origin, 'chainId')));
  const trade: Trade = {
    ...read,
    chain,
    tradeType,
    amount: amount as Amount,
    tokenIn: tradedToken(tokenIn, chain),
    tokenOut: tradedToken(tokenOut, chain),
    excludeSources: new Set(read.excludeSources),
    amountPointer: pointerTo(fields.origin, 'amount'),
  };
  const problem = unfitMarket(trade) ?? unfitTokens(fields, trade);
  return problem === undefined ? { ok: true, body: trade } : refuse(problem);
}

/** The problem of a chain that is not configured. */
export function unknownChain(digits: string, pointer: string): ProblemAnswer {
  const detail = `Chain ${digits} is not served here; GET /v1/markets/chains lists the chains that are.`;
  return { code: 'unknown-chain', detail, errors: [{ pointer, detail }] };
}

/** A misspelt source must not silently be routed through. Before the first block no source can be told from a wrong one. */
function refuseUnknownSources(fields: Fields, chain: ChainService, names: readonly string[]): void {
  if (names.length === 0 || chain.follower.market.poolCount === 0) return;
  const known = new Set<string>();
  for (const { source } of chain.follower.market.pools()) known.add(source);
  const unknown = names.filter((name) => !known.has(name));
  if (unknown.length === 0) return;
  const shown = unknown.map((name) => JSON.stringify(name.slice(0, 64))).join(', ');
  const sources = [...known].sort().join(', ');
  addError(
    fields,
    'excludeSources',
    `excludeSources names ${shown}, which is no source here; the sources are ${sources}.`,
  );
}

function tradedToken({ given, address }: GivenAddress, chain: ChainService): TradedToken {
  const native = NATIVE_ADDRESSES.includes(address);
  return { given, native, address: native ? chain.wrappedNative : address };
}

/** Why a chain's market may not be priced from at the moment. */
export function unfitMarket({ chain }: Pick<Trade, 'chain'>): ProblemAnswer | undefined {
  const { freshness, head } = chain.follower.status();
  if (!freshness.fresh) return marketStale(chain.chainId, freshness);
  if (head !== undefined) return undefined;
  return marketStale(chain.chainId, {
    fresh: false,
    why: 'SYNCING',
    detail: 'no block has been read yet.',
    retryAfterSeconds: 1,
  });
}

function unfitTokens({ origin }: Fields, { chain, tokenIn, tokenOut }: Trade): ProblemAnswer | undefined {
  if (tokenIn.address === tokenOut.address && tokenIn.native === tokenOut.native) {
    return { code: 'same-token', detail: 'tokenIn and tokenOut are the same token.' };
  }
  const unlisted = [
    { name: 'tokenIn', token: tokenIn },
    { name: 'tokenOut', token: tokenOut },
  ].filter(({ token }) => !token.native && !chain.follower.tokens.has(token.address));
  if (unlisted.length === 0) return undefined;
  const errors = unlisted.map(({ name, token }) => ({
    pointer: pointerTo(origin, name),
    detail: `${name} ${token.given} is not listed on chain ${chain.chainId}; GET /v1/markets/tokens lists what is.`,
  }));
  return { code: 'unknown-token', detail: errors.map(({ detail }) => detail).join(' '), errors };
}

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
export function priceTrade(trade: Trade, nowMs: number): Answer<PricedTrade> {
  const { chain, tokenIn, tokenOut } = trade;
  const head = chain.follower.head();
  if (head === undefined) throw new Error('A fresh market has a head.');
  if (tokenIn.address === tokenOut.address)
    return { ok: true, body: pricedTrade(trade, head, nowMs, undefined) };
  const result = routeQuote(chain.follower.market, toQuoteRequest(trade, head));
  if (!result.ok) return refuse(quoteRefused(result.refusal, trade));
  const { priceImpactBps } = result.quote;
  if (priceImpactBps > chain.maxPriceImpactBps) {
    return refuse(impactTooHigh(priceImpactBps, chain.maxPriceImpactBps));
  }
  return { ok: true, body: pricedTrade(trade, head, nowMs, result.quote) };
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
