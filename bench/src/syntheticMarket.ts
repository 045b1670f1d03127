import {
  type Address,
  createMarket,
  type FeePips,
  type Market,
  type Pool,
  sqrtPriceAtTick,
  tickAtSqrtPrice,
  toAddress,
  type V3Pool,
} from '@fairway/engine';
import { createNumbers, type Numbers } from './measuring/numbers.ts';

/** Tokens that most pools of a made-up market trade. */
export const HUBS = 6;
/** Pools of a made-up market for each of its tokens. */
export const POOLS_PER_TOKEN = 4;
const UNIT = 1e18;
/** V3's usual fees. */
export const TIERS = [
  { feePips: 100, spacing: 1 },
  { feePips: 500, spacing: 10 },
  { feePips: 3000, spacing: 60 },
  { feePips: 10_000, spacing: 200 },
] as const;

/**
 * A market of made-up pools, the same for the same seed. Tokens with the most pools come first; all have 18 decimals.
 */
export type SyntheticMarket = {
  readonly market: Market;
  readonly tokens: readonly { readonly address: Address; readonly dollars: number }[];
};

type Token = SyntheticMarket['tokens'][number];

/** Builds a market with a few hub tokens that most pools trade; half the pools are V2, half V3. */
export function syntheticMarket(poolCount: number, seed: number): SyntheticMarket {
  const numbers = createNumbers(seed);
  const tokens = Array.from({ length: Math.ceil(poolCount / POOLS_PER_TOKEN) }, (_, index) => ({
    address: numbered(0x1000 + index),
    dollars: 10 ** (numbers.fraction() * 5 - 2),
  }));
  const pools: Pool[] = [];
  while (pools.length < poolCount) {
    const one = tokens[pools.length % tokens.length];
    const other = tokens[numbers.fraction() < 0.7 ? numbers.below(HUBS) : numbers.below(tokens.length)];
    if (one === undefined || other === undefined || one === other) continue;
    pools.push(poolBetween(one, other, numbered(0x100000 + pools.length), numbers));
  }
  return { market: createMarket(pools), tokens };
}

/** The address with the value of a number. */
export function numbered(number: number): Address {
  return toAddress(`0x${number.toString(16).padStart(40, '0')}`);
}

function poolBetween(one: Token, other: Token, address: Address, numbers: Numbers): Pool {
  const [token0, token1] = one.address < other.address ? [one, other] : [other, one];
  const dollars = 10 ** (4 + numbers.fraction() * 3.5);
  // Prices differ by less than the fees, so that the market holds almost no arbitrage.
  const price = (token0.dollars / token1.dollars) * (1 + (numbers.fraction() - 0.5) * 0.001);
  const reserve0 = (dollars / 2 / token0.dollars) * UNIT;
  const identity = { address, tokens: [token0.address, token1.address] as const };
  if (numbers.fraction() < 0.5) {
    return {
      ...identity,
      kind: 'UNISWAP_V2',
      source: 'uniswap-v2',
      feePips: 3000 as FeePips,
      reserve0: BigInt(Math.floor(reserve0)),
      reserve1: BigInt(Math.floor(reserve0 * price)),
    };
  }
  return v3Pool(identity, price, BigInt(Math.floor(reserve0 * Math.sqrt(price))), numbers);
}

function v3Pool(
  identity: Pick<V3Pool, 'address' | 'tokens'>,
  price: number,
  fullRangeLiquidity: bigint,
  numbers: Numbers,
): V3Pool {
  const { feePips, spacing } = TIERS[numbers.below(TIERS.length)] ?? TIERS[2];
  const centre = Math.floor(Math.log(price) / Math.log(1.0001) / spacing) * spacing;
  const widest = Math.floor(887_272 / spacing) * spacing;
  const ranges = [
    { lower: -widest, upper: widest, liquidity: fullRangeLiquidity },
    ...Array.from({ length: 12 }, (_, index) => ({
      lower: centre - spacing * (1 + numbers.below(10 * (index + 1))),
      upper: centre + spacing * (1 + numbers.below(10 * (index + 1))),
      liquidity: (fullRangeLiquidity * BigInt(1 + numbers.below(300))) / 100n,
    })),
  ];
  const net = new Map<number, bigint>();
  for (const { lower, upper, liquidity } of ranges) {
    net.set(lower, (net.get(lower) ?? 0n) + liquidity);
    net.set(upper, (net.get(upper) ?? 0n) - liquidity);
  }
  const sqrtPriceX96 = sqrtPriceAtTick(centre) + 1n;
  const indexes = [...net.keys()].sort((a, b) => a - b);
  return {
    ...identity,
    kind: 'UNISWAP_V3',
    source: 'uniswap-v3',
    feePips: feePips as FeePips,
    tickSpacing: spacing,
    sqrtPriceX96,
    tick: tickAtSqrtPrice(sqrtPriceX96),
    liquidity: ranges.reduce((sum, range) => sum + range.liquidity, 0n),
    ticks: { indexes, liquidityNet: indexes.map((index) => net.get(index) ?? 0n) },
  };
}
