import type { Address } from '@fairway/engine';
import type { Factory } from '../pools/poolKinds.ts';
import type { ChainRpc } from '../rpc/chainRpc.ts';
import type { SnapshotOptions } from '../snapshot/store.ts';
import type { Head, LeftOut, TokenBehaviour } from '../types.ts';
import type { ContactOptions } from './contact.ts';
import type { ReadingEvent } from './keptReading.ts';
import type { AuditEvent } from './rereadPools.ts';

/** What happened, for logs and metrics. Details are short and hold no URL and no request body. */
export type FollowerEvent =
  | { readonly type: 'SYNCED'; readonly head: Head; readonly poolCount: number; readonly tokenCount: number }
  | {
      readonly type: 'RESTORED';
      readonly head: Head;
      readonly poolCount: number;
      /** The block of the snapshot; the blocks after it were replayed. */
      readonly snapshotBlock: bigint;
      /** How many pools were read back and compared. */
      readonly sampleCount: number;
    }
  /** A listed token, or a pool of two, is not part of the market that was read or restored. */
  | ({ readonly type: 'LEFT_OUT' } & LeftOut)
  | ReadingEvent
  /** A reading that an earlier run did not end goes on with the pools that it had read. */
  | {
      readonly type: 'READING_RESUMED';
      readonly head: Head;
      readonly poolCount: number;
      readonly snapshotBlock: bigint;
    }
  | { readonly type: 'SNAPSHOT_DISCARDED'; readonly detail: string }
  | { readonly type: 'SNAPSHOT_SAVED'; readonly blockNumber: bigint; readonly byteCount: number }
  | { readonly type: 'SNAPSHOT_NOT_SAVED'; readonly detail: string }
  | { readonly type: 'HEAD'; readonly head: Head; readonly reorgDepth: number }
  /** The nodes named a block below the market's own as their latest: they are behind, and nothing was reorganised. */
  | { readonly type: 'NODE_BEHIND'; readonly head: Head; readonly blocks: bigint }
  /** The hash of the latest block is no longer computed by the rules known here, so its bloom proves nothing. */
  | { readonly type: 'HEADER_RULES_CHANGED'; readonly head: Head }
  | AuditEvent
  /** A token turned out to move other amounts than it is asked to, or to do so no more. */
  | { readonly type: 'TOKEN_MEASURED'; readonly token: Address; readonly behaviour: TokenBehaviour }
  | { readonly type: 'FAILED'; readonly detail: string };

/** How to follow one chain. Addresses in lower case. */
export type FollowerOptions = ContactOptions & {
  readonly rpc: ChainRpc;
  readonly chainId: number;
  readonly multicall3: Address;
  readonly factories: readonly Factory[];
  /** The tokens whose pools are followed. */
  readonly tokens: readonly Address[];
  /** How often a sample of pools is read back and compared; absent: never. */
  readonly auditIntervalMs?: number;
  /** The contract that pulls tokens from accounts: what their transfers move is measured with it. */
  readonly spender: Address;
  /** How often the transfers of one token are measured again; absent: only at the start and when a swap fails. */
  readonly measuringIntervalMs?: number;
  /** Where the market is kept between runs; absent: it is read from the chain at every start. */
  readonly snapshot?: SnapshotOptions;
  /** Asked before every full read: whether the contracts around the market are those configured. */
  readonly checkReady?: () => Promise<
    { readonly ok: true } | { readonly ok: false; readonly detail: string }
  >;
  readonly onEvent: (event: FollowerEvent) => void;
};
