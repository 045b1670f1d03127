import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runs, seed } from '@fairway/testing/properties';
import fc from 'fast-check';
import { addressOf, amounts } from '../../../test/marketArbitraries.ts';
import type { FeePips, V2Pool } from '../../types.ts';
import { v2ExactInput, v2ExactOutput } from './exact.ts';

const MAX_RESERVE = 2n ** 112n - 1n;

function pair(reserve0: bigint, reserve1: bigint, feePips = 3000): V2Pool {
  return {
    kind: 'UNISWAP_V2',
    address: addressOf(9),
    source: 'v2',
    tokens: [addressOf(1), addressOf(2)],
    feePips: feePips as FeePips,
    reserve0,
    reserve1,
  };
}

test('a pair quotes what the library’s 997/1000 gives', () => {
  const pool = pair(5n * 10n ** 18n, 10n * 10n ** 18n);
  // The figure of Uniswap v2-core's own swap test for 1e18 in.
  assert.equal(v2ExactInput(pool, true, 10n ** 18n), 1662497915624478906n);
  assert.equal(v2ExactOutput(pool, true, 1662497915624478906n), 10n ** 18n);
  assert.equal(v2ExactInput(pool, false, 10n ** 18n), 453305446940074565n);
});

test('a pair refuses the amounts that its contract refuses', () => {
  assert.equal(v2ExactInput(pair(0n, 10n), true, 1n), undefined);
  assert.equal(v2ExactInput(pair(10n, 0n), true, 1n), undefined);
  assert.equal(v2ExactInput(pair(10n, 1n), true, 100n), undefined);
  assert.equal(v2ExactInput(pair(10n, 10n), true, 0n), undefined);
  assert.equal(v2ExactOutput(pair(10n, 10n), true, 10n), undefined);
  assert.equal(v2ExactOutput(pair(0n, 10n), true, 1n), undefined);
  assert.equal(v2ExactOutput(pair(10n, 10n), true, 0n), undefined);
  assert.equal(v2ExactInput(pair(MAX_RESERVE - 5n, 10n ** 30n), true, 6n), undefined);
  assert.notEqual(v2ExactInput(pair(MAX_RESERVE - 5n, 10n ** 30n), true, 5n), undefined);
  assert.equal(v2ExactOutput(pair(MAX_RESERVE, 100n), true, 1n), undefined);
  // Three units out cost four in, with the fee: these fill the reserve exactly, or do not fit.
  assert.equal(v2ExactOutput(pair(MAX_RESERVE - 4n, MAX_RESERVE), true, 3n), 4n);
  assert.equal(v2ExactOutput(pair(MAX_RESERVE - 3n, MAX_RESERVE), true, 3n), undefined);
});

test('an input too small to buy one unit buys nothing', () => {
  assert.equal(v2ExactInput(pair(10n ** 18n, 10n ** 6n), true, 1n), 0n);
});

/** What the pair contract checks: the product of the reserves, fee taken off, does not fall. */
function contractAccepts(pool: V2Pool, amountIn: bigint, amountOut: bigint): boolean {
  const adjusted = (pool.reserve0 + amountIn) * 1_000_000n - amountIn * BigInt(pool.feePips);
  return adjusted * (pool.reserve1 - amountOut) >= pool.reserve0 * pool.reserve1 * 1_000_000n;
}

test('an output is the most that the pair contract pays, and an input buys its output', () => {
  const anyPair = fc
    .tuple(amounts(111), amounts(111), fc.constantFrom(500, 2500, 3000, 10000))
    .map(([reserve0, reserve1, fee]) => pair(reserve0, reserve1, fee));
  const property = fc.property(anyPair, amounts(111), amounts(111), (pool, amountIn, wanted) => {
    const out = v2ExactInput(pool, true, amountIn);
    if (out !== undefined) {
      assert.ok(contractAccepts(pool, amountIn, out));
      assert.ok(!contractAccepts(pool, amountIn, out + 1n));
    }
    const needed = v2ExactOutput(pool, true, wanted);
    if (needed === undefined) return;
    assert.ok((v2ExactInput(pool, true, needed) ?? 0n) >= wanted);
    // The library adds one after rounding down, so only two units less are sure to be too few.
    if (needed > 2n) assert.ok((v2ExactInput(pool, true, needed - 2n) ?? 0n) < wanted);
  });
  fc.assert(property, { seed, numRuns: runs(3000) });
});
