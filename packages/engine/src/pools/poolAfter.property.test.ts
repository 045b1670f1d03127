import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runs, seed } from '@fairway/testing/properties';
import fc from 'fast-check';
import { selling } from '../../test/hops.ts';
import { amounts, v3Pools } from '../../test/marketArbitraries.ts';
import { replaySwap } from './uniswapV3/replay.ts';
import type { TradeType } from '../types.ts';
import { buyFrom, poolAfter, sellTo } from './poolSwap.ts';

test('a V3 pool after a swap has the state of its contract, also at the edges of steps', () => {
  const question = fc.record({
    pool: v3Pools(70),
    amount: amounts(80),
    zeroForOne: fc.boolean(),
    tradeType: fc.constantFrom<TradeType>('EXACT_IN', 'EXACT_OUT'),
    nudge: fc.constantFrom(undefined, -1n, 0n, 0n, 1n),
    steps: fc.integer({ min: 1, max: 4 }),
  });
  const property = fc.property(question, ({ pool, amount, zeroForOne, tradeType, nudge, steps }) => {
    const direction = zeroForOne ? 0 : 1;
    const tokenIn = pool.tokens[direction];
    const whole = replaySwap(pool, { tokenIn, tradeType, amount });
    // Some swaps end where a step does, a unit before, or a unit after.
    const filled = (whole?.steps ?? [])
      .slice(0, steps)
      .reduce(
        (sum, step) => sum + (tradeType === 'EXACT_IN' ? step.amountIn + step.feeAmount : step.amountOut),
        0n,
      );
    const asked = nudge === undefined ? amount : filled + nudge;
    if (asked <= 0n) return;
    const outcome =
      tradeType === 'EXACT_IN' ? sellTo(pool, direction, asked) : buyFrom(pool, direction, asked);
    const replay = replaySwap(pool, { tokenIn, tradeType, amount: asked });
    if (outcome === undefined || replay === undefined) return;
    const { amountIn, amountOut } = replay;
    assert.deepEqual(poolAfter(selling(pool, tokenIn), { tradeType, amountIn, amountOut }), replay.pool);
  });
  fc.assert(property, { seed, numRuns: runs(3000) });
});
