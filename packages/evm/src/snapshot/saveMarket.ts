import type { Address } from '@fairway/engine';
import { firstLine } from '../firstLine.ts';
import type { MarketState } from '../market/state.ts';
import type { Factory } from '../pools/poolKinds.ts';
import { encodeSnapshot } from './format.ts';
import type { SnapshotOptions } from './store.ts';

/** The result of saving. */
export type SaveResult =
  | { readonly outcome: 'SAVED'; readonly blockNumber: bigint; readonly byteCount: number }
  | { readonly outcome: 'UNCHANGED' }
  | { readonly outcome: 'FAILED'; readonly detail: string };

/** A market to save: all of it, or what has been read of it so far. */
export type SavedMarket = {
  readonly state: MarketState;
  readonly tokens: Iterable<Address>;
  readonly isWhole: boolean;
};

/** Makes a function that saves a market, unless nothing was added and it is at the block that was saved last. */
export function createSaver(
  { store, confirmations }: SnapshotOptions,
  { chainId, factories }: { readonly chainId: number; readonly factories: readonly Factory[] },
): (market: SavedMarket) => Promise<SaveResult> {
  let saved: string | undefined;

  return async ({ state, tokens, isWhole }) => {
    // Pools are immutable: all that is written is of one block, however long the writing takes.
    const past = state.asOf(confirmations);
    const toSave = past && `${past.head.hash} ${past.pools.length} ${isWhole}`;
    if (past === undefined || toSave === saved) return { outcome: 'UNCHANGED' };
    const { number: blockNumber, hash: blockHash } = past.head;
    const origin = { chainId, factories, blockNumber, blockHash, tokens: [...tokens], isWhole };
    let byteCount = 0;
    function* counted(): Generator<Uint8Array, void> {
      for (const piece of encodeSnapshot({ ...origin, pools: past?.pools ?? [] })) {
        byteCount += piece.length;
        yield piece;
      }
    }
    try {
      await store.save(counted());
    } catch (error) {
      return { outcome: 'FAILED', detail: firstLine(error) };
    }
    saved = toSave;
    return { outcome: 'SAVED', blockNumber, byteCount };
  };
}
