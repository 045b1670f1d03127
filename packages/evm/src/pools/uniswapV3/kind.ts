import type { V3Pool } from '@fairway/engine';
import type { PoolKind } from '../poolKind.ts';
import { discovery, type V3Factory, type V3Identity } from './discovery.ts';
import { events } from './following.ts';
import { reading } from './reading.ts';
import { snapshot } from './snapshot.ts';

/** Concentrated liquidity pools: Uniswap V3 and forks. */
export const UNISWAP_V3: PoolKind<V3Pool, V3Factory, V3Identity> = {
  discovery,
  reading,
  events,
  snapshot,
  takesWhatArrives: false,
  excess: undefined,
};
