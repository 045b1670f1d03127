import type { Pool } from '../types.ts';
import type { PoolKind } from './poolKind.ts';
import { UNISWAP_V2 } from './uniswapV2/index.ts';
import { UNISWAP_V3 } from './uniswapV3/index.ts';

/** Every kind of pool: a kind of the type `Pool` without an entry does not compile. */
const POOL_KINDS: { readonly [Kind in Pool['kind']]: PoolKind<Extract<Pool, { readonly kind: Kind }>> } = {
  UNISWAP_V2,
  UNISWAP_V3,
};

/** The names of all kinds, in an order that stays. */
export const POOL_KIND_NAMES = Object.keys(POOL_KINDS) as readonly Pool['kind'][];

/** What is known of the kind of a pool. */
export function kindOf(pool: Pool): PoolKind<Pool> {
  return POOL_KINDS[pool.kind];
}
