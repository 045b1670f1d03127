import type { Path, TradedRoute, VenueGas } from '../types.ts';
import { leftoverTokens, mayLeaveNative } from './leftovers.ts';

/** Gas units of a route besides the hops through its pools. */
export function venueGasUnits(gas: VenueGas, route: TradedRoute): number {
  let units = gas.swapUnits + leftoverTokens(route).size * gas.tokenReturnUnits;
  if (route.nativeIn && mayLeaveNative(route)) units += gas.nativeReturnUnits;
  const isUnchecked = ({ legs }: Path) => legs.some(({ pool }) => gas.uncheckedKinds.has(pool.kind));
  return route.tradeType === 'EXACT_OUT' && route.paths.some(isUnchecked) ? units + gas.checkUnits : units;
}
