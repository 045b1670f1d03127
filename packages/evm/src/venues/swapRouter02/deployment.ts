import type { Address } from '@fairway/engine';
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

/** The router of a site, with its two factories by name. */
export function deploymentAt({ router, wrappedNative, factories }: VenueSite): RouterDeployment {
  const v3 = factories.find(({ kind }) => kind === 'UNISWAP_V3');
  const v2 = factories.find(({ kind }) => kind === 'UNISWAP_V2');
  if (v3 === undefined) throw new Error('A SwapRouter02 needs a UNISWAP_V3 factory');
  const contracts = { router, wrappedNative, v3Factory: v3.address };
  return v2 === undefined ? contracts : { ...contracts, v2Factory: v2.address };
}
