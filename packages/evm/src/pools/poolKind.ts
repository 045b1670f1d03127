import type { Address, Pool } from '@fairway/engine';
import type { RpcRequest } from '../rpc/endpoint.ts';
import type { BatchRead } from '../rpc/multicall.ts';
import type { Factory, PoolIdentity } from './factory.ts';
import type { Log } from '../rpc/blockLogs.ts';
import type { PoolEvents } from './eventLayout.ts';
import type { TrackedPool } from './trackedPool.ts';

type Word = `0x${string}` | undefined;

/** How pools of one kind are found on a chain, read, and followed from block to block. */
export type PoolKind<P extends Pool, F extends Factory, I extends PoolIdentity> = {
  /** Calls of a factory, each of which answers with the address of one pool of two tokens, or with zero. */
  poolCalls(factory: F, tokenA: Address, tokenB: Address): `0x${string}`[];
  /** The call of its factory that answers with this pool's address. */
  poolCall(pool: I): `0x${string}`;
  /** Calls of a pool for what it is, besides its tokens. */
  readonly identityCalls: readonly `0x${string}`[];
  /** What a pool is, from the answers to `identityCalls`; undefined where they do not say. */
  identify(
    factory: F,
    pool: Pick<PoolIdentity, 'address' | 'source' | 'token0' | 'token1'>,
    answers: readonly Word[],
  ): I | undefined;
  /** First topic of the event by which a factory announces a pool. */
  readonly creationTopic: `0x${string}`;
  /** The pool that such an event announces. @throws for a log with another layout. */
  createdPool(log: Log): string;
  /** About how many pools one request reads. */
  readonly poolsPerRequest: number;
  /** Reads pools' whole state at a pinned block; undefined for each that does not answer there. */
  readPools(source: PoolSource, identities: readonly I[]): Promise<(TrackedPool | undefined)[]>;
  /** Every event that changes what a pool would pay. */
  readonly events: PoolEvents<P>;
  /** Whether it trades with what arrives of its input. Other kinds revert where less arrives than they are told. */
  readonly takesWhatArrives: boolean;
  /** Whether a pool can trade at all. */
  isTradable(pool: P): boolean;
  /** All that prices depend on, as a text: pools with equal texts trade alike. */
  stateText(tracked: TrackedPool<P>): string;
};

/** Where pools are read: a node, directly and in batches, at one block. */
export type PoolSource = {
  readonly request: RpcRequest;
  readonly read: BatchRead;
  readonly blockHash: string;
};
