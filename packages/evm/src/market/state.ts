import { type Address, createMarket, type Market, toAddress } from '@fairway/engine';
import type { Log } from '../rpc/blockLogs.ts';
import { poolAfterLog } from '../pools/poolEvents.ts';
import { isFair, isTradable } from '../pools/poolKinds.ts';
import type { TrackedPool } from '../pools/trackedPool.ts';
import type { Head, TokenBehaviours } from '../types.ts';

/** Blocks in the journal, the head included. After a reorg below the lowest of them, all pools are read again. */
const JOURNAL_BLOCKS = 128;

type JournalEntry = {
  readonly head: Head;
  /** Each pool that the block changed, as it was before the block; undefined where the block created the pool. */
  readonly undo: Map<Address, TrackedPool | undefined>;
};

/** What a block did: its logs in order, and the pools that it created, as they are at its end. */
export type BlockChange = {
  readonly head: Head;
  readonly logs: readonly Log[];
  readonly created: readonly TrackedPool[];
};

/** The followed pools at one head, with the journal by which blocks are undone. All changes are synchronous. */
export type MarketState = {
  readonly market: Market;
  readonly pools: ReadonlyMap<Address, TrackedPool>;
  head(): Head | undefined;
  /** Whether a block is the head or a block that can be returned to. */
  reaches(hash: string): boolean;
  /** The lowest block number that can be returned to. */
  lowestReachable(): bigint | undefined;
  /** The pools as they were `depth` blocks below the head, or at the lowest block that can be returned to. */
  asOf(depth: number): { readonly head: Head; readonly pools: readonly TrackedPool[] } | undefined;
  /** Replaces the whole state by pools read at one head. */
  reset(head: Head, pools: Iterable<TrackedPool>): void;
  /** Undoes all blocks above `ancestorHash`, which must be reachable, then applies the given blocks in order. Returns how many were undone. */
  advance(ancestorHash: string, changes: readonly BlockChange[]): number;
  /** Adds pools as they are at the head. They are gone again when the head is undone: nobody knows how they were before. */
  add(pools: Iterable<TrackedPool>): void;
  /** Overwrites pools that were found wrong at the head. Earlier blocks can no longer be returned to. */
  correct(pools: Iterable<TrackedPool>): void;
  /** Takes pools of a token into the market or out of it, after what is known of its transfers has changed. */
  reconsider(token: Address): void;
};

/**
 * An empty state: `reset` gives it its first head. Some pools are followed and stay out of the market. By what
 * `behaviours` says of their tokens, swaps over them would not move the quoted amounts.
 */
export function createMarketState(behaviours: TokenBehaviours = new Map()): MarketState {
  const market = createMarket([]);
  const pools = new Map<Address, TrackedPool>();
  let journal: JournalEntry[] = [];

  function set(address: Address, tracked: TrackedPool | undefined): void {
    if (tracked === undefined) pools.delete(address);
    else pools.set(address, tracked);
    if (tracked !== undefined && isTraded(tracked, behaviours)) market.put(tracked.pool);
    else market.remove(address);
  }

  function undoAbove(hash: string): number {
    let undone = 0;
    for (let last = journal.at(-1); last !== undefined && last.head.hash !== hash; last = journal.at(-1)) {
      for (const [address, before] of last.undo) set(address, before);
      journal.pop();
      undone++;
    }
    return undone;
  }

  return {
    market,
    pools,
    head: () => journal.at(-1)?.head,
    reaches: (hash) => journal.some((entry) => entry.head.hash === hash),
    lowestReachable: () => journal[0]?.head.number,
    asOf: (depth) => stateAsOf(pools, journal, depth),
    reset(head, fresh) {
      for (const address of [...pools.keys()]) set(address, undefined);
      for (const tracked of fresh) set(tracked.pool.address, tracked);
      journal = [{ head, undo: new Map() }];
    },
    advance(ancestorHash, changes) {
      if (!journal.some((entry) => entry.head.hash === ancestorHash)) {
        throw new Error(`Block ${ancestorHash} is not in the journal`);
      }
      const undone = undoAbove(ancestorHash);
      for (const change of changes) {
        journal.push(applied(change, pools, set));
        if (journal.length > JOURNAL_BLOCKS) journal.shift();
      }
      return undone;
    },
    add(found) {
      for (const tracked of found) {
        const { address } = tracked.pool;
        if (!pools.has(address)) journal.at(-1)?.undo.set(address, undefined);
        set(address, tracked);
      }
    },
    correct(corrected) {
      for (const tracked of corrected) set(tracked.pool.address, tracked);
      journal = journal.slice(-1).map(({ head }) => ({ head, undo: new Map() }));
    },
    reconsider(token) {
      for (const [address, tracked] of pools) if (tracked.pool.tokens.includes(token)) set(address, tracked);
    },
  };
}

function isTraded({ pool }: TrackedPool, behaviours: TokenBehaviours): boolean {
  return isTradable(pool) && isFair(pool, behaviours);
}

function stateAsOf(
  pools: ReadonlyMap<Address, TrackedPool>,
  journal: readonly JournalEntry[],
  depth: number,
): ReturnType<MarketState['asOf']> {
  const kept = Math.max(1, journal.length - depth);
  const head = journal[kept - 1]?.head;
  return head && { head, pools: poolsBefore(pools, journal.slice(kept)) };
}

/** Applies what a block did, and gives its entry for the journal. */
function applied(
  { head, logs, created }: BlockChange,
  pools: ReadonlyMap<Address, TrackedPool>,
  set: (address: Address, tracked: TrackedPool) => void,
): JournalEntry {
  const undo = new Map<Address, TrackedPool | undefined>();
  function change(address: Address, before: TrackedPool | undefined, after: TrackedPool): void {
    if (!undo.has(address)) undo.set(address, before);
    set(address, after);
  }
  for (const log of logs) {
    const address = toAddress(log.address);
    const before = pools.get(address);
    if (before === undefined) continue;
    const after = poolAfterLog(before, log);
    if (after !== before) change(address, before, after);
  }
  for (const tracked of created) change(tracked.pool.address, pools.get(tracked.pool.address), tracked);
  return { head, undo };
}

/** The pools as they were before the blocks of some entries, the last of the journal. */
function poolsBefore(
  pools: ReadonlyMap<Address, TrackedPool>,
  entries: readonly JournalEntry[],
): TrackedPool[] {
  const then = new Map<Address, TrackedPool | undefined>(pools);
  for (const { undo } of entries.toReversed()) {
    for (const [address, before] of undo) then.set(address, before);
  }
  return [...then.values()].filter((tracked) => tracked !== undefined);
}
