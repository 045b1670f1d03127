import {
  type Address,
  type FeePips,
  type Pool,
  tickAtSqrtPrice,
  toAddress,
  type V3Pool,
} from '@fairway/engine';
import { createNumbers, type Numbers } from '../measuring/numbers.ts';
import { numbered } from '../syntheticMarket.ts';
import type { MarketToken, RoutingMarket } from './market.ts';

/** The parameters of a made-up market; the same shape gives the same market. */
export type MarketShape = {
  readonly poolCount: number;
  readonly seed: number;
  /** Whether pool prices leave their fee bands, by about a percent, so that circles of swaps pay. */
  readonly arbitrage: boolean;
};

const HUBS = [
  { decimals: 18, usd: 3000 },
  { decimals: 6, usd: 1 },
  { decimals: 6, usd: 1 },
  { decimals: 8, usd: 90_000 },
  { decimals: 18, usd: 1 },
  { decimals: 18, usd: 3500 },
] as const;

const POOLS_PER_TOKEN = 2.5;
/** The share of pairs with a hub token. */
const HUB_SHARE = 0.9;
const LEAST_POOL_USD = 10_000;
const MOST_POOL_USD = 3e8;
/** The tail exponent of pool sizes: a few pools hold most of the money. */
const TAIL_EXPONENT = 0.7;
/** How far a pool's price may be from the fair price, as a part of its fee. Below 1 no circle of swaps pays. */
const BAND_SHARE = 0.9;
const ARBITRAGE_DEVIATION = 0.01;

/** V2 pairs of two tokens, one for each factory. */
const V2_FEES = [3000, 3000, 3000, 2500] as const;
/** V3 pools of two tokens: one factory has one for each fee. */
const V3_TIERS = [
  { feePips: 100, tickSpacing: 1 },
  { feePips: 500, tickSpacing: 10 },
  { feePips: 3000, tickSpacing: 60 },
  { feePips: 10_000, tickSpacing: 200 },
] as const;
const LEAST_TICKS = 50;
const MOST_TICKS = 300;

/**
 * A market like those of real chains. A few hub tokens are in most pairs. The amounts in pools follow a power law
 * from ten thousand to hundreds of millions of dollars. Half of the pools are V3 with 50 to 300 initialised ticks.
 * Every token has a fair price, and each pool's price differs from it by up to 0.9 of the pool's fee, evenly
 * distributed.
 */
export function powerLawMarket({ poolCount, seed, arbitrage }: MarketShape): RoutingMarket {
  const numbers = createNumbers(seed);
  const tokens = madeUpTokens(Math.max(12, Math.round(poolCount / POOLS_PER_TOKEN)), numbers);
  const taken = new Set<string>();
  const pools: Pool[] = [];
  while (pools.length < poolCount) {
    const [token0, token1] = pickPair(tokens, numbers);
    const v3 = pools.length % 2 === 1;
    const choice = numbers.below(v3 ? V3_TIERS.length : V2_FEES.length);
    const key = [token0.address, token1.address, v3, choice].join();
    if (token0 === token1 || taken.has(key)) continue;
    taken.add(key);
    const shape = { token0, token1, index: pools.length, arbitrage };
    pools.push(madeUpPool(v3 ? { ...shape, tier: V3_TIERS[choice] } : shape, V2_FEES[choice], numbers));
  }
  const name = `${poolCount.toLocaleString('en')} pools${arbitrage ? ' with arbitrage' : ''}, seed ${seed}`;
  return { name, tokens, pools, arbitrage };
}

/** Addresses are random, so that hubs are token0 of some pairs and token1 of others. */
function madeUpTokens(count: number, numbers: Numbers): MarketToken[] {
  return Array.from({ length: count }, (_, index) => {
    const drawn = numbers
      .below(2 ** 32)
      .toString(16)
      .padStart(8, '0');
    const address = toAddress(`0x${drawn}${index.toString(16).padStart(32, '0')}`);
    const decimals = [18, 18, 18, 6, 8][numbers.below(5)] ?? 18;
    return { address, ...(HUBS[index] ?? { decimals, usd: 10 ** (numbers.fraction() * 6 - 4) }) };
  });
}

/** Two tokens in the order of their addresses; tokens made earlier are drawn more often. */
function pickPair(tokens: readonly MarketToken[], numbers: Numbers): [MarketToken, MarketToken] {
  const pick = (most: number): MarketToken => {
    const token = tokens[Math.floor(most * numbers.fraction() ** 2)];
    if (token === undefined) throw new Error('a market has more tokens than hubs');
    return token;
  };
  const one = pick(numbers.fraction() < HUB_SHARE ? HUBS.length : tokens.length);
  const other = pick(tokens.length);
  return one.address < other.address ? [one, other] : [other, one];
}

