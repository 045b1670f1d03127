import { type Address, type FeePips, sqrtPriceAtTick, tickAtSqrtPrice, type V3Pool } from '@fairway/engine';
import { type Factory, type TrackedPool, trackV3Pool } from '@fairway/evm';
import { createNumbers, type Numbers } from './measuring/numbers.ts';
import { HUBS, numbered, POOLS_PER_TOKEN, TIERS } from './syntheticMarket.ts';

const LEAST_TICKS = 50;
const MOST_TICKS = 300;

/** The factories of the made-up pools. */
export const FACTORIES: readonly [Factory, Factory] = [
  { kind: 'UNISWAP_V2', name: 'uniswap-v2', address: numbered(0xf2), feePips: 3000 as FeePips },
  {
    kind: 'UNISWAP_V3',
    name: 'uniswap-v3',
    address: numbered(0xf3),
    feeTiers: TIERS.map(({ feePips }) => feePips as FeePips),
  },
];

/** Made-up pools as a follower keeps them. */
export type LargeMarket = {
  readonly tokens: readonly Address[];
  readonly pools: readonly TrackedPool[];
  readonly tickCount: number;
  /** Ticks at which some positions begin and others end. */
  readonly meetingCount: number;
};

/**
 * Makes pools over a few hub tokens and many others; V3 pools have 50 to 300 ticks. The same pools for the same seed.
 */
export function largeMarket(v2Count: number, v3Count: number, seed: number): LargeMarket {
  const numbers = createNumbers(seed);
  const poolCount = v2Count + v3Count;
  const tokens = Array.from({ length: Math.ceil(poolCount / POOLS_PER_TOKEN) }, (_, index) =>
    numbered(0x1000 + index),
  );
  const pools: TrackedPool[] = [];
  const taken = new Set<string>();
  while (pools.length < poolCount) {
    const one = tokens[pools.length % tokens.length];
    const other = tokens[numbers.fraction() < 0.7 ? numbers.below(HUBS) : numbers.below(tokens.length)];
    if (one === undefined || other === undefined || one === other) continue;
    const [token0, token1] = one < other ? [one, other] : [other, one];
    const identity = { address: numbered(0x100000 + pools.length), tokens: [token0, token1] as const };
    const isV3 = (pools.length * v3Count) % poolCount < v3Count;
    const tracked = isV3 ? v3Pool(identity, numbers) : v2Pool(identity, numbers);
    // A factory has one pool for a pair of tokens and a fee.
    const key = `${tracked.pool.kind}/${token0}/${token1}/${tracked.pool.feePips}`;
    if (!taken.has(key)) pools.push(tracked);
    taken.add(key);
  }
  const v3 = pools.flatMap(({ pool }) => (pool.kind === 'UNISWAP_V3' ? [pool] : []));
  return {
    tokens,
    pools,
    tickCount: v3.reduce((sum, { ticks }) => sum + ticks.indexes.length, 0),
    meetingCount: pools.reduce((sum, { overlap }) => sum + overlap.size, 0),
  };
}

type Identity = Pick<V3Pool, 'address' | 'tokens'>;

/** Amounts of the size that tokens of 18 decimals have: most need more than 64 bits. */
function amount(numbers: Numbers): bigint {
  return BigInt(Math.floor(10 ** (19 + numbers.fraction() * 5)));
}

function v2Pool(identity: Identity, numbers: Numbers): TrackedPool {
  const { kind, name, feePips } = FACTORIES[0] as Extract<Factory, { kind: 'UNISWAP_V2' }>;
  const reserves = { reserve0: amount(numbers), reserve1: amount(numbers) };
  return { pool: { kind, source: name, ...identity, feePips, ...reserves }, overlap: new Map() };
}

function v3Pool(identity: Identity, numbers: Numbers): TrackedPool {
  const { feePips, spacing } = TIERS[numbers.below(TIERS.length)] ?? TIERS[2];
  const centre = numbers.below(2000) - 1000;
  const wanted = LEAST_TICKS + numbers.below(MOST_TICKS - LEAST_TICKS);
  const net = new Map<number, bigint>();
  const gross = new Map<number, bigint>();
  const place = (tick: number, size: bigint, change: bigint) => {
    gross.set(tick, (gross.get(tick) ?? 0n) + size);
    net.set(tick, (net.get(tick) ?? 0n) + change);
  };
  while (net.size < wanted) {
    const lower = centre + numbers.below(1200) - 600;
    const size = amount(numbers);
    place(lower * spacing, size, size);
    place((lower + 1 + numbers.below(300)) * spacing, size, -size);
  }
  const indexes = [...net.keys()].sort((a, b) => a - b);
  const sqrtPriceX96 = sqrtPriceAtTick(centre * spacing) + 1n;
  const tick = tickAtSqrtPrice(sqrtPriceX96);
  const liquidity = indexes.reduce((sum, index) => (index <= tick ? sum + (net.get(index) ?? 0n) : sum), 0n);
  return trackV3Pool(
    {
      kind: 'UNISWAP_V3',
      source: FACTORIES[1].name,
      ...identity,
      feePips: feePips as FeePips,
      tickSpacing: spacing,
      sqrtPriceX96,
      tick,
      liquidity,
    },
    indexes,
    indexes.map((index) => net.get(index) ?? 0n),
    indexes.map((index) => gross.get(index) ?? 0n),
  );
}
