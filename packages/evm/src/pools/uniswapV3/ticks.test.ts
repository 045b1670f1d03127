import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FeePips, toAddress, type V3Pool } from '@fairway/engine';
import { seed } from '@fairway/testing/properties';
import fc from 'fast-check';
import { isTradable } from '../poolKinds.ts';
import { NO_OVERLAP } from '../trackedPool.ts';
import { liquidityGrossOf, trackV3Pool, withLiquidity } from './ticks.ts';

const emptyPool: V3Pool = {
  kind: 'UNISWAP_V3',
  address: toAddress(`0x${'01'.repeat(20)}`),
  source: 'uniswap-v3',
  tokens: [toAddress(`0x${'0a'.repeat(20)}`), toAddress(`0x${'0b'.repeat(20)}`)],
  feePips: 3000 as FeePips,
  tickSpacing: 60,
  sqrtPriceX96: 2n ** 96n,
  tick: 0,
  liquidity: 0n,
  ticks: { indexes: [], liquidityNet: [] },
};
const empty = { pool: emptyPool, overlap: NO_OVERLAP };

test('a position adds its liquidity at its lower tick and takes it away at its upper one', () => {
  const tracked = withLiquidity(empty, -60, 120, 500n);
  const { pool } = tracked;
  assert.deepEqual(pool.ticks, { indexes: [-60, 120], liquidityNet: [500n, -500n] });
  assert.deepEqual(liquidityGrossOf(tracked), [500n, 500n]);
  assert.equal(pool.liquidity, 500n);
});

test('a position is in range from its lower tick on and no longer at its upper tick', () => {
  assert.equal(withLiquidity(empty, 0, 60, 7n).pool.liquidity, 7n);
  assert.equal(withLiquidity(empty, -60, 0, 7n).pool.liquidity, 0n);
});

test('the tick where two equal positions touch stays initialised with a net of zero', () => {
  const tracked = withLiquidity(withLiquidity(empty, -60, 0, 9n), 0, 60, 9n);
  assert.deepEqual(tracked.pool.ticks, { indexes: [-60, 0, 60], liquidityNet: [9n, 0n, -9n] });
  assert.deepEqual(liquidityGrossOf(tracked), [9n, 18n, 9n]);
});

test('a pool read from a node equals the pool built from its positions', () => {
  const made = withLiquidity(withLiquidity(empty, -60, 0, 9n), 0, 60, 4n);
  const { ticks, ...pool } = made.pool;
  assert.deepEqual(trackV3Pool(pool, ticks.indexes, ticks.liquidityNet, [9n, 13n, 4n]), made);
  assert.deepEqual(withLiquidity(withLiquidity(made, -60, 0, -9n), 0, 60, -4n), empty);
});

test("removing a position restores the pool, without the position's ticks", () => {
  const before = withLiquidity(empty, -120, 60, 5n);
  assert.deepEqual(withLiquidity(withLiquidity(before, -60, 60, 3n), -60, 60, -3n), before);
  assert.deepEqual(withLiquidity(before, -120, 60, -5n), empty);
});

test(`positions added in any order give the ticks of a full list (FC_SEED=${seed})`, () => {
  const position = fc.record({
    lower: fc.integer({ min: -3, max: 2 }),
    width: fc.integer({ min: 1, max: 3 }),
    size: fc.bigInt(1n, 5n),
    isTaken: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(position, { maxLength: 12 }), (positions) => {
      const all = positions.reduce(
        (tracked, { lower, width, size }) => withLiquidity(tracked, lower, lower + width, size),
        empty,
      );
      const left = positions
        .filter(({ isTaken }) => isTaken)
        .reduce(
          (tracked, { lower, width, size }) => withLiquidity(tracked, lower, lower + width, -size),
          all,
        );
      const kept = positions.filter(({ isTaken }) => !isTaken);
      const rows = [-3, -2, -1, 0, 1, 2, 3, 4, 5].flatMap((tick) => {
        const begin = kept.filter(({ lower }) => lower === tick).reduce((sum, { size }) => sum + size, 0n);
        const end = kept
          .filter(({ lower, width }) => lower + width === tick)
          .reduce((sum, { size }) => sum + size, 0n);
        return begin + end === 0n ? [] : [{ tick, net: begin - end, gross: begin + end }];
      });
      const { indexes, liquidityNet } = left.pool.ticks;
      const gross = liquidityGrossOf(left);
      const found = indexes.map((tick, at) => ({ tick, net: liquidityNet[at], gross: gross[at] }));
      assert.deepEqual(found, rows);
    }),
    { seed, numRuns: 500 },
  );
});

test('a pool without a price or without ticks is not tradable', () => {
  assert.equal(isTradable(emptyPool), false);
  assert.equal(isTradable(withLiquidity(empty, -60, 60, 1n).pool), true);
  assert.equal(isTradable({ ...withLiquidity(empty, -60, 60, 1n).pool, sqrtPriceX96: 0n }), false);
});
