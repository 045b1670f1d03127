import type { Pool } from '@fairway/engine';
import type { TokenBehaviours } from '../types.ts';
import type { Factory, PoolIdentity } from './factory.ts';
import type { PoolKind } from './poolKind.ts';
import type { TrackedPool } from './trackedPool.ts';
import { UNISWAP_V2 } from './uniswapV2.ts';
import { UNISWAP_V3 } from './uniswapV3.ts';

type OfKind<Union, Kind> = Extract<Union, { readonly kind: Kind }>;

/** Every kind of pool: a kind of the engine's type `Pool` without an entry does not compile. */
const POOL_KINDS: {
  readonly [Kind in Pool['kind']]: PoolKind<
    OfKind<Pool, Kind>,
    OfKind<Factory, Kind>,
    OfKind<PoolIdentity, Kind>
  >;
} = { UNISWAP_V2, UNISWAP_V3 };

/** All kinds by name. */
export const POOL_KIND_ENTRIES = Object.entries(POOL_KINDS) as readonly [
  Pool['kind'],
  PoolKind<Pool, Factory, PoolIdentity>,
][];

/** How pools of a kind are found, read and followed. */
export function kindOf({ kind }: Pool | PoolIdentity | Factory): PoolKind<Pool, Factory, PoolIdentity> {
  return POOL_KINDS[kind];
}

/** Whether a pool can trade at all; a pool that cannot is followed, but not quoted from. */
export function isTradable(pool: Pool): boolean {
  return kindOf(pool).isTradable(pool);
}

/**
 * Whether swaps over a pool move what it would quote, by what its tokens do with transfers. Where transfers round, that needs
 * a kind of pool that trades with what arrives.
 */
export function isFair(pool: Pool, behaviours: TokenBehaviours): boolean {
  return [pool.token0, pool.token1].every((token) => {
    const kind = behaviours.get(token)?.kind;
    return kind !== 'TAXED' && (kind !== 'SHARES' || kindOf(pool).takesWhatArrives);
  });
}

/** Whether two readings of a pool agree in everything that prices depend on. */
export function isSamePool(a: TrackedPool, b: TrackedPool): boolean {
  return a.pool.kind === b.pool.kind && kindOf(a.pool).stateText(a) === kindOf(b.pool).stateText(b);
}
