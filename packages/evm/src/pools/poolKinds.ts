import type { Pool } from '@fairway/engine';
import type { TokenBehaviours } from '../types.ts';
import type { PoolKind } from './poolKind.ts';
import type { TrackedPool } from './trackedPool.ts';
import { UNISWAP_V2 } from './uniswapV2/kind.ts';
import { UNISWAP_V3 } from './uniswapV3/kind.ts';

/** Every kind of pool: a kind of the engine's type `Pool` without an entry does not compile. */
const POOL_KINDS = { UNISWAP_V2, UNISWAP_V3 } satisfies {
  readonly [Kind in Pool['kind']]: PoolKind<Extract<Pool, { readonly kind: Kind }>>;
};

type Discovery = (typeof POOL_KINDS)[Pool['kind']]['discovery'];

/** A factory whose pools are trusted. Addresses in lower case. */
export type Factory = Parameters<Discovery['poolCalls']>[0];

/** What never changes about a pool. */
export type PoolIdentity = Parameters<Discovery['poolCall']>[0];

/** All kinds by name. */
export const POOL_KIND_ENTRIES = Object.entries(POOL_KINDS) as readonly [
  Pool['kind'],
  PoolKind<Pool, Factory, PoolIdentity>,
][];

/** How pools of a kind are found, read, followed and kept. */
export function kindOf({ kind }: Pool | PoolIdentity | Factory): PoolKind<Pool, Factory, PoolIdentity> {
  return POOL_KINDS[kind];
}

/** Whether a pool can trade at all; a pool that cannot is followed, but not quoted from. */
export function isTradable(pool: Pool): boolean {
  return kindOf(pool).reading.isTradable(pool);
}

/**
 * Whether swaps over a pool move what it would quote, by what its tokens do with transfers. Where transfers round, that needs
 * a kind of pool that trades with what arrives.
 */
export function isFair(pool: Pool, behaviours: TokenBehaviours): boolean {
  return pool.tokens.every((token) => {
    const kind = behaviours.get(token)?.kind;
    return kind !== 'TAXED' && (kind !== 'SHARES' || kindOf(pool).takesWhatArrives);
  });
}

/** Whether two readings of a pool agree in everything that prices depend on. */
export function isSamePool(a: TrackedPool, b: TrackedPool): boolean {
  return (
    a.pool.kind === b.pool.kind && kindOf(a.pool).reading.stateText(a) === kindOf(b.pool).reading.stateText(b)
  );
}
