/// <reference types="node" />
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressOf } from '../../test/marketArbitraries.ts';
import { exactInput, exactOutput } from './poolSwap.ts';
import { MAX_SQRT_PRICE, MIN_SQRT_PRICE, sqrtPriceAtTick } from './tickMath.ts';
import { toAddress, type FeePips, type V3Pool } from '../types.ts';
import { replaySwap } from './v3Replay.ts';

const TOKEN0 = addressOf(1);
const TOKEN1 = addressOf(2);

/** A pool at price 1 with liquidity 1e18 from tick -600 to 600 and spacing 1: wide enough to pass word edges. */
const POOL: V3Pool = {
  kind: 'UNISWAP_V3',
  address: addressOf(9),
  source: 'v3',
  token0: TOKEN0,
  token1: TOKEN1,
  feePips: 500 as FeePips,
  tickSpacing: 1,
  sqrtPriceX96: sqrtPriceAtTick(0),
  tick: 0,
  liquidity: 10n ** 18n,
  ticks: { indexes: [-600, 600], liquidityNet: [10n ** 18n, -(10n ** 18n)] },
};

test('every bitmap word edge ends a step, on both sides', () => {
  const left = replaySwap(POOL, { tokenIn: TOKEN0, tradeType: 'EXACT_OUT', amount: 2n * 10n ** 16n });
  assert.deepEqual(
    left?.steps.slice(0, 2).map((step) => step.price),
    [sqrtPriceAtTick(0), sqrtPriceAtTick(-256)],
  );
  const right = replaySwap(POOL, { tokenIn: TOKEN1, tradeType: 'EXACT_OUT', amount: 2n * 10n ** 16n });
  assert.equal(right?.steps[0]?.price, sqrtPriceAtTick(255));
});

test('word edges change the amount by units, and the quote has those units', () => {
  const amount = 2n * 10n ** 16n;
  const wide: V3Pool = {
    ...POOL,
    tickSpacing: 60,
    ticks: { ...POOL.ticks, indexes: [-600, 600] },
  };
  const narrow = replaySwap(POOL, { tokenIn: TOKEN0, tradeType: 'EXACT_IN', amount });
  const oneStep = replaySwap(wide, { tokenIn: TOKEN0, tradeType: 'EXACT_IN', amount });
  assert.notEqual(narrow?.amountOut, oneStep?.amountOut);
  assert.equal(exactInput(POOL, TOKEN0, amount), narrow?.amountOut);
  assert.equal(exactInput(wide, TOKEN0, amount), oneStep?.amountOut);
});

test('an input beyond the depth is refused, not partly filled', () => {
  const replay = replaySwap(POOL, { tokenIn: TOKEN0, tradeType: 'EXACT_IN', amount: 10n ** 18n });
  assert.ok(replay !== undefined && replay.amountLeft > 0n && replay.amountOut > 0n);
  assert.equal(replay.pool.sqrtPriceX96, MIN_SQRT_PRICE + 1n);
  assert.equal(exactInput(POOL, TOKEN0, 10n ** 18n), undefined);
  assert.equal(exactInput(POOL, TOKEN0, replay.amountIn), replay.amountOut);
  assert.equal(exactInput(POOL, TOKEN0, replay.amountIn + 1n), undefined);
  assert.equal(exactOutput(POOL, TOKEN1, replay.amountOut + 1n), undefined);
});

test('an input too small to buy a unit buys nothing', () => {
  assert.equal(exactInput(POOL, TOKEN0, 1n), 0n);
});

test('a pool at its price limit, without a price, or without liquidity serves nothing', () => {
  const atFloor = { ...POOL, sqrtPriceX96: MIN_SQRT_PRICE + 1n, tick: -887272 };
  const atCeiling = { ...POOL, sqrtPriceX96: MAX_SQRT_PRICE - 1n, tick: 887271 };
  const unpriced = { ...POOL, sqrtPriceX96: 0n };
  const empty = { ...POOL, liquidity: 0n, ticks: { indexes: [], liquidityNet: [] } };
  assert.equal(replaySwap(atFloor, { tokenIn: TOKEN0, tradeType: 'EXACT_IN', amount: 1n }), undefined);
  assert.equal(exactInput(atFloor, TOKEN0, 1n), undefined);
  assert.equal(replaySwap(atCeiling, { tokenIn: TOKEN1, tradeType: 'EXACT_IN', amount: 1n }), undefined);
  assert.equal(exactInput(atCeiling, TOKEN1, 1n), undefined);
  for (const tokenIn of [TOKEN0, TOKEN1]) {
    assert.equal(exactInput(unpriced, tokenIn, 1000n), undefined);
    assert.equal(exactInput(empty, tokenIn, 1000n), undefined);
    assert.equal(exactOutput(empty, tokenIn, 1000n), undefined);
  }
});

test('a one-sided pool is reached over the gap without liquidity', () => {
  const oneSided: V3Pool = {
    ...POOL,
    liquidity: 0n,
    ticks: { indexes: [5000, 5100], liquidityNet: [10n ** 18n, -(10n ** 18n)] },
  };
  const swap = { tokenIn: TOKEN1, tradeType: 'EXACT_IN', amount: 10n ** 15n } as const;
  const replay = replaySwap(oneSided, swap);
  assert.equal(replay?.amountLeft, 0n);
  assert.equal(exactInput(oneSided, TOKEN1, swap.amount), replay?.amountOut);
  assert.equal(exactInput(oneSided, TOKEN0, swap.amount), undefined);
});

test('a pool value that replaces another is quoted from its own state', () => {
  const before = exactInput(POOL, TOKEN0, 10n ** 15n);
  const replay = replaySwap(POOL, { tokenIn: TOKEN0, tradeType: 'EXACT_IN', amount: 10n ** 15n });
  assert.ok(replay !== undefined);
  const after = exactInput(replay.pool, TOKEN0, 10n ** 15n);
  assert.ok(before !== undefined && after !== undefined && after < before);
  assert.equal(exactInput(POOL, TOKEN0, 10n ** 15n), before);
});

test('a token the pool does not trade and amounts that are none are refused', () => {
  const stranger = toAddress(`0x${'9'.repeat(40)}`);
  assert.equal(exactInput(POOL, stranger, 1000n), undefined);
  assert.equal(exactOutput(POOL, stranger, 1000n), undefined);
  assert.equal(replaySwap(POOL, { tokenIn: stranger, tradeType: 'EXACT_IN', amount: 1000n }), undefined);
  for (const amount of [0n, -1n, 2n ** 255n]) {
    assert.equal(exactInput(POOL, TOKEN0, amount), undefined);
    assert.equal(exactOutput(POOL, TOKEN1, amount), undefined);
    assert.equal(replaySwap(POOL, { tokenIn: TOKEN0, tradeType: 'EXACT_IN', amount }), undefined);
  }
});
