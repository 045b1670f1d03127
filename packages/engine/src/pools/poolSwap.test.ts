import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressOf } from '../../test/marketArbitraries.ts';
import type { FeePips, V2Pool } from '../types.ts';
import { hopOf } from './direction.ts';
import { buyFrom, exactInput, exactOutput, poolAfter, sellTo } from './poolSwap.ts';

const [TOKEN0, TOKEN1, STRANGER] = [addressOf(1), addressOf(2), addressOf(3)];
const PAIR: V2Pool = {
  kind: 'UNISWAP_V2',
  address: addressOf(9),
  source: 'v2',
  tokens: [TOKEN0, TOKEN1],
  feePips: 3000 as FeePips,
  reserve0: 1000n,
  reserve1: 5000n,
};
/** The pair in its directions: the first token sold, and the second. */
const [SELLS0, SELLS1] = [hopOf(PAIR, 0), hopOf(PAIR, 1)];

test('a pair swaps in its directions, and crosses no ticks', () => {
  assert.deepEqual(SELLS0, { pool: PAIR, tokenIn: TOKEN0, tokenOut: TOKEN1 });
  assert.deepEqual(SELLS1, { pool: PAIR, tokenIn: TOKEN1, tokenOut: TOKEN0 });
  // 99.7 of 1099.7 parts of 5000, and of 5099.7 parts of 1000.
  assert.deepEqual(sellTo(PAIR, 0, 100n), { amount: 453n, crossed: 0 });
  assert.deepEqual(sellTo(PAIR, 1, 100n), { amount: 19n, crossed: 0 });
  // 1000 / 9 and 5000 / 9 over 0.997, and one.
  assert.deepEqual(buyFrom(PAIR, 0, 500n), { amount: 112n, crossed: 0 });
  assert.deepEqual(buyFrom(PAIR, 1, 100n), { amount: 558n, crossed: 0 });
  assert.deepEqual([exactInput(SELLS0, 100n), exactInput(SELLS1, 100n)], [453n, 19n]);
  assert.deepEqual([exactOutput(SELLS0, 500n), exactOutput(SELLS1, 100n)], [112n, 558n]);
});

test('after a swap a pair has gained the input and lost the output', () => {
  const moved = { amountIn: 100n, amountOut: 19n };
  for (const tradeType of ['EXACT_IN', 'EXACT_OUT'] as const) {
    assert.deepEqual(poolAfter(SELLS0, { tradeType, ...moved }), {
      ...PAIR,
      reserve0: 1100n,
      reserve1: 4981n,
    });
    assert.deepEqual(poolAfter(SELLS1, { tradeType, ...moved }), {
      ...PAIR,
      reserve0: 981n,
      reserve1: 5100n,
    });
  }
});

test('a pair refuses a token that it does not trade and an amount that it does not hold', () => {
  assert.equal(exactInput({ ...SELLS0, tokenIn: STRANGER }, 100n), undefined);
  assert.equal(exactOutput({ ...SELLS0, tokenOut: STRANGER }, 100n), undefined);
  assert.equal(buyFrom(PAIR, 0, 5000n), undefined);
  assert.equal(sellTo(PAIR, 0, 2n ** 112n), undefined);
  assert.equal(exactOutput(SELLS0, 5000n), undefined);
  assert.equal(exactInput(SELLS0, 2n ** 112n), undefined);
});
