import type { V2Pool } from '@fairway/engine';
import type { PoolKind } from '../poolKind.ts';
import { discovery, type V2Factory, type V2Identity } from './discovery.ts';
import { excess } from './excess.ts';
import { events } from './following.ts';
import { reading } from './reading.ts';
import { snapshot } from './snapshot.ts';

/** Constant product pairs: Uniswap V2 and forks. */
export const UNISWAP_V2: PoolKind<V2Pool, V2Factory, V2Identity> = {
  discovery,
  reading,
  events,
  snapshot,
  takesWhatArrives: true,
  excess,
};
