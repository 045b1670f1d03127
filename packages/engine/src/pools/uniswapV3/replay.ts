import type { Address, TradeType, V3Pool } from '../../types.ts';
import { computeSwapStep, type SwapStep } from '../../exact/swapMath.ts';
import { nextTickLeft, nextTickRight, type TickBitmap, tickBitmapOf } from '../../exact/tickBitmap.ts';
import {
  MAX_SQRT_PRICE,
  MAX_TICK,
  MIN_SQRT_PRICE,
  MIN_TICK,
  sqrtPriceAtTick,
  tickAtSqrtPrice,
} from '../../exact/tickMath.ts';

const MAX_INT256 = 2n ** 255n - 1n;

/** A swap asked of one pool: input for EXACT_IN, output for EXACT_OUT. */
export type PoolSwap = {
  readonly tokenIn: Address;
  readonly tradeType: TradeType;
  readonly amount: bigint;
};

/** What a pool's contract does with a swap. */
export type SwapReplay = {
  /** Input taken, fee included. */
  readonly amountIn: bigint;
  readonly amountOut: bigint;
  /** The part of `amountIn` kept as fee. */
  readonly feeAmount: bigint;
  /** The rest of the specified amount that the pool could not serve; callers refuse unless it is 0. */
  readonly amountLeft: bigint;
  readonly initialisedTicksCrossed: number;
  /** Every step of the contract's loop, also those that moved nothing. */
  readonly steps: readonly SwapStep[];
  /** The pool after the swap. */
  readonly pool: V3Pool;
};

/** The state the contract's loop carries from step to step. */
type SwapState = {
  remaining: bigint;
  amountIn: bigint;
  amountOut: bigint;
  feeAmount: bigint;
  crossed: number;
  price: bigint;
  tick: number;
  liquidity: bigint;
  readonly steps: SwapStep[];
};

/** The values that do not change while one swap is replayed. */
type SwapCourse = {
  readonly pool: V3Pool;
  readonly zeroForOne: boolean;
  readonly tradeType: TradeType;
  readonly limit: bigint;
  readonly bitmap: TickBitmap;
};

/**
 * Swaps step by step exactly as the pool's contract does, with the price limit that the router passes where its
 * caller sets none. Slow and simple on purpose: tests compare the fast functions with it. It also gives the pool's
 * state after the swap. Undefined where the contract reverts before it swaps: nothing asked, no such token, or the
 * price already at the limit.
 * Source: Uniswap v3-core, UniswapV3Pool.swap.
 *
 * @example
 * ```ts
 * import { replaySwap, type V3Pool } from '@fairway/engine';
 *
 * declare const pool: V3Pool;
 *
 * const swap = { tokenIn: pool.tokens[0], tradeType: 'EXACT_IN', amount: 10n ** 18n } as const;
 * const replay = replaySwap(pool, swap);
 * if (replay?.amountLeft === 0n) console.log(replay.amountOut, replay.pool.tick);
 * ```
 */
export function replaySwap(pool: V3Pool, swap: PoolSwap): SwapReplay | undefined {
  const [token0, token1] = pool.tokens;
  if (swap.tokenIn !== token0 && swap.tokenIn !== token1) return undefined;
  const zeroForOne = swap.tokenIn === token0;
  const limit = zeroForOne ? MIN_SQRT_PRICE + 1n : MAX_SQRT_PRICE - 1n;
  if (swap.amount <= 0n || swap.amount > MAX_INT256) return undefined;
  if (pool.sqrtPriceX96 < MIN_SQRT_PRICE) return undefined;
  if (zeroForOne ? pool.sqrtPriceX96 <= limit : pool.sqrtPriceX96 >= limit) return undefined;
  const bitmap = tickBitmapOf(pool.ticks, pool.tickSpacing);
  const course: SwapCourse = { pool, zeroForOne, tradeType: swap.tradeType, limit, bitmap };
  const state: SwapState = {
    remaining: swap.amount,
    amountIn: 0n,
    amountOut: 0n,
    feeAmount: 0n,
    crossed: 0,
    price: pool.sqrtPriceX96,
    tick: pool.tick,
    liquidity: pool.liquidity,
    steps: [],
  };
  while (state.remaining !== 0n && state.price !== limit) takeStep(course, state);
  return {
    amountIn: state.amountIn,
    amountOut: state.amountOut,
    feeAmount: state.feeAmount,
    amountLeft: state.remaining,
    initialisedTicksCrossed: state.crossed,
    steps: state.steps,
    pool: { ...pool, sqrtPriceX96: state.price, tick: state.tick, liquidity: state.liquidity },
  };
}

function takeStep(course: SwapCourse, state: SwapState): void {
  const { pool, zeroForOne, tradeType, limit, bitmap } = course;
  const found = zeroForOne
    ? nextTickLeft(bitmap, state.tick, pool.tickSpacing)
    : nextTickRight(bitmap, state.tick, pool.tickSpacing);
  const nextTick = Math.max(MIN_TICK, Math.min(MAX_TICK, found.tick));
  const nextPrice = sqrtPriceAtTick(nextTick);
  const beyondLimit = zeroForOne ? nextPrice < limit : nextPrice > limit;
  const startPrice = state.price;
  const step = computeSwapStep(
    {
      price: startPrice,
      target: beyondLimit ? limit : nextPrice,
      liquidity: state.liquidity,
      feePips: BigInt(pool.feePips),
    },
    tradeType,
    state.remaining,
  );
  state.steps.push(step);
  const taken = step.amountIn + step.feeAmount;
  state.remaining -= tradeType === 'EXACT_IN' ? taken : step.amountOut;
  state.amountIn += taken;
  state.amountOut += step.amountOut;
  state.feeAmount += step.feeAmount;
  state.price = step.price;
  if (step.price === nextPrice) {
    if (found.initialised) cross(course, state, nextTick);
    state.tick = zeroForOne ? nextTick - 1 : nextTick;
  } else if (step.price !== startPrice) {
    state.tick = tickAtSqrtPrice(step.price);
  }
}

function cross({ pool, zeroForOne }: SwapCourse, state: SwapState, tick: number): void {
  const net = pool.ticks.liquidityNet[pool.ticks.indexes.indexOf(tick)] ?? 0n;
  state.liquidity += zeroForOne ? -net : net;
  state.crossed += 1;
}
