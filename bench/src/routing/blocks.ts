import { createMarket, exactInput, type Market, type Pool, quote, replaySwap } from '@fairway/engine';
import { createNumbers, type Numbers } from '../measuring/numbers.ts';
import { API_DEFAULTS, requestOf } from './routers.ts';
import { depthUsd, type RoutingMarket, unitPrices } from './market.ts';
import type { RoutingQuery } from './queries.ts';

/** How many pools a block changes, and from how many deep pools they are drawn. */
const CHANGED_POOLS = 10;
const BUSY_POOLS = 100;
const ROUNDS = 5;

/** Times in milliseconds, one for each quote or block. */
export type BlockTimes = {
  /** The very first quote of each pair in a market that was just made. */
  readonly coldMs: readonly number[];
  /** The first quote after a block. */
  readonly firstMs: readonly number[];
  /** The same quote again. */
  readonly warmMs: readonly number[];
  /** The time to put a block's changed pools into the market. */
  readonly putMs: readonly number[];
};

/** Measures quotes in a market that blocks change: each block moves the prices of ten of the hundred deepest pools. */
export function timeBlocks(shape: RoutingMarket, queries: readonly RoutingQuery[], seed: number): BlockTimes {
  const market = createMarket(shape.pools.map((pool) => ({ ...pool })));
  const requests = queries.map((query) => requestOf(query, 'EXACT_IN', API_DEFAULTS));
  const times = {
    coldMs: [] as number[],
    firstMs: [] as number[],
    warmMs: [] as number[],
    putMs: [] as number[],
  };
  for (const request of requests) times.coldMs.push(timed(() => quote(market, request)));
  const numbers = createNumbers(seed);
  const busy = busyPools(shape);
  for (let round = 0; round < ROUNDS; round += 1)
    for (const request of requests) {
      const changed = changedPools(market, busy, numbers);
      times.putMs.push(timed(() => changed.forEach((pool) => market.put(pool))));
      times.firstMs.push(timed(() => quote(market, request)));
      times.warmMs.push(timed(() => quote(market, request)));
    }
  return times;
}

function timed(call: () => unknown): number {
  const startedMs = performance.now();
  call();
  return performance.now() - startedMs;
}

function busyPools(shape: RoutingMarket): Pool[] {
  const prices = unitPrices(shape);
  return shape.pools
    .map((pool) => ({ pool, depth: depthUsd(pool, prices) }))
    .sort((a, b) => b.depth - a.depth)
    .slice(0, BUSY_POOLS)
    .map(({ pool }) => pool);
}

/** Pools after somebody swapped a ten-thousandth of their depth, one way or the other. */
function changedPools(market: Market, busy: readonly Pool[], numbers: Numbers): Pool[] {
  return Array.from({ length: CHANGED_POOLS }, () => {
    const address = busy[numbers.below(busy.length)]?.address;
    const pool = address === undefined ? undefined : market.get(address);
    if (pool === undefined) throw new Error('a busy pool is gone');
    return afterSwap(pool, numbers.fraction() < 0.5);
  });
}

function afterSwap(pool: Pool, zeroForOne: boolean): Pool {
  const [tokenIn, tokenOut] = zeroForOne ? pool.tokens : [pool.tokens[1], pool.tokens[0]];
  switch (pool.kind) {
    case 'UNISWAP_V2': {
      const { reserve0, reserve1 } = pool;
      const amountIn = (zeroForOne ? reserve0 : reserve1) / 10_000n + 1n;
      const amountOut = exactInput({ pool, tokenIn, tokenOut }, amountIn) ?? 0n;
      return zeroForOne
        ? { ...pool, reserve0: reserve0 + amountIn, reserve1: reserve1 - amountOut }
        : { ...pool, reserve0: reserve0 - amountOut, reserve1: reserve1 + amountIn };
    }
    case 'UNISWAP_V3': {
      const price = Number(pool.sqrtPriceX96) / 2 ** 96;
      const depth = zeroForOne ? Number(pool.liquidity) / price : Number(pool.liquidity) * price;
      const amount = BigInt(Math.ceil(depth * 1e-4));
      return replaySwap(pool, { tokenIn, tradeType: 'EXACT_IN', amount })?.pool ?? { ...pool };
    }
  }
}
