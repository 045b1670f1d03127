import type { Hash, Plan } from '@fairway/plan';
import type { Database } from '../database/database.ts';
import type { PlanScope } from '../plans/planScope.ts';
import {
  advance,
  type Advanced,
  answerUnread,
  type ReadAnswers,
  type ReadTransfer,
  type RecordedBlocks,
} from './advance.ts';
import { type Renewed, releaseLease, renewLease, type SeenHead, takeLease } from './lease.ts';
import { type LookBack, lookBack } from './lookBack.ts';
import { position, storedBlocks } from './position.ts';
import { endRequests, openRequests, type RecordRequest, requestRecord } from './requests.ts';
import { isAddressShared } from './sharedAddress.ts';
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
import { unreadTransfers } from './unread.ts';
import { untracedExecution } from './untraced.ts';
import { type PlanView, type ViewAsk, viewOf } from './view.ts';
import { watchedContracts, watchedPage, watchedSince } from './watched.ts';

/**
 * The record of each chain: how far it was read, and the transfers that concern plans. The holder of a chain's lease
 * writes its record; a write under a lease that was taken away changes nothing.
 */
export type RecordStore = {
  /**
   * Takes the lease of a chain if nobody has it: `taken` is undefined while another process has. It ends three seconds
   * after the last renewal, by the database's clock.
   */
  takeLease(chain: ChainKey, holder: string): Promise<{ taken: TakenLease | undefined }>;
  /**
   * Renews the lease, and gives plans whose wait for the chain is over their jobs. A record that is behind what the holder has
   * seen of the chain is no longer at the head.
   */
  renewLease(lease: Lease, seen?: SeenHead): Promise<Renewed>;
  /** Gives the lease back, so that another process need not wait for its end. */
  releaseLease(lease: Lease): Promise<void>;
  /** Writes blocks that were read, in one query. */
  advance(lease: Lease, blocks: RecordedBlocks): Promise<Advanced>;
  /** Writes what unread transactions turned out to be, in one query, and not while blocks are written. */
  answerUnread(lease: Lease, read: ReadAnswers): Promise<Advanced>;
  /** Transfers to settlement addresses whose transactions are still to be read, the largest of each token first. */
  unreadTransfers(
    chain: ChainKey,
    contracts: WatchedContracts,
    limit: number,
  ): Promise<{ transfers: readonly ReadTransfer[] }>;
  /** Asks the holder of the lease to record a transaction that a plan rests on. */
  request(scope: PlanScope, planId: string, chainId: number, request: RecordRequest): Promise<void>;
  /** Transactions in blocks up to this one that plans ask for. */
  openRequests(chain: ChainKey, upTo: number, limit: number): Promise<{ requests: readonly RecordRequest[] }>;
  /** Ends requests. Their plans are compared with the record. */
  endRequests(chain: ChainKey, done: readonly RecordRequest[]): Promise<void>;
  /** What the record shows of a plan. */
  view(scope: PlanScope, plan: Plan, ask: ViewAsk): Promise<{ view: PlanView }>;
  /** A transaction that no node traces and that may have executed instructions of a plan. */
  untracedExecution(scope: PlanScope, plan: Plan): Promise<{ txHash: Hash | undefined }>;
  /** What a plan that was made again after a restore may have had before. */
  lookBack(scope: PlanScope, plan: Plan): Promise<LookBack>;
  /** Whether another plan has or had the deposit address of a plan. */
  isAddressShared(scope: PlanScope, plan: Plan): Promise<{ isShared: boolean }>;
  /** How far a chain's record is. An expired lease counts as CATCHING_UP. */
  position(chain: ChainKey): Promise<{ moment: ChainMoment }>;
  /** The newest blocks of the record below a number, newest first. */
  storedBlocks(chain: ChainKey, below: number, limit: number): Promise<{ blocks: readonly RecordedBlock[] }>;
  /** A page of watched addresses, in the order of their key. */
  watchedPage(
    chain: ChainKey,
    page: { readonly after?: WatchedCursor | undefined; readonly limit: number },
  ): Promise<{ watched: readonly WatchedAddressOf[]; next: WatchedCursor | undefined }>;
  /**
   * The contracts of all watched plans. `xmin` is for `watchedSince`: it answers all that this and later calls of
   * `watchedPage` do not see.
   */
  watchedContracts(chain: ChainKey): Promise<{ xmin: string } & WatchedContracts>;
  /** Watched addresses that were added since an `xmin`, and the next `xmin`. Some may be answered twice. */
  watchedSince(
    chain: ChainKey,
    xmin: string,
  ): Promise<{ added: readonly WatchedAddressOf[]; xmin: string } & WatchedContracts>;
};

/** Binds the operations to a database. */
export function createRecord(database: Database): RecordStore {
  return {
    takeLease: (chain, holder) => takeLease(database, chain, holder),
    renewLease: (lease, seen) => renewLease(database, lease, seen),
    releaseLease: (lease) => releaseLease(database, lease),
    advance: (lease, blocks) => advance(database, lease, blocks),
    answerUnread: (lease, read) => answerUnread(database, lease, read),
    unreadTransfers: (chain, contracts, limit) => unreadTransfers(database, chain, contracts, limit),
    request: (scope, planId, chainId, asked) => requestRecord(database, scope, planId, chainId, asked),
    openRequests: (chain, upTo, limit) => openRequests(database, chain, upTo, limit),
    endRequests: (chain, done) => endRequests(database, chain, done),
    view: (scope, plan, ask) => viewOf(database, scope, plan, ask),
    untracedExecution: (scope, plan) => untracedExecution(database, scope, plan),
    lookBack: (scope, plan) => lookBack(database, scope, plan),
    isAddressShared: (scope, plan) => isAddressShared(database, scope, plan),
    position: (chain) => position(database, chain),
    storedBlocks: (chain, below, limit) => storedBlocks(database, chain, below, limit),
    watchedPage: (chain, page) => watchedPage(database, chain, page),
    watchedContracts: (chain) => watchedContracts(database, chain),
    watchedSince: (chain, xmin) => watchedSince(database, chain, xmin),
  };
}
