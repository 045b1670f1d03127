import type { TradedRoute } from '@fairway/engine';
import { isCollectedForMinimum } from './collecting.ts';
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

/** Gas units by which a swap costs more when its output passes through the router, as measured with plain tokens. */
const COLLECT_GAS_UNITS = 9500;

/**
 * Gas units of a swap besides the hops through its pools. These are any swap's, those of returning what can be left, and
 * those of a minimum behind an exact output.
 */
export function gasUnits(route: TradedRoute): number {
  let units = TRANSACTION_GAS_UNITS + leftoverTokens(route).size * SWEEP_GAS_UNITS;
  if (route.nativeIn && mayLeaveNative(route)) units += REFUND_GAS_UNITS;
  return isCollectedForMinimum(route) ? units + COLLECT_GAS_UNITS : units;
}
