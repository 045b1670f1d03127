import type { Address } from '@fairway/engine';

/** One chain's SwapRouter02 and the contracts it was built with; lower case. */
export type RouterDeployment = {
  readonly router: Address;
  readonly wrappedNative: Address;
  /** The only factory whose pairs the router trades; absent where the router has none. */
  readonly v2Factory?: Address;
  /** The only factory whose pools the router trades. */
  readonly v3Factory: Address;
};
