import { readRouterCalls } from './read.ts';

/** The least output that a call of the router lets arrive; undefined for what no planned swap of an exact input is. */
export function leastOutput(data: `0x${string}`): bigint | undefined {
  const read = readRouterCalls(data);
  if (!read.ok) return undefined;
  // Calls that return what is left have no minimum, and stand before the payment or behind the swap that pays out.
  const minima = read.calls.map((call) => {
    if (call.kind === 'SWAP') return call.tradeType === 'EXACT_IN' ? call.bound : 0n;
    return call.kind === 'SWEEP' || call.kind === 'UNWRAP' ? call.minimum : 0n;
  });
  return minima.findLast((minimum) => minimum > 0n);
}
