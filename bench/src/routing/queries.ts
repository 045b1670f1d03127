import type { Address, TradeType } from '@fairway/engine';
import { createNumbers } from '../measuring/numbers.ts';
import { heldUsd, type RoutingMarket, unitPrices } from './market.ts';

/** A query of a benchmark: a pair of tokens, and amounts of each that are worth the same. */
export type RoutingQuery = {
  readonly tokenIn: Address;
  readonly tokenOut: Address;
  readonly size: Size;
  /** The exact amount for each trade type. */
  readonly amounts: Readonly<Record<TradeType, bigint>>;
};

/** The size of a trade, compared with what the pools of its tokens hold. */
export type Size = 'small' | 'medium' | 'large';

const SIZES: readonly { readonly size: Size; readonly mostUsd: number; readonly mostShare: number }[] = [
  { size: 'small', mostUsd: 300, mostShare: 3e-4 },
  { size: 'medium', mostUsd: 30_000, mostShare: 2e-3 },
  { size: 'large', mostUsd: 1_000_000, mostShare: 1e-2 },
];

/**
 * Tokens with less in all their pools are left out: one unit of a token with few decimals would be basis points of a
 * trade.
 */
const LEAST_HELD_USD = 300_000;

/**
 * Pairs of tokens, popular ones more often, with three sizes in turn: 300, 30,000 and a million dollars. No size
 * exceeds its share of what the pools of the smaller token hold: 0.03, 0.2 and 1 percent.
 */
export function routingQueries(market: RoutingMarket, count: number, seed: number): RoutingQuery[] {
  const numbers = createNumbers(seed);
  const traded = tradedTokens(market);
  if (traded.length < 2) return [];
  const queries: RoutingQuery[] = [];
  while (queries.length < count) {
    const [a, b] = [0, 0].map(() => traded[Math.floor(traded.length * numbers.fraction() ** 3)]);
    const shape = SIZES[queries.length % SIZES.length];
    if (a === undefined || b === undefined || a === b || shape === undefined) continue;
    const usd = Math.min(shape.mostUsd, shape.mostShare * Math.min(a.heldUsd, b.heldUsd));
    queries.push({
      tokenIn: a.address,
      tokenOut: b.address,
      size: shape.size,
      amounts: {
        EXACT_IN: BigInt(Math.ceil(usd / a.unitUsd)),
        EXACT_OUT: BigInt(Math.ceil(usd / b.unitUsd)),
      },
    });
  }
  return queries;
}

type TradedToken = {
  readonly address: Address;
  readonly unitUsd: number;
  readonly poolCount: number;
  readonly heldUsd: number;
};

/** Tokens with enough in their pools, those with the most pools first. */
function tradedTokens(market: RoutingMarket): TradedToken[] {
  const prices = unitPrices(market);
  const counts = new Map<Address, number>();
  const held = new Map<Address, number>();
  for (const pool of market.pools) {
    const usd = heldUsd(pool, prices);
    for (const token of pool.tokens) {
      counts.set(token, (counts.get(token) ?? 0) + 1);
      held.set(token, (held.get(token) ?? 0) + usd);
    }
  }
  return market.tokens
    .map(({ address }) => ({
      address,
      unitUsd: prices.get(address) ?? 0,
      poolCount: counts.get(address) ?? 0,
      heldUsd: held.get(address) ?? 0,
    }))
    .filter((token) => token.unitUsd > 0 && token.heldUsd >= LEAST_HELD_USD)
    .sort((a, b) => b.poolCount - a.poolCount);
}
