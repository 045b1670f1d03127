import type { Address, FeePips, Pool } from '@fairway/engine';
import type { ByteReader } from '../bytes/byteReader.ts';
import type { ByteWriter } from '../bytes/byteWriter.ts';
import type { Log } from '../rpc/blockLogs.ts';
import type { RpcRequest } from '../rpc/endpoint.ts';
import type { BatchRead } from '../rpc/multicall.ts';
import type { PoolEvents } from './eventLayout.ts';
import type { FactoryOf, IdentityOf, PoolOrigin } from './identity.ts';
import type { TrackedPool } from './trackedPool.ts';

type Word = `0x${string}` | undefined;

/** How pools of one kind are found on a chain, read, followed from block to block, and kept between runs. */
export type PoolKind<
  P extends Pool,
  F extends FactoryOf<P['kind']> = FactoryOf<P['kind']>,
  I extends IdentityOf<P['kind']> = IdentityOf<P['kind']>,
> = {
  readonly discovery: PoolDiscovery<F, I>;
  readonly reading: PoolReading<P, I>;
  /** Every event that changes what a pool would pay. */
  readonly events: PoolEvents<P>;
  readonly snapshot: PoolSnapshot<P, F>;
  /** Whether it trades with what arrives of its input. Other kinds revert where less arrives than they are told. */
  readonly takesWhatArrives: boolean;
  /** What a pool holds beyond its own record; undefined for a kind that never pays such an excess out. */
  readonly excess: PoolExcess<P> | undefined;
};

/** How factories of a kind are asked for pools, and pools for what they are. */
export type PoolDiscovery<F, I> = {
  /** Calls of a factory, each of which answers with the address of one pool of two tokens, or with zero. */
  poolCalls(factory: F, tokenA: Address, tokenB: Address): `0x${string}`[];
  /** The call of its factory that answers with this pool's address. */
  poolCall(pool: I): `0x${string}`;
  /** Calls of a pool for its two tokens. */
  readonly tokenCalls: readonly [`0x${string}`, `0x${string}`];
  /** Calls of a pool for what it is, besides its tokens. */
  readonly identityCalls: readonly `0x${string}`[];
  /** What a pool is, from the answers to `identityCalls`; undefined where they do not say. */
  identify(factory: F, pool: PoolOrigin, answers: readonly Word[]): I | undefined;
  /** First topic of the event by which a factory announces a pool. */
  readonly creationTopic: `0x${string}`;
  /**
   * The pool that such an event announces. A later reading of the market finds those whose event does not name them.
   * @throws for a log with another layout, or without a pool.
   */
  createdPool(log: Log): string;
};

/** How the state of pools is read. */
export type PoolReading<P extends Pool, I> = {
  /** About how many pools one request reads. */
  readonly poolsPerRequest: number;
  /** Reads pools' whole state at a pinned block; undefined for each that does not answer there. */
  readPools(source: PoolSource, identities: readonly I[]): Promise<(TrackedPool | undefined)[]>;
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

/** How the pools of a kind are written to a snapshot, after what all pools have, and read again. */
export type PoolSnapshot<P extends Pool, F> = {
  /** The fees by which the factory's pools are found: with other fees the market would be another one. */
  fees(factory: F): readonly FeePips[];
  write(writer: ByteWriter, tracked: TrackedPool<P>): void;
  read(reader: ByteReader, factory: F, origin: PoolOrigin): TrackedPool<P>;
};

/** How the tokens are found that somebody sent to a pool without trading. The pool's next trade pays them out. */
export type PoolExcess<P extends Pool> = {
  /** Call of the pool that answers with its record. */
  readonly recordCall: `0x${string}`;
  /** The pool's recorded amount of a token; undefined where the answer is no record. */
  recorded(pool: P, token: Address, answer: `0x${string}`): bigint | undefined;
  /** Call of the pool by which anybody can send the excess to an address. */
  clearCall(to: Address): `0x${string}`;
};
