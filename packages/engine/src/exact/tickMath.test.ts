import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runs, seed } from '@fairway/testing/properties';
import fc from 'fast-check';
import {
  approximateSqrtPriceAtTick,
  MAX_SQRT_PRICE,
  MAX_TICK,
  MIN_SQRT_PRICE,
  MIN_TICK,
  sqrtPriceAtTick,
  tickAtSqrtPrice,
} from './tickMath.ts';

test('ticks have the prices the protocol publishes', () => {
  const published: [number, bigint][] = [
    [MIN_TICK, 4295128739n],
    [MIN_TICK + 1, 4295343490n],
    [0, 79228162514264337593543950336n],
    [MAX_TICK - 1, 1461373636630004318706518188784493106690254656249n],
    [MAX_TICK, 1461446703485210103287273052203988822378723970342n],
  ];
  for (const [tick, sqrtPrice] of published) assert.equal(sqrtPriceAtTick(tick), sqrtPrice);
  assert.deepEqual([MIN_SQRT_PRICE, MAX_SQRT_PRICE], [published[0]?.[1], published[4]?.[1]]);
});

test('prices outside the range have no tick, and ticks outside the range have no price', () => {
  for (const tick of [MIN_TICK - 1, MAX_TICK + 1, 0.5]) {
    const refusal = { name: 'RangeError', message: `Tick out of range: ${tick}` };
    assert.throws(() => sqrtPriceAtTick(tick), refusal);
  }
  for (const sqrtPrice of [MIN_SQRT_PRICE - 1n, MAX_SQRT_PRICE, MAX_SQRT_PRICE + 1n]) {
    const refusal = { name: 'RangeError', message: `Square root price out of range: ${sqrtPrice}` };
    assert.throws(() => tickAtSqrtPrice(sqrtPrice), refusal);
  }
  assert.equal(tickAtSqrtPrice(MIN_SQRT_PRICE), MIN_TICK);
  assert.equal(tickAtSqrtPrice(MAX_SQRT_PRICE - 1n), MAX_TICK - 1);
});

/** floor(sqrt(value)) by Newton's method. */
function integerRoot(value: bigint): bigint {
  let guess = 1n << BigInt(Math.ceil(value.toString(2).length / 2));
  for (;;) {
    const next = (guess + value / guess) >> 1n;
    if (next >= guess) return guess;
    guess = next;
  }
}

/** 1.0001 to the power of `tick`, in units of 2^-1024. */
function powerOfTick(tick: number): bigint {
  let [power, square] = [1n << 1024n, (10001n << 1024n) / 10000n];
  for (let rest = tick; rest > 0; rest >>= 1) {
    if (rest & 1) power = (power * square) >> 1024n;
    square = (square * square) >> 1024n;
  }
  return power;
}

test('the price of a tick is the square root of 1.0001 to the power of the tick', () => {
  // Near this tick the contract's rounding is smallest: a multiplier that is wrong by a relative 2^-110 shows.
  const base = 221_184;
  const withEachBit = Array.from({ length: 18 }, (_, bit) => base | (1 << bit));
  for (const tick of [...withEachBit, 1 << 18, 1 << 19]) {
    const expected = integerRoot(powerOfTick(tick) << 1024n) >> (1024n - 96n);
    const difference = sqrtPriceAtTick(tick) - expected;
    // Each of up to 20 roundings is one unit of a Q128 reciprocal of the price.
    const tolerance = ((20n * expected * expected) >> 224n) + 2n;
    assert.ok(difference <= tolerance && difference >= -tolerance, `tick ${tick} is off by ${difference}`);
  }
});

test('approximate prices equal the contract’s to the last digits of a double, at every tick', () => {
  assert.equal(approximateSqrtPriceAtTick(0), 1);
  const ticks = Array.from({ length: 20 }, (_, bit) => 1 << bit);
  for (const distance of [...ticks, ...ticks.map((tick) => tick - 1), 699_051, 349_525, MAX_TICK]) {
    for (const tick of [distance, -distance]) {
      const exact = Number(sqrtPriceAtTick(tick)) / 2 ** 96;
      // The contract's own price has fewer digits than a double where it is small: one unit in 2^32 at the lowest tick.
      const tolerance = 1e-14 + 2 / Number(sqrtPriceAtTick(tick));
      const difference = Math.abs(approximateSqrtPriceAtTick(tick) / exact - 1);
      assert.ok(difference <= tolerance, `tick ${tick} is off by ${difference}`);
    }
  }
});

test('the tick of a price is the greatest tick whose price is not above it', () => {
  const anyTick = fc.integer({ min: MIN_TICK, max: MAX_TICK - 1 });
  const property = fc.property(anyTick, fc.bigInt({ min: 0n, max: 2n ** 160n }), (tick, noise) => {
    const price = sqrtPriceAtTick(tick);
    const above = sqrtPriceAtTick(tick + 1);
    assert.ok(above > price);
    assert.equal(tickAtSqrtPrice(price), tick);
    assert.equal(tickAtSqrtPrice(above - 1n), tick);
    assert.equal(tickAtSqrtPrice(price + (noise % (above - price))), tick);
  });
  fc.assert(property, { seed, numRuns: runs(2000) });
});
