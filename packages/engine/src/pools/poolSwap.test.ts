import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressOf } from '../../test/marketArbitraries.ts';
import type { FeePips, V2Pool } from '../types.ts';
import { buyFrom, exactInput, exactOutput, otherToken, poolAfter, sellTo } from './poolSwap.ts';

const [TOKEN0, TOKEN1, STRANGER] = [addressOf(1), addressOf(2), addressOf(3)];
const PAIR: V2Pool = {
  kind: 'UNISWAP_V2',
  address: addressOf(9),
  source: 'v2',
  token0: TOKEN0,
  token1: TOKEN1,
  feePips: 3000 as FeePips,
  reserve0: 1000n,
  reserve1: 5000n,
};

test('a pair swaps in the direction of the token named, and crosses no ticks', () => {
  assert.deepEqual([otherToken(PAIR, TOKEN0), otherToken(PAIR, TOKEN1)], [TOKEN1, TOKEN0]);
  // 99.7 of 1099.7 parts of 5000, and of 5099.7 parts of 1000.
  assert.deepEqual(sellTo(PAIR, TOKEN0, 100n), { amount: 453n, crossed: 0 });
  assert.deepEqual(sellTo(PAIR, TOKEN1, 100n), { amount: 19n, crossed: 0 });
  // 1000 / 9 and 5000 / 9 over 0.997, and one.
  assert.deepEqual(buyFrom(PAIR, TOKEN1, 500n), { amount: 112n, crossed: 0 });
  assert.deepEqual(buyFrom(PAIR, TOKEN0, 100n), { amount: 558n, crossed: 0 });
  assert.deepEqual([exactInput(PAIR, TOKEN0, 100n), exactInput(PAIR, TOKEN1, 100n)], [453n, 19n]);
  assert.deepEqual([exactOutput(PAIR, TOKEN1, 500n), exactOutput(PAIR, TOKEN0, 100n)], [112n, 558n]);
});

test('after a swap a pair has gained the input and lost the output', () => {
  const moved = { amountIn: 100n, amountOut: 19n };
  for (const tradeType of ['EXACT_IN', 'EXACT_OUT'] as const) {
    assert.deepEqual(poolAfter(PAIR, { tokenIn: TOKEN0, tradeType, ...moved }), {
      ...PAIR,
      reserve0: 1100n,
      reserve1: 4981n,
    });
    assert.deepEqual(poolAfter(PAIR, { tokenIn: TOKEN1, tradeType, ...moved }), {
      ...PAIR,
      reserve0: 981n,
      reserve1: 5100n,
    });
  }
});

test('a pair refuses a token that it does not trade and an amount that it does not hold', () => {
  assert.equal(exactInput(PAIR, STRANGER, 100n), undefined);
  assert.equal(exactOutput(PAIR, STRANGER, 100n), undefined);
  assert.equal(buyFrom(PAIR, TOKEN1, 5000n), undefined);
  assert.equal(sellTo(PAIR, TOKEN0, 2n ** 112n), undefined);
  assert.equal(exactOutput(PAIR, TOKEN1, 5000n), undefined);
  assert.equal(exactInput(PAIR, TOKEN0, 2n ** 112n), undefined);
});
