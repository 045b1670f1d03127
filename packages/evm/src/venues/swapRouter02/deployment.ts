import type { Address } from '@fairway/engine';
import type { Factory } from '../../pools/poolKinds.ts';
import type { VenueSite } from '../venue.ts';

/** One chain's SwapRouter02 and the contracts it was built with; lower case. */
export type RouterDeployment = {
  readonly router: Address;
  readonly wrappedNative: Address;
  /** The only factory whose pairs the router trades; absent where the router has none. */
  readonly v2Factory?: Address;
  /** The only factory whose pools the router trades. */
  readonly v3Factory: Address;
};

/** Why a SwapRouter02 does not trade with factories of exactly these kinds; undefined where it can. */
export function factoriesFault(kinds: readonly Factory['kind'][]): string | undefined {
  return kinds.filter((kind) => kind === 'UNISWAP_V3').length !== 1 || kinds.length > 2
    ? 'a SWAP_ROUTER_02 trades the factories it was built with: list one UNISWAP_V3 and at most one UNISWAP_V2.'
    : undefined;
}

/** The router of a site, with its two factories by name. */
export function deploymentAt({ router, wrappedNative, factories }: VenueSite): RouterDeployment {
  const v3 = factories.find(({ kind }) => kind === 'UNISWAP_V3');
  const v2 = factories.find(({ kind }) => kind === 'UNISWAP_V2');
  if (v3 === undefined) throw new Error('A SwapRouter02 needs a UNISWAP_V3 factory');
  const contracts = { router, wrappedNative, v3Factory: v3.address };
  return v2 === undefined ? contracts : { ...contracts, v2Factory: v2.address };
}
