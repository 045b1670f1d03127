import type { Address } from '@fairway/engine';
import type { Head, RpcRequest } from '@fairway/evm';
import type {
  Lease,
  RecordedBlock,
  ReadTransfer,
  RecordPosition,
  RecordStore,
  WatchedAddressOf,
} from '@fairway/store';
import { type BlockRing, createBlockRing } from './blockRing.ts';
import { type ConfiguredAddresses, createWatchSet, type WatchSet } from './watchSet.ts';

/** A chain whose record is kept. Addresses are in lower case. */
export type RecordedChain = {
  readonly chainId: number;
  readonly request: RpcRequest;
  /** The newest block that is believed; undefined while there is none. */
  newestHead(): Promise<Head | undefined>;
  readonly configured: ConfiguredAddresses;
  /** The routers of the chain: a call to one of them, or to a token, holds the tag of its plan. */
  readonly routers: readonly Address[];
};

/** What happened while a chain was read, for its operator. */
export type RecordEvents = {
  /** Transfers that the first reading of their blocks did not show. */
  onAddedLate(count: number): void;
  /** Transfers to busy addresses that no plan has a use for: they are only counted. */
  onIgnored(count: number): void;
  /** Logs of a block that the bloom of its header rules out, and that no receipts prove. They are left out for now. */
  onRuledOut(blockNumber: number, count: number): void;
  /**
   * A transaction that paid a settlement address and that no node traces. So nobody knows whose swap it was. `cause`
   * is absent where the nodes have no traces of it.
   */
  onUntraced(txHash: string, cause: unknown): void;
};

/** What a chain is read with. */
export type ReadingParts = {
  readonly chain: RecordedChain;
  readonly store: RecordStore;
  readonly events: RecordEvents;
};

/** A chain as it is being read by the holder of its lease. */
export type Reading = ReadingParts & {
  readonly lease: Lease;
  readonly watch: WatchSet;
  readonly ring: BlockRing;
  /** Transactions that paid a settlement address and are no swaps: blocks are read twice, and each costs requests. */
  readonly noSwaps: Set<string>;
  /** Untraced transactions that the operator was told of. */
  readonly loggedUntraced: Set<string>;
  /** Does one write at a time. */
  readonly inTurn: <Result>(work: () => Promise<Result>) => Promise<Result>;
  /** Blocks whose transactions cannot be read together. */
  readonly unreadableBlocks: Set<string>;
  /** Whether there may be transfers whose transactions are still to be read. */
  mayHaveUnread: boolean;
  /** In how many rounds a transaction could not be read although the nodes answered. */
  readonly untraceable: Map<string, number>;
  tip: RecordedBlock | undefined;
  state: 'AT_HEAD' | 'CATCHING_UP';
  verifiedNumber: number;
  /** The number of the newest block of the nodes. */
  targetNumber: number;
  /** The first block that is to be read again, because a backup was put back. */
  rereadFrom: number | undefined;
  /** Addresses that the blocks up to `tip` were not compared with. */
  unmatched: readonly WatchedAddressOf[];
  /** Addresses of transactions before `xmin` are in `watch`; before `storedXmin` none of them was unmatched. */
  xmin: string;
  storedXmin: string;
  /** How many blocks a range has, and how many transfers of the tokens a block has on average, once that is known. */
  width: number;
  logsPerBlock: number | undefined;
  /** Whether plans may ask for transactions to be recorded. */
  isAsked: boolean;
};

/** The most blocks of a first range. */
const FIRST_WIDTH = 2_000;
/** The rows of one page of watched addresses. */
const PAGE_ROWS = 5_000;

/**
 * Begins to read a chain: loads whose transfers are of interest. Throws when nodes or database cannot answer, and when
 * the nodes are of another chain: all that is on record would be gone there.
 */
export async function beginReading(
  parts: ReadingParts,
  lease: Lease,
  record: RecordPosition,
): Promise<Reading> {
  const { chainId, request, configured } = parts.chain;
  const reported = await request({ method: 'eth_chainId' });
  if (Number(reported) !== chainId)
    throw new Error(`The node is of chain ${Number(reported)}, the configuration says chain ${chainId}`);
  const watch = createWatchSet(configured);
  const contracts = await parts.store.watchedContracts(lease);
  watch.addContracts(contracts);
  const reading: Reading = {
    ...parts,
    lease,
    watch,
    ring: createBlockRing(),
    noSwaps: new Set(),
    loggedUntraced: new Set(),
    inTurn: createTurns(),
    unreadableBlocks: new Set(),
    mayHaveUnread: true,
    untraceable: new Map(),
    tip: record.tip,
    state: 'CATCHING_UP',
    verifiedNumber: record.verifiedNumber ?? record.tip?.number ?? 0,
    targetNumber: record.tip?.number ?? 0,
    rereadFrom: record.rereadFrom,
    unmatched: [],
    xmin: contracts.xmin,
    storedXmin: record.watchedXmin ?? '0',
    width: FIRST_WIDTH,
    logsPerBlock: undefined,
    isAsked: true,
  };
  reading.unmatched = (await loadWatched(reading)).filter(({ isUnmatched }) => isUnmatched);
  return reading;
}

