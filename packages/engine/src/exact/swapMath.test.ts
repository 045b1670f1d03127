/// <reference types="node" />
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  amount0Between,
  amount0BetweenRoundingUp,
  amount1BetweenRoundingUp,
  priceAfterToken0In,
  priceAfterToken0Out,
  priceAfterToken1In,
  priceAfterToken1Out,
} from './sqrtPriceMath.ts';
import { computeSwapStep } from './swapMath.ts';

// The figures are the ones the protocol's own test suite publishes: Uniswap v3-core, SwapMath and SqrtPriceMath specs.

const ONE = 2n ** 96n;
const ETHER = 10n ** 18n;
/** sqrt(101/100), sqrt(10), 10 and 1.1 in Q64.96. */
const PRICE_1_01 = 79623317895830914510639640423n;
const PRICE_10 = 250541448375047931186413801569n;
const PRICE_100 = 10n * ONE;
const PRICE_1_21 = (11n * ONE) / 10n;

test('an exact input stops at the target price and leaves the rest of the input', () => {
  const stretch = { price: ONE, target: PRICE_1_01, liquidity: 2n * ETHER, feePips: 600n };
  assert.deepEqual(computeSwapStep(stretch, 'EXACT_IN', ETHER), {
    price: PRICE_1_01,
    amountIn: 9975124224178055n,
    amountOut: 9925619580021728n,
    feeAmount: 5988667735148n,
  });
});

test('an exact output stops at the target price and leaves the rest of the output', () => {
  const stretch = { price: ONE, target: PRICE_1_01, liquidity: 2n * ETHER, feePips: 600n };
  assert.deepEqual(computeSwapStep(stretch, 'EXACT_OUT', ETHER), {
    price: PRICE_1_01,
    amountIn: 9975124224178055n,
    amountOut: 9925619580021728n,
    feeAmount: 5988667735148n,
  });
});

test('an exact input that ends within the stretch is spent to the last unit', () => {
  const stretch = { price: ONE, target: PRICE_10, liquidity: 2n * ETHER, feePips: 600n };
  const step = computeSwapStep(stretch, 'EXACT_IN', ETHER);
  assert.equal(step.amountIn, 999400000000000000n);
  assert.equal(step.feeAmount, 600000000000000n);
  assert.equal(step.amountOut, 666399946655997866n);
  assert.ok(step.price < PRICE_10);
});

test('an exact output that ends within the stretch is paid to the last unit', () => {
  const stretch = { price: ONE, target: PRICE_100, liquidity: 2n * ETHER, feePips: 600n };
  const step = computeSwapStep(stretch, 'EXACT_OUT', ETHER);
  assert.equal(step.amountIn, 2000000000000000000n);
  assert.equal(step.feeAmount, 1200720432259356n);
  assert.equal(step.amountOut, ETHER);
});

test('an exact output never pays more than asked, however far rounding moves the price', () => {
  const stretch = {
    price: 417332158212080721273783715441582n,
    target: 1452870262520218020823638996n,
    liquidity: 159344665391607089467575320103n,
    feePips: 1n,
  };
  assert.deepEqual(computeSwapStep(stretch, 'EXACT_OUT', 1n), {
    price: 417332158212080721273783715441581n,
    amountIn: 1n,
    amountOut: 1n,
    feeAmount: 1n,
  });
});

test('a price of one unit takes part of the input and pays nothing', () => {
  const stretch = { price: 2n, target: 1n, liquidity: 1n, feePips: 1n };
  assert.deepEqual(computeSwapStep(stretch, 'EXACT_IN', 3915081100057732413702495386755767n), {
    price: 1n,
    amountIn: 39614081257132168796771975168n,
    amountOut: 0n,
    feeAmount: 39614120871253040049813n,
  });
});

test('an input too small to move the price is all fee', () => {
  const stretch = {
    price: 2413n,
    target: 79887613182836312n,
    liquidity: 1985041575832132834610021537970n,
    feePips: 1872n,
  };
  assert.deepEqual(computeSwapStep(stretch, 'EXACT_IN', 10n), {
    price: 2413n,
    amountIn: 0n,
    amountOut: 0n,
    feeAmount: 10n,
  });
});

test('amounts between prices round in the pool’s favour', () => {
  assert.equal(amount0BetweenRoundingUp(ONE, PRICE_1_21, ETHER), 90909090909090910n);
  assert.equal(amount0Between(ONE, PRICE_1_21, ETHER), 90909090909090909n);
  assert.equal(amount1BetweenRoundingUp(ONE, PRICE_1_21, ETHER), 100000000000000000n);
});

test('prices after an amount round in the pool’s favour', () => {
  const tenth = ETHER / 10n;
  assert.equal(priceAfterToken0In(ONE, ETHER, tenth), 72025602285694852357767227579n);
  assert.equal(priceAfterToken1In(ONE, ETHER, tenth), 87150978765690771352898345369n);
  assert.equal(priceAfterToken0Out(ONE, ETHER, tenth), 88031291682515930659493278152n);
  assert.equal(priceAfterToken1Out(ONE, ETHER, tenth), 71305346262837903834189555302n);
});

test('an input whose product overflows 256 bits uses the contract’s second formula', () => {
  assert.equal(priceAfterToken0In(ONE, 1n, 2n ** 255n), 1n);
});
