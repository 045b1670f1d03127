import type { Address, Leg, Pool } from '@fairway/engine';
import type { RouterDeployment } from './deployment.ts';

/** Calldata of one call inside the router's multicall. */
export type Call = `0x${string}`;

/** Legs in a row over pools of one kind, which one call can swap. */
export type Segment = readonly [Leg, ...Leg[]];

/** How the router trades pools of one kind. */
export type RoutedKind<P extends Pool> = {
  /** The address it would trade at for a pool's tokens and fee; undefined where it has no factory of the kind. */
  poolAddress(deployment: RouterDeployment, pool: P): Address | undefined;
  /** The fee by which calls name a pool; undefined for a kind of pool that calls name by its tokens alone. */
  namedFee(pool: P): number | undefined;
  /** Whether the router reverts a swap for an exact output of which its last pool pays less. */
  readonly isExactOutputChecked: boolean;
  /** A swap of an exact input over a segment. */
  exactInput(legs: Segment, terms: ExactInputTerms): Call;
  /** A swap for an exact output over a segment. */
  exactOutput(legs: Segment, terms: ExactOutputTerms): Call;
};

/** The terms of a swap of an exact input. */
export type ExactInputTerms = {
  readonly amountIn: bigint;
  readonly minAmountOut: bigint;
  readonly recipient: Address;
};

/** The terms of a swap for an exact output. */
export type ExactOutputTerms = {
  readonly amountOut: bigint;
  readonly maxAmountIn: bigint;
  readonly recipient: Address;
};
