import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Amount } from '@fairway/engine';
import { seed } from '@fairway/testing/properties';
import fc from 'fast-check';
import { shareMaxAmountIn, swapLimit } from './limits.ts';

const amount = fc.bigInt({ min: 1n, max: 2n ** 128n }).map((value) => value as Amount);
const slippage = fc.integer({ min: 0, max: 5000 });

test("limits allow exactly the slippage asked, rounded to the caller's advantage", () => {
  fc.assert(
    fc.property(amount, amount, slippage, (amountIn, amountOut, slippageBps) => {
      const bps = BigInt(slippageBps);
      const least = swapLimit('EXACT_IN', amountIn, amountOut, slippageBps);
      assert.ok('minAmountOut' in least);
      assert.ok(least.minAmountOut * 10_000n >= amountOut * (10_000n - bps));
      assert.ok((least.minAmountOut - 1n) * 10_000n < amountOut * (10_000n - bps));
      const most = swapLimit('EXACT_OUT', amountIn, amountOut, slippageBps);
      assert.ok('maxAmountIn' in most);
      assert.ok(most.maxAmountIn * 10_000n <= amountIn * (10_000n + bps));
      assert.ok((most.maxAmountIn + 1n) * 10_000n > amountIn * (10_000n + bps));
    }),
    { seed },
  );
});

test("shares of a maximum input add up to it, and each covers its path's expected input", () => {
  const paths = fc.array(amount, { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(paths, slippage, (expected, slippageBps) => {
      const total = expected.reduce((sum, next) => sum + next, 0n) as Amount;
      const limit = swapLimit('EXACT_OUT', total, 1n as Amount, slippageBps);
      assert.ok('maxAmountIn' in limit);
      const shares = shareMaxAmountIn(limit.maxAmountIn, expected);
      assert.equal(
        shares.reduce((sum, share) => sum + share, 0n),
        limit.maxAmountIn,
      );
      for (const [index, share] of shares.entries()) assert.ok(share >= (expected[index] ?? 0n));
    }),
    { seed },
  );
});

test('without slippage the limits are the quoted amounts', () => {
  assert.deepEqual(swapLimit('EXACT_IN', 7n as Amount, 9n as Amount, 0), { minAmountOut: 9n });
  assert.deepEqual(swapLimit('EXACT_OUT', 7n as Amount, 9n as Amount, 0), { maxAmountIn: 7n });
});