/** Loads all watched addresses into the set, and answers them. */
export async function loadWatched({ store, lease, watch }: Reading): Promise<WatchedAddressOf[]> {
  const all: WatchedAddressOf[] = [];
  for await (const watched of watchedPages(store, lease, PAGE_ROWS)) {
    watch.add(watched);
    all.push(...watched);
  }
  return all;
}

/** All watched addresses of a chain, page by page. */
export async function* watchedPages(
  store: RecordStore,
  lease: Lease,
  limit: number,
): AsyncGenerator<readonly WatchedAddressOf[]> {
  let after: Parameters<RecordStore['watchedPage']>[1]['after'];
  do {
    const page = await store.watchedPage(lease, { after, limit });
    yield page.watched;
    after = page.next;
  } while (after !== undefined);
}

/** Learns which addresses other processes have added. */
export async function learnWatched(reading: Reading): Promise<void> {
  const { store, lease, watch, xmin } = reading;
  const learnt = await store.watchedSince(lease, xmin);
  watch.addContracts(learnt);
  watch.add(learnt.added);
  reading.xmin = learnt.xmin;
  const tipNumber = reading.tip?.number ?? -1;
  const missed = learnt.added.filter(({ fromBlock }) => fromBlock <= tipNumber);
  reading.unmatched = [...reading.unmatched.filter(({ fromBlock }) => fromBlock <= tipNumber), ...missed];
}

/** Does one thing after the other. */
function createTurns(): Reading['inTurn'] {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const turn = last.then(work);
    last = turn.catch(() => undefined);
    return turn;
  };
}

/** What was read and is to be written. Without an ancestor the blocks follow the record's last one. */
export type Written = {
  readonly tip: RecordedBlock;
  readonly ancestorNumber?: number;
  readonly transfers?: readonly ReadTransfer[];
  readonly unread?: readonly ReadTransfer[];
  readonly blocks?: readonly RecordedBlock[];
  readonly verifiedNumber?: number;
};

/** A record counts as being at the head while it lacks at most this many blocks, or the blocks of this time. */
const TOLERATED_BLOCKS = 8;
const TOLERATED_MS = 10_000;

/** How many blocks of the chain as it was at a time a record may lack. */
export function toleratedBlocks({ ring }: Pick<Reading, 'ring'>, timeMs: number): number {
  const recent = ring.blocks().filter((block) => block.timeMs >= timeMs - TOLERATED_MS).length;
  return Math.max(TOLERATED_BLOCKS, recent);
}

/**
 * Writes what was read. Returns how many transfers were not on record before, or LEASE_LOST: nothing was written, and
 * the reading is over. Throws when the database does not answer. It is then unknown whether the query was carried out.
 */
export function write(reading: Reading, written: Written): Promise<number | 'LEASE_LOST'> {
  return reading.inTurn(() => writeNow(reading, written));
}

async function writeNow(reading: Reading, written: Written): Promise<number | 'LEASE_LOST'> {
  const { tip, transfers = [], unread = [], blocks = [] } = written;
  const { store, lease, unmatched, targetNumber, rereadFrom } = reading;
  const isWhole = unmatched.length === 0 && rereadFrom === undefined;
  const ancestorNumber = written.ancestorNumber ?? reading.tip?.number ?? -1;
  const verifiedNumber = written.verifiedNumber ?? Math.min(reading.verifiedNumber, ancestorNumber);
  const watchedXmin = unmatched.length === 0 ? reading.xmin : reading.storedXmin;
  const advanced = await store.advance(lease, {
    believed: reading.tip?.hash,
    ...{
      ancestorNumber,
      tip,
      verifiedNumber,
      watchedXmin,
      targetNumber: Math.max(targetNumber, tip.number),
    },
    rereadFrom,
    // While addresses are unmatched or blocks are read again, the record lacks transfers at any block.
    toleratedBlocks: isWhole ? toleratedBlocks(reading, tip.timeMs) : -1,
    transfers: distinct(transfers, logName),
    unread: distinct(unread, logName),
    blocks: distinct(blocks, ({ number }) => String(number)),
  });
  if (advanced.outcome === 'LEASE_LOST') return 'LEASE_LOST';
  if (advanced.ignored > 0) reading.events.onIgnored(advanced.ignored);
  reading.tip = tip;
  reading.state = advanced.state;
  reading.verifiedNumber = verifiedNumber;
  reading.storedXmin = watchedXmin;
  if (unread.length > 0) reading.mayHaveUnread = true;
  return advanced.added;
}

function logName({ blockHash, txHash, logIndex }: ReadTransfer): string {
  return `${blockHash} ${txHash} ${logIndex}`;
}

function distinct<Item>(items: readonly Item[], nameOf: (item: Item) => string): readonly Item[] {
  return [...new Map(items.map((item) => [nameOf(item), item])).values()];
}

/** A block's header as the record keeps it, and with its hashes in lower case. */
export function recordedBlock({ number, hash, timestampSeconds }: Head): RecordedBlock {
  return { number: Number(number), hash: hash.toLowerCase(), timeMs: 1000 * Number(timestampSeconds) };
}
