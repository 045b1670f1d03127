import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runs, seed } from '@fairway/testing/properties';
import fc from 'fast-check';
import { amounts } from '../../test/marketArbitraries.ts';
import type { TradeType } from '../types.ts';
import {
  amount0Between,
  amount0BetweenRoundingUp,
  amount1Between,
  amount1BetweenRoundingUp,
  priceAfterToken0In,
  priceAfterToken0Out,
  priceAfterToken1In,
  priceAfterToken1Out,
} from './sqrtPriceMath.ts';
import { computeSwapStep, feeOnTop, lessFee, type SwapStep, type SwapStretch } from './swapMath.ts';

/**
 * The step with all cases that the contract distinguishes, also those that no amount can reach. Amounts and
 * fee depend on whether the price has met the target. An output is cut to the amount asked.
 */
function stepOfContract(stretch: SwapStretch, tradeType: TradeType, remaining: bigint): SwapStep {
  const { price, target, liquidity, feePips } = stretch;
  const left = price >= target;
  const exactIn = tradeType === 'EXACT_IN';
  const inputTo = (end: bigint): bigint =>
    left ? amount0BetweenRoundingUp(end, price, liquidity) : amount1BetweenRoundingUp(price, end, liquidity);
  const outputTo = (end: bigint): bigint =>
    left ? amount1Between(end, price, liquidity) : amount0Between(price, end, liquidity);
  let next = target;
  if (exactIn && lessFee(remaining, feePips) < inputTo(target))
    next = (left ? priceAfterToken0In : priceAfterToken1In)(price, liquidity, lessFee(remaining, feePips));
  if (!exactIn && remaining < outputTo(target))
    next = (left ? priceAfterToken1Out : priceAfterToken0Out)(price, liquidity, remaining);
  const amountIn = inputTo(next);
  const paid = outputTo(next);
  return {
    price: next,
    amountIn,
    amountOut: !exactIn && paid > remaining ? remaining : paid,
    feeAmount: exactIn && next !== target ? remaining - amountIn : feeOnTop(amountIn, feePips),
  };
}

test('a step is equal to the contract’s step, wherever it ends', () => {
  const question = fc.record({
    price: fc.oneof(amounts(160), fc.bigInt({ min: 2n ** 95n, max: 2n ** 97n })),
    distance: amounts(100),
    leftward: fc.boolean(),
    liquidity: fc.oneof(amounts(8), amounts(128)),
    feePips: fc.constantFrom(0n, 1n, 500n, 3000n, 999_999n),
    tradeType: fc.constantFrom<TradeType>('EXACT_IN', 'EXACT_OUT'),
    anyAmount: amounts(128),
    short: fc.constantFrom(undefined, -1n, 0n, 1n, 2n),
  });
  let within = 0;
  const property = fc.property(question, ({ price, distance, leftward, anyAmount, short, ...rest }) => {
    if (leftward && distance >= price) return;
    const stretch = { price, target: leftward ? price - distance : price + distance, ...rest };
    const whole = stepOfContract(stretch, rest.tradeType, 2n ** 255n);
    const filling = rest.tradeType === 'EXACT_IN' ? whole.amountIn + whole.feeAmount : whole.amountOut;
    // The contract's cases differ at amounts that just fill the stretch.
    const remaining = short === undefined ? anyAmount : filling - short;
    if (remaining <= 0n) return;
    const step = computeSwapStep(stretch, rest.tradeType, remaining);
    assert.deepEqual(step, stepOfContract(stretch, rest.tradeType, remaining));
    if (step.price !== stretch.target) within += 1;
  });
  const numRuns = runs(20_000);
  fc.assert(property, { seed, numRuns });
  assert.ok(within >= Math.floor(numRuns / 20), `only ${within} of ${numRuns} ended within the stretch`);
});
