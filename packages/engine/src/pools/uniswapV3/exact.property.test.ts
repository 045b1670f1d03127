import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runs, seed } from '@fairway/testing/properties';
import fc from 'fast-check';
import { paying, selling } from '../../../test/hops.ts';
import { amounts, v3Pools } from '../../../test/marketArbitraries.ts';
import { v3ExactInput, v3ExactOutput } from './exact.ts';
import { replaySwap, type SwapReplay } from './replay.ts';
import type { TradeType, V3Pool } from '../../types.ts';
import { exactInput, exactOutput } from '../poolSwap.ts';

const BEYOND_ANY_DEPTH = 2n ** 250n;
const TRADE_TYPES: readonly TradeType[] = ['EXACT_IN', 'EXACT_OUT'];

/** Amounts at which a step becomes full, and the depth of the pool last. */
function boundaries(whole: SwapReplay, tradeType: TradeType): bigint[] {
  let total = 0n;
  return whole.steps.map((step) => {
    total += tradeType === 'EXACT_IN' ? step.amountIn + step.feeAmount : step.amountOut;
    return total;
  });
}

function compareWithReplay(pool: V3Pool, zeroForOne: boolean, tradeType: TradeType, amount: bigint): void {
  const [tokenIn, tokenOut] = zeroForOne
    ? [pool.tokens[0], pool.tokens[1]]
    : [pool.tokens[1], pool.tokens[0]];
  const replay = replaySwap(pool, { tokenIn, tradeType, amount });
  const served = replay !== undefined && replay.amountLeft === 0n;
  if (tradeType === 'EXACT_IN') {
    assert.equal(exactInput(selling(pool, tokenIn), amount), served ? replay.amountOut : undefined);
  } else {
    assert.equal(exactOutput(paying(pool, tokenOut), amount), served ? replay.amountIn : undefined);
  }
  if (!served) return;
  assert.equal(tradeType === 'EXACT_IN' ? replay.amountIn : replay.amountOut, amount);
  const fast = (tradeType === 'EXACT_IN' ? v3ExactInput : v3ExactOutput)(pool, zeroForOne, amount);
  // Where a swap ends exactly on a tick, only the contract crosses the tick: nothing is traded beyond it.
  const difference = replay.initialisedTicksCrossed - (fast?.crossed ?? -1);
  assert.ok(difference === 0 || difference === 1, `crossed ${difference} more`);
}

test('a V3 quote equals the step-by-step contract to the wei, at any amount and from any state', () => {
  const property = fc.property(
    v3Pools(110),
    fc.boolean(),
    fc.array(amounts(130), { minLength: 3, maxLength: 3 }),
    fc.array(fc.nat(), { minLength: 4, maxLength: 4 }),
    (fresh, firstWay, randomAmounts, picks) => {
      const tokenIn = firstWay ? fresh.tokens[0] : fresh.tokens[1];
      const moved = replaySwap(fresh, { tokenIn, tradeType: 'EXACT_IN', amount: randomAmounts[0] ?? 1n });
      for (const pool of [fresh, moved?.pool ?? fresh]) {
        for (const zeroForOne of [true, false]) {
          for (const tradeType of TRADE_TYPES) {
            const from = zeroForOne ? pool.tokens[0] : pool.tokens[1];
            const whole = replaySwap(pool, { tokenIn: from, tradeType, amount: BEYOND_ANY_DEPTH });
            const edges = whole === undefined ? [] : boundaries(whole, tradeType);
            const picked = picks.map((pick) => edges[pick % Math.max(1, edges.length)] ?? 1n);
            const around = [...picked, edges.at(-1) ?? 1n].flatMap((edge) => [edge - 1n, edge, edge + 1n]);
            // Descending, so that a warm table also serves amounts far below what built it.
            const tried = [...around, ...randomAmounts, 1n, 2n].filter((amount) => amount > 0n);
            tried.sort((a, b) => (a < b ? 1 : -1));
            for (const amount of tried) compareWithReplay(pool, zeroForOne, tradeType, amount);
          }
        }
      }
    },
  );
  fc.assert(property, { seed, numRuns: runs(60) });
});
