export { type Checker, checkSwapPlan, type SwapToExecute } from './execution/executeSwap.ts';
export type { CheckedCall } from './execution/order.ts';
