import type { Address, FeePips, Pool, TokenPair } from '@fairway/engine';

/** What every factory has, whatever its kind. */
export type FactoryOf<Kind extends Pool['kind']> = {
  readonly kind: Kind;
  /** The name shown as `source`, such as `uniswap-v2`. */
  readonly name: string;
  readonly address: Address;
};

/** What never changes about a pool, whatever its kind. */
export type IdentityOf<Kind extends Pool['kind']> = {
  readonly kind: Kind;
  readonly address: Address;
  readonly source: string;
  /** Sorted. */
  readonly tokens: TokenPair;
  readonly feePips: FeePips;
};

/** Where a pool is and what it trades, before its kind says the rest. */
export type PoolOrigin = Pick<IdentityOf<Pool['kind']>, 'address' | 'source' | 'tokens'>;
