import { readRouterCalls } from './readRouterCalls.ts';

/**
 * The least output that a call of the router lets arrive, as its calldata says it; undefined where the calldata is none that a
 * planned swap of an exact input has. `data`: without anything behind the call.
 *
 * @example
 * ```ts
 * import { leastOutput } from '@fairway/evm';
 *
 * declare const data: `0x${string}`;
 * const least = leastOutput(data);
 * ```
 */
export function leastOutput(data: `0x${string}`): bigint | undefined {
  const read = readRouterCalls(data);
  const last = read.ok ? read.calls.at(-1) : undefined;
  switch (last?.kind) {
    case 'SWEEP':
    case 'UNWRAP':
      return last.minimum;
    case 'SWAP':
      return last.tradeType === 'EXACT_IN' ? last.bound : undefined;
    default:
      return undefined;
  }
}
