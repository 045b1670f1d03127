import { type Address, type Pool, sqrtPriceAtTick, type V3Pool } from '@fairway/engine';
import { readMarketFile } from '../route/marketFile.ts';

/** A token of a market, with what is needed to choose sensible amounts of it. */
export type MarketToken = {
  readonly address: Address;
  readonly decimals: number;
  /** US dollars for one whole token; 0 where the price is unknown. */
  readonly usd: number;
};

/** Pools and tokens that a benchmark routes over. */
export type RoutingMarket = {
  readonly name: string;
  readonly tokens: readonly MarketToken[];
  readonly pools: readonly Pool[];
  /** Whether prices differ, or may differ, by more than the fees. */
  readonly arbitrage: boolean;
};

/** A market file as a market to route over. A market read from a chain may hold arbitrage. @throws InputError */
export function snapshotMarket(path: string): RoutingMarket {
  const { name, tokens, pools } = readMarketFile(path);
  return {
    name,
    pools,
    arbitrage: true,
    tokens: tokens.map(({ address, decimals, usd }) => ({
      address,
      decimals: decimals ?? 18,
      usd: usd ?? 0,
    })),
  };
}

/** US dollars for the smallest unit of each token. */
export function unitPrices({ tokens }: RoutingMarket): ReadonlyMap<Address, number> {
  return new Map(tokens.map(({ address, decimals, usd }) => [address, usd / 10 ** decimals]));
}

/** What a pool holds, in US dollars. */
export function heldUsd(pool: Pool, prices: ReadonlyMap<Address, number>): number {
  const [held0, held1] = heldBy(pool);
  return held0 * (prices.get(pool.tokens[0]) ?? 0) + held1 * (prices.get(pool.tokens[1]) ?? 0);
}

/**
 * How much a pool takes while its price moves by a percent, in US dollars. This shows how well it competes: of two
 * positions with the same worth, the narrow one takes more.
 */
export function depthUsd(pool: Pool, prices: ReadonlyMap<Address, number>): number {
  return 0.005 * reserve1Of(pool) * (prices.get(pool.tokens[1]) ?? 0);
}

/** The reserve of token1 that a constant product would need to be as deep as the pool at its price. */
function reserve1Of(pool: Pool): number {
  switch (pool.kind) {
    case 'UNISWAP_V2':
      return Number(pool.reserve1);
    case 'UNISWAP_V3':
      return Number(pool.liquidity) * (Number(pool.sqrtPriceX96) / 2 ** 96);
  }
}

function heldBy(pool: Pool): [number, number] {
  switch (pool.kind) {
    case 'UNISWAP_V2':
      return [Number(pool.reserve0), Number(pool.reserve1)];
    case 'UNISWAP_V3':
      return heldByPositions(pool);
  }
}

/** The amounts in all positions. Source: Uniswap v3 whitepaper, 6.4. */
function heldByPositions({ ticks, sqrtPriceX96 }: V3Pool): [number, number] {
  const price = Number(sqrtPriceX96) / 2 ** 96;
  let [held0, held1, liquidity] = [0, 0, 0n];
  for (const [at, tick] of ticks.indexes.entries()) {
    liquidity += ticks.liquidityNet[at] ?? 0n;
    const next = ticks.indexes[at + 1];
    if (next === undefined) break;
    const [from, to] = [tick, next].map((index) => Number(sqrtPriceAtTick(index)) / 2 ** 96);
    const [low, high] = [from ?? 0, to ?? 0];
    const within = Math.min(high, Math.max(low, price));
    held0 += Number(liquidity) * (1 / within - 1 / high);
    held1 += Number(liquidity) * (within - low);
  }
  return [held0, held1];
}
