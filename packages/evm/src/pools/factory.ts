import type { Address, FeePips, Pool } from '@fairway/engine';

type FactoryOf<Kind extends Pool['kind']> = {
  readonly kind: Kind;
  /** The name shown as `source`, such as `uniswap-v2`. */
  readonly name: string;
  readonly address: Address;
};

/** A factory of Uniswap V2 or a fork. */
export type V2Factory = FactoryOf<'UNISWAP_V2'> & {
  /** The fee of every pair: a V2 pair has no function that returns it. */
  readonly feePips: FeePips;
};

/** A factory of Uniswap V3 or a fork. */
export type V3Factory = FactoryOf<'UNISWAP_V3'> & {
  /** The fee tiers to look for. */
  readonly feeTiers: readonly FeePips[];
};

/** A factory whose pools are trusted. Addresses in lower case. */
export type Factory = V2Factory | V3Factory;

type IdentityOf<Kind extends Pool['kind']> = {
  readonly kind: Kind;
  readonly address: Address;
  readonly source: string;
  readonly token0: Address;
  readonly token1: Address;
  readonly feePips: FeePips;
};

/** What never changes about a V2 pair. */
export type V2Identity = IdentityOf<'UNISWAP_V2'>;

/** What never changes about a V3 pool. */
export type V3Identity = IdentityOf<'UNISWAP_V3'> & { readonly tickSpacing: number };

/** What never changes about a pool. */
export type PoolIdentity = V2Identity | V3Identity;
