export { createMarket, type Market } from './market.ts';
export { exactInput, exactOutput } from './poolSwap.ts';
export { quote } from './quote.ts';
export { MAX_HOPS } from './router.ts';
export type { SwapStep } from './swapMath.ts';
export {
  MAX_SQRT_PRICE,
  MAX_TICK,
  MIN_SQRT_PRICE,
  MIN_TICK,
  sqrtPriceAtTick,
  tickAtSqrtPrice,
} from './tickMath.ts';
export * from './types.ts';
export { type PoolSwap, replaySwap, type SwapReplay } from './v3Replay.ts';
