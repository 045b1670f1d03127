import { createRequire } from 'node:module';
import { type Address, replaySwap, type TradeType, type V3Pool } from '@fairway/engine';
import type { Pool as SdkPool, TickDataProvider } from '@uniswap/v3-sdk';
import type { ClaimedLeg } from '../replay.ts';
import type { Claim, Router } from './routers.ts';
import { depthUsd, type RoutingMarket, unitPrices } from './market.ts';
import type { RoutingQuery } from './queries.ts';

// The ES modules of both packages import without file endings, which only bundlers resolve.
const require = createRequire(import.meta.url);
const sdk = require('@uniswap/v3-sdk') as typeof import('@uniswap/v3-sdk');
const core = require('@uniswap/sdk-core') as typeof import('@uniswap/sdk-core');

const CHAIN_ID = 1;
const MAX_HOPS = 3;
const HUBS = 6;
/** How many pools it gets: its search tries every path over them, so that twice as many take several times as long. */
const MOST_POOLS = 24;
/** How many of these are pools of the input token, and of the output token. */
const POOLS_PER_END = 8;
const BUDGET_MS = 2000;

/** The note beside its figures. */
export const V3_SDK_NOTE = `@uniswap/v3-sdk: its Trade.bestTrade knows V3 pools and single paths only, and tries every path. It gets the
  ${MOST_POOLS} deepest V3 pools between the two tokens and the ${HUBS} most connected ones, maxHops ${MAX_HOPS}, maxNumResults 1, and ${BUDGET_MS / 1000} s
  a query, after which the query counts as unanswered.`;

/** The router of Uniswap's V3 SDK over the pools that suit a query best. */
export function v3SdkRouter(market: RoutingMarket): Router {
  const pools = market.pools.filter((pool) => pool.kind === 'UNISWAP_V3' && isKnownTier(pool)) as V3Pool[];
  const prices = unitPrices(market);
  const deepest = pools
    .map((pool) => ({ pool, depth: depthUsd(pool, prices) }))
    .sort((a, b) => b.depth - a.depth)
    .map(({ pool }) => pool);
  const hubs = hubsOf(pools);
  const budget = { deadlineMs: Number.POSITIVE_INFINITY };
  const loaded = new Map<Address, SdkPool>();
  const load = (pool: V3Pool): SdkPool => {
    const known = loaded.get(pool.address) ?? sdkPool(pool, market, budget);
    loaded.set(pool.address, known);
    return known;
  };
  return {
    name: '@uniswap/v3-sdk',
    repeats: 1,
    prepare(query, tradeType) {
      const chosen = candidates(deepest, hubs, query);
      const known = new Map(chosen.map((pool) => [load(pool), pool]));
      return async () => {
        budget.deadlineMs = performance.now() + BUDGET_MS;
        try {
          return await bestTrade(known, market, query, tradeType);
        } finally {
          budget.deadlineMs = Number.POSITIVE_INFINITY;
        }
      };
    },
  };
}

/** The SDK takes a pool's tick spacing from its fee. */
function isKnownTier({ feePips, tickSpacing }: V3Pool): boolean {
  return (sdk.TICK_SPACINGS as Readonly<Record<number, number>>)[feePips] === tickSpacing;
}

function hubsOf(pools: readonly V3Pool[]): ReadonlySet<Address> {
  const neighbours = new Map<Address, Set<Address>>();
  for (const {
    tokens: [token0, token1],
  } of pools) {
    neighbours.set(token0, (neighbours.get(token0) ?? new Set()).add(token1));
    neighbours.set(token1, (neighbours.get(token1) ?? new Set()).add(token0));
  }
  const ranked = [...neighbours].sort(([, a], [, b]) => b.size - a.size);
  return new Set(ranked.slice(0, HUBS).map(([token]) => token));
}

/**
 * The pools that are searched: pools between the query's tokens and hubs, the deepest of each token first, then the
 * deepest of all.
 */
function candidates(
  deepest: readonly V3Pool[],
  hubs: ReadonlySet<Address>,
  { tokenIn, tokenOut }: RoutingQuery,
): V3Pool[] {
  const among = new Set([...hubs, tokenIn, tokenOut]);
  const usable = deepest.filter(({ tokens }) => tokens.every((token) => among.has(token)));
  const ofEnd = (end: Address): V3Pool[] =>
    usable.filter(({ tokens }) => tokens.includes(end)).slice(0, POOLS_PER_END);
  return [...new Set([...ofEnd(tokenIn), ...ofEnd(tokenOut), ...usable])].slice(0, MOST_POOLS);
}

