import type { TradeType } from '../types.ts';
import { mulDiv, mulDivRoundingUp } from './fullMath.ts';
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

const PIPS = 1_000_000n;

/** A stretch of constant liquidity that a swap enters at `price` and leaves at `target` at the latest. Prices Q64.96. */
export type SwapStretch = {
  readonly price: bigint;
  readonly target: bigint;
  readonly liquidity: bigint;
  readonly feePips: bigint;
};

/** What one step of a swap moved. `amountIn` is without the fee. */
export type SwapStep = {
  readonly price: bigint;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  readonly feeAmount: bigint;
};

/** Input without fee that takes the price all the way to the target. */
function inputToTarget({ price, target, liquidity }: SwapStretch): bigint {
  return price >= target
    ? amount0BetweenRoundingUp(target, price, liquidity)
    : amount1BetweenRoundingUp(price, target, liquidity);
}

/** Output that a price moved all the way to the target pays. */
function outputToTarget({ price, target, liquidity }: SwapStretch): bigint {
  return price >= target
    ? amount1Between(target, price, liquidity)
    : amount0Between(price, target, liquidity);
}

/** The fee on top of an input without fee, rounded up. */
export function feeOnTop(amountIn: bigint, feePips: bigint): bigint {
  return mulDivRoundingUp(amountIn, feePips, PIPS - feePips);
}

/** The part of an input that is traded once the fee is taken off. */
export function lessFee(amount: bigint, feePips: bigint): bigint {
  return mulDiv(amount, PIPS - feePips, PIPS);
}

/**
 * One step of a swap through a stretch of constant liquidity, as the pool computes it.
 * `remaining` is what is left of the specified amount: input including fee, or output. Positive.
 * Source: Uniswap v3-core, SwapMath.computeSwapStep.
 */
export function computeSwapStep(stretch: SwapStretch, tradeType: TradeType, remaining: bigint): SwapStep {
  return tradeType === 'EXACT_IN' ? stepForInput(stretch, remaining) : stepForOutput(stretch, remaining);
}

function stepForInput(stretch: SwapStretch, remaining: bigint): SwapStep {
  const { price, target, liquidity, feePips } = stretch;
  const tradable = lessFee(remaining, feePips);
  if (tradable >= inputToTarget(stretch)) return fullStep(stretch);
  // An input below the stretch's whole input never reaches the target: the whole input is rounded up, and the price
  // towards its start.
  const next =
    price >= target
      ? priceAfterToken0In(price, liquidity, tradable)
      : priceAfterToken1In(price, liquidity, tradable);
  const reached = { ...stretch, target: next };
  // The part of the input that rounding leaves over becomes fee: the last step spends the whole input.
  const amountIn = inputToTarget(reached);
  return { price: next, amountIn, amountOut: outputToTarget(reached), feeAmount: remaining - amountIn };
}

function stepForOutput(stretch: SwapStretch, remaining: bigint): SwapStep {
  const { price, target, liquidity, feePips } = stretch;
  if (remaining >= outputToTarget(stretch)) return fullStep(stretch);
  const next =
    price >= target
      ? priceAfterToken1Out(price, liquidity, remaining)
      : priceAfterToken0Out(price, liquidity, remaining);
  const amountIn = inputToTarget({ ...stretch, target: next });
  // The price is rounded away from its start, so that the pool can pay the whole output; it pays no more than that.
  return { price: next, amountIn, amountOut: remaining, feeAmount: feeOnTop(amountIn, feePips) };
}

/** The step that crosses the whole stretch. It does not depend on the amount being swapped. */
export function fullStep(stretch: SwapStretch): SwapStep {
  const amountIn = inputToTarget(stretch);
  return {
    price: stretch.target,
    amountIn,
    amountOut: outputToTarget(stretch),
    feeAmount: feeOnTop(amountIn, stretch.feePips),
  };
}
