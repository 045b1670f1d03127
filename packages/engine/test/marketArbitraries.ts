import fc from 'fast-check';
import { sqrtPriceAtTick } from '../src/exact/tickMath.ts';
import { type Address, type FeePips, type Pool, toAddress, type V2Pool, type V3Pool } from '../src/types.ts';

const WORD_EDGES = [-513, -512, -511, -257, -256, -255, -1, 0, 1, 255, 256, 257, 511, 512];
const HIGHEST_TICK = 887272;

/** A lower-case address that sorts by its number. */
export function addressOf(number: number): Address {
  return toAddress(`0x${number.toString(16).padStart(40, '0')}`);
}

/** Positive amounts spread evenly over their bit lengths. */
export function amounts(maxBits: number): fc.Arbitrary<bigint> {
  return fc
    .tuple(fc.integer({ min: 0, max: maxBits - 1 }), fc.bigInt({ min: 0n, max: 2n ** 256n }))
    .map(([bits, noise]) => (1n << BigInt(bits)) + (noise & ((1n << BigInt(bits)) - 1n)));
}

type PositionShape = { a: number; b: number; liquidity: bigint };
type PriceShape = { at: 'TICK' | 'AFTER_LEFTWARD_CROSS' | 'BETWEEN'; pick: number; offset: bigint };

/** V3 pools: overlapping and adjoining positions, gaps, word edges, prices on and between ticks. */
export function v3Pools(maxLiquidityBits: number): fc.Arbitrary<V3Pool> {
  const coordinate = fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: -600, max: 600 }) },
    { weight: 4, arbitrary: fc.constantFrom(...WORD_EDGES) },
    { weight: 1, arbitrary: fc.constantFrom(-1_000_000, 1_000_000) },
  );
  return fc
    .record({
      tickSpacing: fc.constantFrom(1, 10, 60, 200),
      feePips: fc.constantFrom(100, 500, 3000, 10000),
      positions: fc.array(fc.record({ a: coordinate, b: coordinate, liquidity: amounts(maxLiquidityBits) }), {
        minLength: 1,
        maxLength: 8,
      }),
      price: fc.record({
        at: fc.constantFrom('TICK', 'AFTER_LEFTWARD_CROSS', 'BETWEEN'),
        pick: fc.integer({ min: -1500, max: 1500 }),
        offset: fc.bigInt({ min: 0n, max: 2n ** 96n }),
      }) as fc.Arbitrary<PriceShape>,
    })
    .map(({ tickSpacing, feePips, positions, price }) => buildV3(tickSpacing, feePips, positions, price));
}

function buildV3(spacing: number, feePips: number, shapes: PositionShape[], shape: PriceShape): V3Pool {
  const bound = Math.floor(HIGHEST_TICK / spacing);
  const clamp = (coordinate: number): number => Math.max(-bound, Math.min(bound, coordinate));
  const nets = new Map<number, bigint>();
  const positions = shapes.map(({ a, b, liquidity }) => {
    const lower = Math.min(clamp(Math.min(a, b)), bound - 1);
    const upper = Math.max(clamp(Math.max(a, b)), lower + 1);
    return { lower: lower * spacing, upper: upper * spacing, liquidity };
  });
  for (const { lower, upper, liquidity } of positions) {
    nets.set(lower, (nets.get(lower) ?? 0n) + liquidity);
    nets.set(upper, (nets.get(upper) ?? 0n) - liquidity);
  }
  const indexes = [...nets.keys()].sort((a, b) => a - b);
  const { sqrtPriceX96, tick } = placePrice(indexes, spacing, shape);
  const liquidity = positions
    .filter(({ lower, upper }) => lower <= tick && tick < upper)
    .reduce((sum, position) => sum + position.liquidity, 0n);
  return {
    kind: 'UNISWAP_V3',
    address: addressOf(0xaa),
    source: 'v3',
    tokens: [addressOf(1), addressOf(2)],
    feePips: feePips as FeePips,
    tickSpacing: spacing,
    sqrtPriceX96,
    tick,
    liquidity,
    ticks: { indexes, liquidityNet: indexes.map((index) => nets.get(index) ?? 0n) },
  };
}

function placePrice(indexes: number[], spacing: number, { at, pick, offset }: PriceShape) {
  const limit = HIGHEST_TICK - 2;
  const inRange = (tick: number): number => Math.max(-limit, Math.min(limit, tick));
  if (at === 'BETWEEN') {
    const tick = inRange(Math.trunc((pick * spacing) / 2));
    const low = sqrtPriceAtTick(tick);
    return { tick, sqrtPriceX96: low + (offset % (sqrtPriceAtTick(tick + 1) - low)) };
  }
  // Half of the picks land on an initialised tick, the others on a word edge.
  const edge = (WORD_EDGES[Math.abs(pick) % WORD_EDGES.length] ?? 0) * spacing;
  const chosen = pick % 2 === 0 ? (indexes[Math.abs(pick) % indexes.length] ?? 0) : edge;
  const tick = inRange(chosen);
  return { tick: at === 'TICK' ? tick : tick - 1, sqrtPriceX96: sqrtPriceAtTick(tick) };
}

const v2Pools: fc.Arbitrary<V2Pool> = fc.record({
  kind: fc.constant('UNISWAP_V2' as const),
  address: fc.constant(addressOf(0xbb)),
  source: fc.constantFrom('v2', 'v2-fork'),
  tokens: fc.constant([addressOf(1), addressOf(2)] as const),
  feePips: fc.constantFrom(3000, 2500, 3000) as fc.Arbitrary<FeePips>,
  reserve0: amounts(80),
  reserve1: amounts(80),
});

/** Small markets over five tokens, numbered 1 to 5. Every kind of pool listed may stand between any two tokens. */
export function markets(kinds: readonly Pool['kind'][]): fc.Arbitrary<Pool[]> {
  const shapes: Record<Pool['kind'], fc.Arbitrary<Pool>> = { UNISWAP_V2: v2Pools, UNISWAP_V3: v3Pools(70) };
  const pool = fc
    .tuple(
      fc.oneof(...kinds.map((kind) => shapes[kind])),
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 1, max: 4 }),
    )
    .map(([shape, first, step]) => {
      const second = ((first + step - 1) % 5) + 1;
      return {
        ...shape,
        tokens: [addressOf(Math.min(first, second)), addressOf(Math.max(first, second))] as const,
      };
    });
  return fc
    .array(pool, { minLength: 2, maxLength: 10 })
    .map((pools) => pools.map((each, index) => ({ ...each, address: addressOf(0x1000 + index) })));
}