function sdkToken(address: Address, { tokens }: RoutingMarket) {
  const decimals = tokens.find((token) => token.address === address)?.decimals ?? 18;
  return new core.Token(CHAIN_ID, address, decimals, undefined, undefined, true);
}

class BudgetError extends Error {}

type Budget = { deadlineMs: number };

function sdkPool(pool: V3Pool, market: RoutingMarket, budget: Budget): SdkPool {
  const { feePips, sqrtPriceX96, liquidity, tick, tickSpacing, ticks } = pool;
  const table = new sdk.TickListDataProvider(
    ticks.indexes.map((index, at) => ({
      index,
      liquidityNet: String(ticks.liquidityNet[at] ?? 0n),
      // Swaps use only the net amount; the SDK checks that there is a gross amount.
      liquidityGross: String(grossOf(ticks.liquidityNet[at] ?? 0n)),
    })),
    tickSpacing,
  );
  // The search cannot be cancelled, but it reads ticks all the time, so reading throws once the time is over.
  const timely: TickDataProvider = {
    getTick: (index) => table.getTick(index),
    nextInitializedTickWithinOneWord(from, lte, spacing) {
      if (performance.now() > budget.deadlineMs) throw new BudgetError();
      return table.nextInitializedTickWithinOneWord(from, lte, spacing);
    },
  };
  return new sdk.Pool(
    sdkToken(pool.tokens[0], market),
    sdkToken(pool.tokens[1], market),
    feePips,
    String(sqrtPriceX96),
    String(liquidity),
    tick,
    timely,
  );
}

function grossOf(net: bigint): bigint {
  return net < 0n ? -net : net;
}

/** The best trade as legs; undefined where the SDK finds none, fails, or takes too long. */
async function bestTrade(
  known: ReadonlyMap<SdkPool, V3Pool>,
  market: RoutingMarket,
  { tokenIn, tokenOut, amounts }: RoutingQuery,
  tradeType: TradeType,
): Promise<Claim | undefined> {
  const [from, to] = [sdkToken(tokenIn, market), sdkToken(tokenOut, market)];
  const options = { maxHops: MAX_HOPS, maxNumResults: 1 };
  const pools = [...known.keys()];
  const amount = String(amounts[tradeType]);
  try {
    const [trade] =
      tradeType === 'EXACT_IN'
        ? await sdk.Trade.bestTradeExactIn(
            pools,
            core.CurrencyAmount.fromRawAmount(from, amount),
            to,
            options,
          )
        : await sdk.Trade.bestTradeExactOut(
            pools,
            from,
            core.CurrencyAmount.fromRawAmount(to, amount),
            options,
          );
    if (trade === undefined) return undefined;
    const path = trade.swaps.flatMap(({ route }) => route.pools.flatMap((pool) => known.get(pool) ?? []));
    return claimAlong(path, tokenIn, tokenOut, {
      tradeType,
      amountIn: BigInt(trade.inputAmount.quotient.toString()),
      amountOut: BigInt(trade.outputAmount.quotient.toString()),
    });
  } catch {
    return undefined;
  }
}

type Totals = { readonly tradeType: TradeType; readonly amountIn: bigint; readonly amountOut: bigint };

/** A path's legs. The SDK gives only the amounts at both ends; the amounts between are computed here. */
function claimAlong(
  path: readonly V3Pool[],
  tokenIn: Address,
  tokenOut: Address,
  { tradeType, amountIn, amountOut }: Totals,
): Claim | undefined {
  const forward = tradeType === 'EXACT_IN';
  const legs: ClaimedLeg[] = [];
  let [token, amount] = forward ? [tokenIn, amountIn] : [tokenOut, amountOut];
  for (const pool of forward ? path : path.toReversed()) {
    const other = pool.tokens[0] === token ? pool.tokens[1] : pool.tokens[0];
    const swap = replaySwap(pool, { tokenIn: forward ? token : other, tradeType, amount });
    if (swap === undefined) return undefined;
    const amounts = { amountIn: swap.amountIn, amountOut: swap.amountOut } as Pick<
      ClaimedLeg,
      'amountIn' | 'amountOut'
    >;
    const [from, to] = forward ? [token, other] : [other, token];
    legs.push({ pool: pool.address, tokenIn: from, tokenOut: to, ...amounts });
    [token, amount] = [other, forward ? swap.amountOut : swap.amountIn];
  }
  return { amountIn, amountOut, legs: forward ? legs : legs.reverse() };
}
