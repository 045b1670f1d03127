import type { VenueGas } from '@fairway/engine';
import { UNCHECKED_KINDS } from './routedKinds.ts';

/** Gas units of swaps through the router, for comparing routes; a simulation gives the real figure. */
export const GAS: VenueGas = {
  // With a hop it matches what mainnet shows: about 110,000 through a V2 pair and 130,000 through a V3 pool.
  swapUnits: 50_000,
  // `sweepToken` and `refundETH` where nothing is left, as measured with plain tokens.
  tokenReturnUnits: 3400,
  nativeReturnUnits: 1700,
  // What a swap costs more when its output passes through the router, as measured with plain tokens.
  checkUnits: 9500,
  uncheckedKinds: UNCHECKED_KINDS,
};
