import type { TradedRoute } from '@fairway/engine';
import { leftoverTokens, mayLeaveNative } from './leftovers.ts';

/**
 * Gas units that any swap costs, whatever its route: the transaction itself, the router's dispatch and the payer's token
 * transfer. With a hop they match what mainnet shows for single swaps through SwapRouter02: about 110,000
 * through a V2 pair and 130,000 through a V3 pool. For comparing routes; a simulation gives the real figure.
 */
const TRANSACTION_GAS_UNITS = 50_000;

/** Gas units of the router's `sweepToken` in a swap that leaves nothing of the token, as measured with plain tokens. */
const SWEEP_GAS_UNITS = 3400;

/** Gas units of the router's `refundETH` in a swap that leaves no native currency, as measured. */
const REFUND_GAS_UNITS = 1700;

/** Gas units of a swap besides the hops through its pools: any swap's, and those of returning what can be left. */
export function gasUnits(route: TradedRoute): number {
  const swept = TRANSACTION_GAS_UNITS + leftoverTokens(route).size * SWEEP_GAS_UNITS;
  return route.nativeIn && mayLeaveNative(route) ? swept + REFUND_GAS_UNITS : swept;
}
