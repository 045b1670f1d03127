import {
  BlockGoneError,
  latestHead,
  readBlockTags,
  readTags,
  type TagReading,
  type TokenTransfer,
} from '@fairway/evm';
import { toAddress } from '@fairway/engine';
import { defined } from '@fairway/values';
import type { ReadTransfer } from '@fairway/store';
import { setTimeout as sleep } from 'node:timers/promises';
import { transactionName } from './matchTransfers.ts';
import { type Reading } from './reading.ts';

/** How many transfers to one settlement address of one token are looked at in a turn. */
const MOST_TRANSFERS = 1_000;
/** When a block has more transactions to be read than these, the whole block is read: it takes three requests. */
const FEW = 3;
/** How many whole blocks, and how many single transactions, are read in a turn and at the same time. */
const [BLOCKS_AT_ONCE, SINGLES_AT_ONCE] = [8, 8];
/** How often the service tries to read a transaction that the nodes cannot trace although they answer. */
const MOST_ROUNDS = 3;
/** How often nodes are asked whether they answer at all, and how long is waited in between: a trace may have tired them. */
const [LIFE_SIGNS, LIFE_PAUSE_MS] = [3, 500];
/** The most transactions and blocks that are remembered. */
const MOST_REMEMBERED = 5_000;

/** The transfers of one transaction in a block, with its name. */
type Transaction = { readonly name: string; readonly transfers: readonly ReadTransfer[] };
/** What transactions turned out to be, by their names. */
type Readings = Map<string, TagReading>;

/**
 * What one turn came to. NONE: nothing is unread. READ: something was read, and there may be more. STUCK: something is to be
 * tried again in a moment. LEASE_LOST: another process reads this chain now.
 */
export type Turn = 'NONE' | 'READ' | 'STUCK' | 'LEASE_LOST';

/**
 * Finds out whose swaps transfers to settlement addresses were, the largest first and some at a time. It runs beside
 * the reading of blocks: anybody can send such transfers, and no deposit waits for them. A transaction that the nodes
 * cannot trace although they answer is untraced after some rounds.
 * @throws when database or nodes cannot answer
 */
export async function readUnread(reading: Reading): Promise<Turn> {
  const { store, lease, watch } = reading;
  const contracts = { settlementAddresses: watch.settlementAddresses(), tokens: watch.tokens() };
  reading.mayHaveUnread = false;
  const { transfers } = await store.unreadTransfers(lease, contracts, MOST_TRANSFERS);
  if (transfers.length === 0) return 'NONE';
  reading.mayHaveUnread = true;
  const open = [...Map.groupBy(transfers, transactionName)].map(([name, made]) => ({
    name,
    transfers: made,
  }));
  const readings: Readings = new Map();
  const wholes = crowdedBlocks(reading, open).slice(0, BLOCKS_AT_ONCE);
  const inWholes = new Set(wholes.flat());
  const singles = open.filter((each) => !inWholes.has(each)).slice(0, SINGLES_AT_ONCE);
  const failures: Failure[] = [];
  await Promise.all([
    ...wholes.map((block) => readWhole(reading, block, readings)),
    ...singles.map((transaction) => readSingle(reading, transaction, readings, failures)),
  ]);
  await countFailures(reading, failures, readings);
  return record(
    reading,
    open.filter(({ name }) => readings.has(name)),
    readings,
  );
}

/** The transactions of each block that has more than a few, unless it was seen that they cannot be read together. */
function crowdedBlocks(
  { unreadableBlocks }: Reading,
  open: readonly Transaction[],
): readonly (readonly Transaction[])[] {
  const blocks = Map.groupBy(open, ({ transfers }) => transfers[0]?.blockHash ?? '');
  return [...blocks].flatMap(([hash, block]) =>
    block.length > FEW && !unreadableBlocks.has(hash) ? [block] : [],
  );
}

/** Reads transactions of one block together. Those that this does not tell are read one by one in the next turns. */
async function readWhole(reading: Reading, block: readonly Transaction[], readings: Readings): Promise<void> {
  const transfers = block.flatMap((each) => each.transfers.map(tokenTransfer));
  const found = await readBlockTags(reading.chain.request, transfers, contractsOf(reading)).catch(
    (cause: unknown) => (cause instanceof BlockGoneError ? undefined : new Map<string, TagReading>()),
  );
  // The block is of no interest any more, or will be there in a moment.
  if (found === undefined) return;
  for (const { name, transfers: made } of block) {
    const tags = found.get((made[0]?.txHash ?? '') as `0x${string}`);
    if (tags !== undefined) readings.set(name, tags);
  }
  const [first] = transfers;
  if (first !== undefined && found.size < block.length) remember(reading.unreadableBlocks, first.blockHash);
}

