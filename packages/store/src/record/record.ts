import type { Unavailable } from '@fairway/postgres';
import type { Database } from '../database/database.ts';
import { advance, type Advanced, type RecordedBlocks } from './advance.ts';
import { releaseLease, renewLease, takeLease } from './lease.ts';
import { position, storedBlocks } from './position.ts';
import type {
  ChainKey,
  ChainMoment,
  Lease,
  RecordedBlock,
  TakenLease,
  WatchedAddressOf,
  WatchedContracts,
  WatchedCursor,
} from './types.ts';
import { watchedContracts, watchedPage, watchedSince } from './watched.ts';

/**
 * The record of each chain: how far it was read, and the transfers that concern plans. Whoever holds the lease of a
 * chain writes its record; a write under a lease that was taken away changes nothing. All can also answer that the
 * database is unavailable.
 */
export type RecordStore = {
  /**
   * Takes the lease of a chain if nobody has it: `taken` is undefined while another process has. It ends three seconds
   * after the last renewal, by the database's clock.
   */
  takeLease(
    chain: ChainKey,
    holder: string,
  ): Promise<{ ok: true; taken: TakenLease | undefined } | Unavailable>;
  /** Renews the lease. `held` is false once another process took it. `databaseMs`: the database's time. */
  renewLease(lease: Lease): Promise<{ ok: true; held: boolean; databaseMs: number } | Unavailable>;
  /** Gives the lease back, so that another process need not wait for its end. */
  releaseLease(lease: Lease): Promise<{ ok: true } | Unavailable>;
  /** Writes blocks that were read, in one statement. */
  advance(lease: Lease, blocks: RecordedBlocks): Promise<Advanced | Unavailable>;
  /** How far a chain's record is. An expired lease counts as CATCHING_UP. */
  position(chain: ChainKey): Promise<{ ok: true; moment: ChainMoment } | Unavailable>;
  /** The newest blocks of the record below a number, newest first. */
  storedBlocks(
    chain: ChainKey,
    below: number,
    limit: number,
  ): Promise<{ ok: true; blocks: readonly RecordedBlock[] } | Unavailable>;
  /** A page of watched addresses, in the order of their key. */
  watchedPage(
    chain: ChainKey,
    page: { readonly after?: WatchedCursor | undefined; readonly limit: number },
  ): Promise<
    { ok: true; watched: readonly WatchedAddressOf[]; next: WatchedCursor | undefined } | Unavailable
  >;
  /**
   * The contracts of all watched plans. `xmin` is for `watchedSince`: it answers all that this and later calls of
   * `watchedPage` do not see.
   */
  watchedContracts(chain: ChainKey): Promise<({ ok: true; xmin: string } & WatchedContracts) | Unavailable>;
  /** Watched addresses that were added since an `xmin`, and the next `xmin`. Some may be answered twice. */
  watchedSince(
    chain: ChainKey,
    xmin: string,
  ): Promise<
    ({ ok: true; added: readonly WatchedAddressOf[]; xmin: string } & WatchedContracts) | Unavailable
  >;
};

/** Binds the operations to a database. */
export function createRecord(database: Database): RecordStore {
  return {
    takeLease: (chain, holder) => takeLease(database, chain, holder),
    renewLease: (lease) => renewLease(database, lease),
    releaseLease: (lease) => releaseLease(database, lease),
    advance: (lease, blocks) => advance(database, lease, blocks),
    position: (chain) => position(database, chain),
    storedBlocks: (chain, below, limit) => storedBlocks(database, chain, below, limit),
    watchedPage: (chain, page) => watchedPage(database, chain, page),
    watchedContracts: (chain) => watchedContracts(database, chain),
    watchedSince: (chain, xmin) => watchedSince(database, chain, xmin),
  };
}
