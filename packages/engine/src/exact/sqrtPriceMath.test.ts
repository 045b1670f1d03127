import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  amount0Between,
  amount0BetweenRoundingUp,
  amount1Between,
  amount1BetweenRoundingUp,
  priceAfterToken0In,
  priceAfterToken0Out,
  priceAfterToken1Out,
} from './sqrtPriceMath.ts';

const ONE = 2n ** 96n;
const ETHER = 10n ** 18n;
const MAX_UINT256 = 2n ** 256n - 1n;

// Figures without a derivation are the ones the protocol's own test suite publishes: Uniswap v3-core, SqrtPriceMath spec.

test('amounts between two prices are the published ones, also for products over 256 bits', () => {
  const [lower, upper] = [2n ** 141n, 2n ** 144n];
  assert.equal(amount0Between(lower, upper, ETHER), 24868n);
  assert.equal(amount0BetweenRoundingUp(lower, upper, ETHER), 24869n);
  assert.equal(amount1Between(ONE, (11n * ONE) / 10n, ETHER), 99999999999999999n);
  assert.equal(amount1BetweenRoundingUp(ONE, (11n * ONE) / 10n, ETHER), 100000000000000000n);
});

test('an amount that is a whole number is not rounded', () => {
  // L (1 - 1/2) of token0 and L (2 - 1) of token1 from price 1 to root price 2.
  for (const amount0 of [amount0Between, amount0BetweenRoundingUp])
    assert.equal(amount0(ONE, 2n * ONE, 10n), 5n);
  for (const amount1 of [amount1Between, amount1BetweenRoundingUp])
    assert.equal(amount1(ONE, 2n * ONE, 10n), 10n);
  for (const amount of [amount0Between, amount0BetweenRoundingUp, amount1Between, amount1BetweenRoundingUp])
    assert.equal(amount(ONE, ONE, 10n), 0n);
});

test('a remainder of one unit is enough to round up', () => {
  assert.equal(amount1Between(ONE, ONE + 1n, 1n), 0n);
  assert.equal(amount1BetweenRoundingUp(ONE, ONE + 1n, 1n), 1n);
  assert.equal(amount1BetweenRoundingUp(ONE, 2n * ONE + 1n, 1n), 2n);
});

test('an input of zero keeps the price, even where rounding would move it', () => {
  assert.equal(priceAfterToken0In(ONE, ETHER, 0n), ONE);
  assert.equal(priceAfterToken0In(3n, 1n, 0n), 3n);
  // Without liquidity the formula would divide by zero: the contract returns before it.
  assert.equal(priceAfterToken0In(ONE, 0n, 0n), ONE);
});

test('inputs beyond 96 bits move the price as published', () => {
  assert.equal(priceAfterToken0In(ONE, 10n * ETHER, 2n ** 100n), 624999999995069620n);
});

test('the largest input that does not overflow moves the price to one unit', () => {
  const [price, liquidity] = [2n ** 160n - 1n, 2n ** 128n - 1n];
  assert.equal(priceAfterToken0In(price, liquidity, MAX_UINT256 - (liquidity << 96n) / price), 1n);
});

/** The contract's two formulae for token0 coming in: to the unit, and where 256 bits are too few. */
function bothFormulae(price: bigint, liquidity: bigint, amount: bigint) {
  const scaled = liquidity << 96n;
  const roundedUp = (numerator: bigint, divisor: bigint): bigint =>
    numerator / divisor + (numerator % divisor === 0n ? 0n : 1n);
  return {
    precise: roundedUp(scaled * price, scaled + amount * price),
    coarse: roundedUp(scaled, scaled / price + amount),
  };
}

test('the coarser formula is used from the first product on that does not fit 256 bits', () => {
  // Chosen so that the largest sum that fits is the largest word itself.
  const price = 2n ** 160n - 2n ** 127n + 1n;
  const liquidity = 2n ** 127n + 2n ** 64n - 2n ** 31n - 1n;
  const largest = 2n ** 96n - 1n;
  assert.equal((liquidity << 96n) + largest * price, MAX_UINT256);
  const within = bothFormulae(price, liquidity, largest);
  const beyond = bothFormulae(price, liquidity, largest + 1n);
  assert.notEqual(within.precise, within.coarse);
  assert.notEqual(beyond.precise, beyond.coarse);
  assert.equal(priceAfterToken0In(price, liquidity, largest), within.precise);
  assert.equal(priceAfterToken0In(price, liquidity, largest + 1n), beyond.coarse);
  // The first sum that does not fit: 2^256 - 2^223 and 2^223.
  const first = [2n ** 160n - 2n ** 127n, 2n ** 127n, 2n ** 96n] as const;
  assert.notEqual(bothFormulae(...first).precise, bothFormulae(...first).coarse);
  assert.equal(priceAfterToken0In(...first), bothFormulae(...first).coarse);
});

test('an output moves the price to where the protocol’s own swap moved it', () => {
  assert.equal(priceAfterToken1Out(2n ** 104n, 1024n, 262143n), 77371252455336267181195264n);
  assert.equal(priceAfterToken0Out(ONE, ETHER, ETHER / 10n), 88031291682515930659493278152n);
});

test('a swap of 406 units moves the price as the contract did, and takes exactly 406 units', () => {
  const price = 1025574284609383690408304870162715216695788925244n;
  const liquidity = 50015962439936049619261659728067971248n;
  const next = priceAfterToken0In(price, liquidity, 406n);
  assert.equal(next, 1025574284609383582644711336373707553698163132913n);
  assert.equal(amount0BetweenRoundingUp(next, price, liquidity), 406n);
});
