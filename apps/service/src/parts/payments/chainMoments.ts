import { unlessAway } from '@fairway/postgres';
import type { ChainMoment, Environment, RecordStore } from '@fairway/store';

/** How far the records of the chains are, as this process saw them last. */
export type ChainMoments = {
  /** Undefined before the first look. */
  of(chainId: number): ChainMoment | undefined;
  /** Looks at all records. A record that cannot be looked at stays as it was seen last. */
  look(): Promise<void>;
};

/** Makes the view of the records of these chains. */
export function createChainMoments(
  store: Pick<RecordStore, 'position'>,
  environment: Environment,
  chainIds: readonly number[],
): ChainMoments {
  const seen = new Map<number, ChainMoment>();
  return {
    of: (chainId) => seen.get(chainId),
    async look() {
      for (const chainId of chainIds) {
        const found = await unlessAway(store.position({ environment, chainId }));
        if (found !== 'AWAY') seen.set(chainId, found.moment);
      }
    },
  };
}
