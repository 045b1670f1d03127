import type { Address } from '@fairway/engine';
import { identifyPools } from '../pools/discovery.ts';
import type { Factory } from '../pools/poolKinds.ts';
import { createdPool, FOLLOWED_TOPICS } from '../pools/poolEvents.ts';
import { readPools } from '../pools/poolReader.ts';
import type { TrackedPool } from '../pools/trackedPool.ts';
import { type Log, readBlockLogs } from '../rpc/blockLogs.ts';
import type { RpcRequest } from '../rpc/endpoint.ts';
import { headByHash, headByNumber } from '../rpc/head.ts';
import { createBatchRead, mapInBatches } from '../rpc/multicall.ts';
import { BlockGoneError, NodeNonsenseError } from '../rpc/errors.ts';
import type { Head } from '../types.ts';
import type { BlockChange, MarketState } from './state.ts';

/** Where a chain's markets are and how they are asked. Addresses in lower case. */
export type MarketSource = {
  readonly request: RpcRequest;
  readonly multicall3: Address;
  readonly factories: readonly Factory[];
  /** The tokens whose pools are followed. */
  readonly tokens: readonly Address[];
};

/** Missing blocks that are loaded at most: with more, the pools are read again instead. */
const MAX_MISSED_BLOCKS = 128;
/** Requests under way at the same time. */
const REQUEST_WIDTH = 16;

/** The way from the followed head to another head: undo blocks down to the ancestor, then apply the changes. */
export type MissedBlocks = { readonly ancestorHash: string; readonly changes: readonly BlockChange[] };

/**
 * Loads all that is needed to bring the state to `head`, without touching it. Undefined when the common
 * ancestor lies deeper than the journal or too many blocks are missing: the pools must be read again.
 * @throws BlockGoneError, RpcUnreachableError, and for logs that cannot be a block's
 */
export async function loadMissedBlocks(
  source: MarketSource,
  state: MarketState,
  head: Head,
  tokens: ReadonlySet<Address>,
): Promise<MissedBlocks | undefined> {
  const way = await blocksBetween(source.request, state, head);
  if (way === undefined) return undefined;
  const changes = await mapInBatches(way.blocks, REQUEST_WIDTH, async (block) => {
    const { logs, ruledOut } = await readBlockLogs(source.request, block, { topics: FOLLOWED_TOPICS });
    if (ruledOut > 0)
      throw new NodeNonsenseError("The node sent a log that the bloom of the block's header rules out");
    return { head: block, logs, created: await readCreatedPools(source, block, logs, tokens) };
  });
  return { ancestorHash: way.ancestorHash, changes };
}

/** Whether a state of so many pools is worth bringing forward: a block costs two requests, a pool one at most. */
export function isWorthReplaying(missedBlocks: bigint, poolCount: number): boolean {
  return missedBlocks <= Math.max(MAX_MISSED_BLOCKS, poolCount);
}

/**
 * Brings the state to `head` by the logs of all blocks between. False when the state's own block is no longer part of
 * the chain.
 * @throws BlockGoneError, RpcUnreachableError
 */
export async function replay(
  source: MarketSource,
  state: MarketState,
  head: Head,
  tokens: ReadonlySet<Address>,
): Promise<boolean> {
  const step = BigInt(MAX_MISSED_BLOCKS);
  for (let at = state.head(); at !== undefined && at.hash !== head.hash; at = state.head()) {
    const isLast = head.number - at.number <= step;
    const next = isLast ? head : await headByNumber(source.request, at.number + step);
    if (next === undefined) throw new BlockGoneError();
    const missed = await loadMissedBlocks(source, state, next, tokens);
    if (missed === undefined) return false;
    state.advance(missed.ancestorHash, missed.changes);
  }
  return true;
}

type Way = { readonly ancestorHash: string; readonly blocks: readonly Head[] };

/** The blocks from a reachable ancestor up to `head`; undefined when there are too many or none is reachable. */
async function blocksBetween(request: RpcRequest, state: MarketState, head: Head): Promise<Way | undefined> {
  const ahead = await blocksAhead(request, state, head);
  if (ahead !== undefined) return ahead;
  const blocks: Head[] = [];
  let cursor = head;
  while (!state.reaches(cursor.hash)) {
    blocks.unshift(cursor);
    if (blocks.length > MAX_MISSED_BLOCKS || cursor.number <= (state.lowestReachable() ?? 0n))
      return undefined;
    const parent = await headByHash(request, cursor.parentHash);
    if (parent === undefined) throw new BlockGoneError();
    cursor = parent;
  }
  return { ancestorHash: cursor.hash, blocks };
}

/** The usual case, in one round of requests: nothing was reorganised, and a few blocks came at once. */
async function blocksAhead(request: RpcRequest, state: MarketState, head: Head): Promise<Way | undefined> {
  const followed = state.head();
  const count = followed === undefined ? 0 : Number(head.number - followed.number);
  if (followed === undefined || count < 1 || count > MAX_MISSED_BLOCKS) return undefined;
  const numbers = Array.from({ length: count - 1 }, (_, index) => followed.number + 1n + BigInt(index));
  const between = await mapInBatches(numbers, REQUEST_WIDTH, (number) => headByNumber(request, number));
  const blocks: Head[] = [];
  for (const block of [...between, head]) {
    if (block?.parentHash !== (blocks.at(-1) ?? followed).hash) return undefined;
    blocks.push(block);
  }
  return { ancestorHash: followed.hash, blocks };
}

/** The pools that a block created, as they are at its end. */
async function readCreatedPools(
  source: MarketSource,
  head: Head,
  logs: readonly Log[],
  tokens: ReadonlySet<Address>,
): Promise<TrackedPool[]> {
  const factories = new Map(source.factories.map((factory) => [factory.address, factory]));
  const named = logs.flatMap((log) => createdPool(log, factories) ?? []);
  if (named.length === 0) return [];
  const read = createBatchRead(source.request, source.multicall3, head.hash);
  const { identities } = await identifyPools(read, named, tokens);
  return readPools(source.request, read, head.hash, identities);
}