type Failure = { readonly transaction: Transaction; readonly cause: unknown };

async function readSingle(
  reading: Reading,
  transaction: Transaction,
  readings: Readings,
  failures: Failure[],
): Promise<void> {
  const { name, transfers } = transaction;
  try {
    const tags = await readTags(reading.chain.request, transfers.map(tokenTransfer), contractsOf(reading));
    if (tags === 'UNTRACED') logUntraced(reading, transaction, undefined);
    readings.set(name, tags);
  } catch (cause) {
    if (!(cause instanceof BlockGoneError)) failures.push({ transaction, cause });
  }
}

/** A call to one of these holds the tag of its plan. */
function contractsOf({ chain, watch }: Reading) {
  return new Set([...chain.routers, ...watch.tokens()]);
}

/** Counts a round for each transaction that failed. Throws while no node answers: an outage says nothing about a transaction. */
async function countFailures(
  reading: Reading,
  failures: readonly Failure[],
  readings: Readings,
): Promise<void> {
  const [first] = failures;
  if (first === undefined) return;
  const { untraceable, chain } = reading;
  if (!(await isAnswering(chain))) throw first.cause;
  for (const { transaction, cause } of failures) {
    const { name } = transaction;
    const rounds = (untraceable.get(name) ?? 0) + 1;
    untraceable.set(name, rounds);
    if (rounds < MOST_ROUNDS) continue;
    logUntraced(reading, transaction, cause);
    readings.set(name, 'UNTRACED');
  }
  forgetOldest(untraceable);
}

/** Whether the nodes answer anything. */
async function isAnswering({ request }: Reading['chain']): Promise<boolean> {
  for (let sign = 1; sign <= LIFE_SIGNS; sign += 1) {
    try {
      await latestHead(request);
      return true;
    } catch {
      if (sign < LIFE_SIGNS) await sleep(LIFE_PAUSE_MS);
    }
  }
  return false;
}

/** Tells the operator once: a transaction is read again with its block. */
function logUntraced(
  { loggedUntraced, events }: Reading,
  { name, transfers }: Transaction,
  cause: unknown,
): void {
  if (!loggedUntraced.has(name)) events.onUntraced(transfers[0]?.txHash ?? '', cause);
  remember(loggedUntraced, name);
}

/** Writes what was found out. A foreign tag counts where it is one of a plan, which the query finds out. */
async function record(reading: Reading, found: readonly Transaction[], readings: Readings): Promise<Turn> {
  if (found.length === 0) return 'STUCK';
  const transfers = found.flatMap((each) => settledBy(each, readings.get(each.name)));
  const places = found.flatMap((each) => each.transfers.slice(0, 1));
  const { store, lease } = reading;
  const written = await reading.inTurn(() => store.answerUnread(lease, { answered: places, transfers }));
  if (written.outcome === 'LEASE_LOST') return 'LEASE_LOST';
  const swaps = new Set(transfers.map(transactionName));
  for (const { name } of found) if (!swaps.has(name)) remember(reading.noSwaps, name);
  return 'READ';
}

function settledBy({ transfers }: Transaction, tags: TagReading | undefined): readonly ReadTransfer[] {
  return transfers.flatMap((transfer): readonly ReadTransfer[] => {
    if (tags === 'UNTRACED') return [{ ...transfer, untraced: true }];
    const found = tags?.get(transfer.logIndex);
    if (found === undefined) return [];
    return [
      {
        ...transfer,
        tag: found.tag,
        ...defined({ isForeignTag: found.isForeign ? (true as const) : undefined }),
      },
    ];
  });
}

function tokenTransfer(transfer: ReadTransfer): TokenTransfer {
  const { blockHash, txHash, token, from, to } = transfer;
  return {
    ...{ ...transfer, token: toAddress(token), from: toAddress(from), to: toAddress(to) },
    blockNumber: BigInt(transfer.blockNumber),
    blockHash: blockHash as `0x${string}`,
    txHash: txHash as `0x${string}`,
  };
}

function remember(known: Set<string>, name: string): void {
  known.add(name);
  forgetOldest(known);
}

function forgetOldest(known: Set<string> | Map<string, unknown>): void {
  for (const oldest of known.keys()) {
    if (known.size <= MOST_REMEMBERED) break;
    known.delete(oldest);
  }
}
