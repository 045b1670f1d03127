import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressOf } from '../../test/marketArbitraries.ts';
import type { Pool } from '../types.ts';
import { directionCount, directionOf, hopOf } from './direction.ts';

/** No kind has pools of three tokens yet: of a pool, directions ask for its tokens alone. */
function poolOf(count: number): Pool {
  const tokens = Array.from({ length: count }, (_, index) => addressOf(1 + index));
  return { address: addressOf(9), tokens } as unknown as Pool;
}

test('a pair sells its first token in direction 0 and its second in direction 1', () => {
  const pool = poolOf(2);
  assert.equal(directionCount(pool), 2);
  assert.deepEqual(hopOf(pool, 0), { pool, tokenIn: addressOf(1), tokenOut: addressOf(2) });
  assert.deepEqual(hopOf(pool, 1), { pool, tokenIn: addressOf(2), tokenOut: addressOf(1) });
});

test('a pool of any number of tokens has one direction for each two of them, each way', () => {
  for (const count of [2, 3, 4]) {
    const pool = poolOf(count);
    const hops = Array.from({ length: directionCount(pool) }, (_, direction) => hopOf(pool, direction));
    const pairs = pool.tokens.flatMap((tokenIn) =>
      pool.tokens.filter((tokenOut) => tokenOut !== tokenIn).map((tokenOut) => ({ pool, tokenIn, tokenOut })),
    );
    assert.deepEqual(hops, pairs);
    for (const [direction, { tokenIn, tokenOut }] of hops.entries())
      assert.equal(directionOf(pool, tokenIn, tokenOut), direction);
  }
});

test('a pool has no direction for a token that it does not trade, nor from a token to itself', () => {
  const pool = poolOf(3);
  assert.equal(directionOf(pool, addressOf(7), addressOf(1)), undefined);
  assert.equal(directionOf(pool, addressOf(1), addressOf(7)), undefined);
  assert.equal(directionOf(pool, addressOf(1), addressOf(1)), undefined);
});
