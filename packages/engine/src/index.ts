export { bestPathQuote } from './quote/bestPath.ts';
export {
  type Explanation,
  explainQuote,
  type PoolRefusal,
  type RefusedPool,
  type UsedPool,
} from './explain/explain.ts';
export { createMarket, type Market } from './market/market.ts';
export { marketBound } from './search/marketBound.ts';
export { exactInput, exactOutput, mayPayMore } from './pools/poolSwap.ts';
export { type ExecutionResult, executePaths, type PlannedPath } from './quote/execution.ts';
export { leftoverTokens, mayLeaveNative } from './quote/leftovers.ts';
export { quote } from './quote/quote.ts';
export { MAX_HOPS } from './quote/router.ts';
export type { SwapStep } from './exact/swapMath.ts';
export {
  MAX_SQRT_PRICE,
  MAX_TICK,
  MIN_SQRT_PRICE,
  MIN_TICK,
  sqrtPriceAtTick,
  tickAtSqrtPrice,
} from './exact/tickMath.ts';
export * from './types.ts';
export { type PoolSwap, replaySwap, type SwapReplay } from './pools/uniswapV3/replay.ts';
