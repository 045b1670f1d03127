import type { VenueGas } from '@fairway/engine';
import type { Factory } from '../pools/poolKinds.ts';
import { SWAP_ROUTER_02 } from './swapRouter02/kind.ts';
import type { Venue, VenueKind, VenueSite } from './venue.ts';

/** Every kind of router that swaps can be written for. The configuration takes its names from here. */
const VENUE_KINDS = { SWAP_ROUTER_02 } as const satisfies Readonly<Record<string, VenueKind>>;

/** The name of a kind of router. */
export type RouterKind = keyof typeof VENUE_KINDS;

/** The names of all kinds of routers. */
export const ROUTER_KINDS = Object.keys(VENUE_KINDS) as readonly RouterKind[];

/**
 * Why no router of a kind trades with factories of exactly these kinds, as the end of a sentence. Undefined where
 * one can.
 *
 * @example
 * ```ts
 * import { factoriesFault } from '@fairway/evm';
 *
 * factoriesFault('SWAP_ROUTER_02', ['UNISWAP_V2', 'UNISWAP_V3']); // undefined
 * ```
 */
export function factoriesFault(kind: RouterKind, factories: readonly Factory['kind'][]): string | undefined {
  return VENUE_KINDS[kind].factoriesFault(factories);
}

/**
 * What a swap through a kind of router costs besides the hops through its pools, for the engine to compare routes.
 *
 * @example
 * ```ts
 * import { venueGas } from '@fairway/evm';
 *
 * venueGas('SWAP_ROUTER_02').swapUnits; // 50_000
 * ```
 */
export function venueGas(kind: RouterKind): VenueGas {
  return VENUE_KINDS[kind].gas;
}

/**
 * The venue that a router is. Check it once with `checkDeployed` before relying on it.
 *
 * @example
 * ```ts
 * import { type RpcRequest, type VenueSite, venueOf } from '@fairway/evm';
 *
 * declare const request: RpcRequest;
 * declare const site: VenueSite;
 *
 * const check = await venueOf('SWAP_ROUTER_02', site).checkDeployed(request);
 * if (!check.ok) throw new Error(check.detail);
 * ```
 */
export function venueOf(kind: RouterKind, site: VenueSite): Venue {
  return VENUE_KINDS[kind].at(site);
}

/**
 * The least output that a router's call lets arrive, as its calldata says it. Undefined when the calldata is none
 * that a planned swap of an exact input has. `data`: without anything behind the call.
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
  for (const kind of ROUTER_KINDS) {
    const least = VENUE_KINDS[kind].leastOutput(data);
    if (least !== undefined) return least;
  }
  return undefined;
}
