import fc from 'fast-check';
import { sqrtPriceAtTick } from '../src/exact/tickMath.ts';
import type { FeePips, Pool } from '../src/types.ts';
import { addressOf } from './marketArbitraries.ts';

/** How many ticks each token's worth lies above the first token's. Prices are up to a factor of a million apart. */
const WORTH = [0, 0, 0, 46_050, -27_630, 69_080, -9_000];

type Shape = {
  v3: boolean;
  first: number;
  step: number;
  bits: number;
  skew: number;
  fee: number;
  widths: number[];
};

/** Pools whose prices agree within their fees, so that no circle pays. `kinds` selects V2 pools, V3 pools or both. */
export function consistentMarkets(kinds: 'BOTH' | 'V2' | 'V3', maxPools = 12): fc.Arbitrary<Pool[]> {
  const shape: fc.Arbitrary<Shape> = fc.record({
    v3: kinds === 'BOTH' ? fc.boolean() : fc.constant(kinds === 'V3'),
    first: fc.integer({ min: 1, max: 6 }),
    step: fc.integer({ min: 1, max: 5 }),
    bits: fc.integer({ min: 50, max: 75 }),
    skew: fc.double({ min: -0.9, max: 0.9, noNaN: true }),
    fee: fc.constantFrom(100, 500, 3000, 10_000),
    widths: fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 0, maxLength: 5 }),
  });
  return fc
    .array(shape, { minLength: 2, maxLength: maxPools })
    .map((shapes) =>
      shapes.map((each, index) => poolOf(index === 0 ? { ...each, first: 1, step: 1 } : each, index)),
    );
}

/** The tick at which pools between two tokens, by their numbers, are priced alike. */
export function marketTick(low: number, high: number): number {
  return (WORTH[low] ?? 0) - (WORTH[high] ?? 0);
}

function poolOf(shape: Shape, index: number): Pool {
  const second = ((shape.first + shape.step - 1) % 6) + 1;
  const [low, high] = [Math.min(shape.first, second), Math.max(shape.first, second)];
  const feePips = shape.v3 ? shape.fee : 3000;
  const centre = marketTick(low, high);
  const tick = centre + Math.trunc((shape.skew * feePips) / 100);
  const identity = {
    address: addressOf(0x1000 + index),
    tokens: [addressOf(low), addressOf(high)] as const,
    feePips: feePips as FeePips,
    source: shape.v3 ? 'v3' : 'v2',
  };
  const sqrtPriceX96 = sqrtPriceAtTick(tick) + 12_345n;
  const depth = 1n << BigInt(shape.bits);
  if (!shape.v3) {
    const [reserve0, reserve1] = [(depth << 96n) / sqrtPriceX96 + 1n, ((depth * sqrtPriceX96) >> 96n) + 1n];
    return { ...identity, kind: 'UNISWAP_V2', reserve0, reserve1 };
  }
  return { ...identity, kind: 'UNISWAP_V3', ...positionsAround(tick, shape, depth), sqrtPriceX96, tick };
}

function positionsAround(tick: number, { widths, fee }: Shape, depth: bigint) {
  const tickSpacing = { 100: 1, 500: 10, 3000: 60 }[fee] ?? 200;
  const nets = new Map<number, bigint>();
  const base = Math.floor(tick / tickSpacing);
  let liquidity = 0n;
  for (const [index, width] of [Math.floor(100_000 / tickSpacing), ...widths].entries()) {
    // Every third narrow position lies beside the price: liquidity of one side only.
    const shift = index % 3 === 2 ? width + 1 : 0;
    const [lower, upper] = [(base - width + shift) * tickSpacing, (base + width + shift + 1) * tickSpacing];
    const added = index === 0 ? depth : depth * BigInt(index * 3);
    nets.set(lower, (nets.get(lower) ?? 0n) + added);
    nets.set(upper, (nets.get(upper) ?? 0n) - added);
    if (lower <= tick && tick < upper) liquidity += added;
  }
  const indexes = [...nets.keys()].filter((index) => nets.get(index) !== 0n).sort((a, b) => a - b);
  return {
    tickSpacing,
    liquidity,
    ticks: { indexes, liquidityNet: indexes.map((index) => nets.get(index) ?? 0n) },
  };
}
