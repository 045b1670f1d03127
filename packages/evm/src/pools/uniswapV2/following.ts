import type { V2Pool } from '@fairway/engine';
import { parseAbi } from 'viem';
import { poolEvents } from '../eventLayout.ts';

const EVENTS_ABI = parseAbi(['event Sync(uint112 reserve0, uint112 reserve1)']);

/** What a V2 pair's event does to it. */
export const events = poolEvents<V2Pool, typeof EVENTS_ABI>(EVENTS_ABI, {
  Sync: ({ pool, overlap }, { data }) => ({
    pool: { ...pool, reserve0: data(0), reserve1: data(1) },
    overlap,
  }),
});