type PoolShape = {
  readonly token0: MarketToken;
  readonly token1: MarketToken;
  readonly index: number;
  readonly arbitrage: boolean;
  /** Absent from a V2 pair. */
  readonly tier?: (typeof V3_TIERS)[number] | undefined;
};

function madeUpPool(shape: PoolShape, v2Fee: number | undefined, numbers: Numbers): Pool {
  const { token0, token1, index, arbitrage, tier } = shape;
  const usd = Math.min(MOST_POOL_USD, LEAST_POOL_USD * (1 - numbers.fraction()) ** (-1 / TAIL_EXPONENT));
  const feePips = tier?.feePips ?? v2Fee ?? 3000;
  const offset = arbitrage
    ? ARBITRAGE_DEVIATION * normal(numbers)
    : (2 * numbers.fraction() - 1) * BAND_SHARE * (feePips / 1e6);
  const [unit0, unit1] = [token0.usd / 10 ** token0.decimals, token1.usd / 10 ** token1.decimals];
  const price = (unit0 / unit1) * (1 + offset);
  const held1 = usd / 2 / unit1;
  const identity = {
    address: poolAddress(index),
    source: tier === undefined ? 'uniswap-v2' : 'uniswap-v3',
    tokens: [token0.address, token1.address] as const,
    feePips: feePips as FeePips,
  };
  if (tier !== undefined)
    return { ...identity, ...positionsAround(price, held1, tier.tickSpacing, numbers), kind: 'UNISWAP_V3' };
  return {
    ...identity,
    kind: 'UNISWAP_V2',
    reserve0: BigInt(Math.ceil(held1 / price)),
    reserve1: BigInt(Math.ceil(held1)),
  };
}

function poolAddress(index: number): Address {
  return numbered(0x10_0000_0000 + index);
}

/** Source: the Box-Muller transform. */
function normal(numbers: Numbers): number {
  return Math.sqrt(-2 * Math.log(1 - numbers.fraction())) * Math.cos(2 * Math.PI * numbers.fraction());
}

type V3State = Pick<V3Pool, 'sqrtPriceX96' | 'tick' | 'tickSpacing' | 'liquidity' | 'ticks'>;

/** Ticks to either side that the widest position spans: from a quarter of the price to four times it. */
const WIDEST_TICKS = 13_860;

/** Positions around a price, narrow ones and wide ones, each worth about as much. */
function positionsAround(price: number, held1: number, tickSpacing: number, numbers: Numbers): V3State {
  const sqrtPriceX96 = BigInt(Math.round(Math.sqrt(price) * 2 ** 64)) << 32n;
  const tick = tickAtSqrtPrice(sqrtPriceX96);
  const wanted = LEAST_TICKS + numbers.below(MOST_TICKS - LEAST_TICKS);
  const [usualWidth, spread] = [Math.max(8, 400 / tickSpacing), Math.max(20, 300 / tickSpacing)];
  const nets = new Map<number, bigint>();
  let liquidity = 0n;
  const add = (lower: number, upper: number): void => {
    const share = (2 * held1 * (0.3 + numbers.fraction())) / wanted;
    const added = BigInt(Math.ceil(share / Math.sqrt(price) / ((upper - lower) * tickSpacing * 5e-5)));
    for (const [index, net] of [
      [lower * tickSpacing, added] as const,
      [upper * tickSpacing, -added] as const,
    ])
      nets.set(index, (nets.get(index) ?? 0n) + net);
    if (lower * tickSpacing <= tick && tick < upper * tickSpacing) liquidity += added;
  };
  const centre = Math.floor(tick / tickSpacing);
  const widest = Math.ceil(WIDEST_TICKS / tickSpacing);
  add(centre - widest, centre + widest + 1);
  while (nets.size < wanted) {
    const width = Math.max(1, Math.round(usualWidth * Math.exp(1.2 * normal(numbers))));
    const middle = Math.round(centre + spread * (1 + 3 * numbers.fraction()) * normal(numbers));
    add(middle - width, middle + width);
  }
  const indexes = [...nets.keys()].filter((index) => nets.get(index) !== 0n).sort((a, b) => a - b);
  const liquidityNet = indexes.map((index) => nets.get(index) ?? 0n);
  return { sqrtPriceX96, tick, tickSpacing, liquidity, ticks: { indexes, liquidityNet } };
}
