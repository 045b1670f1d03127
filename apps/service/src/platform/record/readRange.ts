import { toAddress } from '@fairway/engine';
import {
  blockAt,
  BlockGoneError,
  logFilterOf,
  type Head,
  MOST_RECEIVERS,
  type RangeReading,
  readRangeTransfers,
} from '@fairway/evm';
import { defined } from '@fairway/values';
import type { RecordedBlock, ReadTransfer } from '@fairway/store';
import { matchTransfers } from './matchTransfers.ts';
import { type Reading, recordedBlock, watchedPages } from './reading.ts';

/** What was found in a range of blocks up to `end`, and the blocks whose hashes are to be kept. */
export type RangeFound = {
  readonly end: Head;
  readonly transfers: readonly ReadTransfer[];
  readonly unread: readonly ReadTransfer[];
  readonly blocks: readonly RecordedBlock[];
};

/** The most blocks of a range, and of the first one: it shows how many transfers there are. */
const MOST_BLOCKS = 10_000;
const FIRST_BLOCKS = 64;
/** Above this many transfers of interest the next range is half as wide. */
const MOST_TRANSFERS = 5_000;
/** The hash is kept of every block whose number is a multiple of this. */
const MILESTONE = 1_000;

/**
 * Reads as many blocks as the nodes take at once, from one block on and up to `last` at most. It reads for these
 * receivers or for all. After a failure the next range is half as wide.
 * @throws BlockGoneError where the chain is reorganised meanwhile, and when the nodes cannot answer
 */
export async function readRange(
  reading: Reading,
  first: number,
  last: number,
  receivers?: readonly string[],
): Promise<RangeFound> {
  const isFirst = receivers === undefined && reading.logsPerBlock === undefined;
  const size = Math.min(last - first + 1, isFirst ? FIRST_BLOCKS : reading.width);
  const range = { fromBlock: BigInt(first), toBlock: BigInt(first + size - 1) };
  const parts: RangeReading[] = [];
  try {
    const asked = receivers === undefined ? receiversToAsk(reading, last - first + 1) : [receivers];
    for await (const part of asked) parts.push(await readPart(reading, range, part));
  } catch (error) {
    if (!(error instanceof BlockGoneError)) reading.width = Math.max(1, Math.floor(size / 2));
    throw error;
  }
  const [{ end } = { end: undefined }] = parts;
  if (end === undefined || parts.some((part) => part.end.hash !== end.hash)) throw new BlockGoneError();
  const widest = Math.min(...parts.map((part) => part.widest));
  reading.width = widest < size ? widest : Math.min(MOST_BLOCKS, Math.max(reading.width, 2 * size));
  const headers = new Map(parts.flatMap((part) => [...part.blocks]));
  const timeMsOf = (number: number) => 1000 * Number(headers.get(BigInt(number))?.timestampSeconds ?? 0n);
  const matched = matchTransfers(
    reading,
    parts.flatMap((part) => part.transfers),
    timeMsOf,
  );
  const found = [...matched.transfers, ...matched.unread];
  // All of a range is one query.
  if (found.length > MOST_TRANSFERS) reading.width = Math.max(1, Math.floor(size / 2));
  const paid = new Set(found.map(({ blockNumber }) => BigInt(blockNumber)));
  const kept = [...headers.values()].filter(({ number }) => paid.has(number));
  return {
    end,
    ...matched,
    blocks: [...kept, ...(await milestones(reading, first, Number(end.number)))].map(recordedBlock),
  };
}

/** Whose transfers to ask for: all transfers when that moves fewer bytes, else those of all addresses in parts. */
async function* receiversToAsk(
  { watch, store, lease, width, logsPerBlock }: Reading,
  blocks: number,
): AsyncGenerator<readonly string[] | undefined> {
  const settlement = watch.settlementAddresses();
  const addresses = watch.size() + settlement.length;
  const isCheap =
    logsPerBlock === undefined || logFilterOf({ blocks, logsPerBlock, addresses, width }) === 'BY_TOKEN';
  if (isCheap) {
    yield undefined;
    return;
  }
  if (settlement.length > 0) yield settlement;
  for await (const page of watchedPages(store, lease, MOST_RECEIVERS))
    yield [...new Set(page.map(({ address }) => address))];
}

async function readPart(
  reading: Reading,
  range: Parameters<typeof readRangeTransfers>[1],
  receivers: readonly string[] | undefined,
): Promise<RangeReading> {
  const { chain, watch } = reading;
  const part = await readRangeTransfers(chain.request, range, {
    tokens: watch.tokens(),
    ...defined({ receivers: receivers?.map(toAddress) }),
    isWanted: (transfer) => watch.interestOf(transfer) !== undefined,
  });
  if (receivers === undefined)
    reading.logsPerBlock = part.seen / Number(range.toBlock - range.fromBlock + 1n);
  return part;
}

async function milestones({ chain }: Reading, first: number, last: number): Promise<readonly Head[]> {
  const found: Head[] = [];
  for (let number = Math.ceil(first / MILESTONE) * MILESTONE; number <= last; number += MILESTONE) {
    const block = await blockAt(chain.request, BigInt(number));
    if (block === undefined) throw new BlockGoneError();
    found.push(block);
  }
  return found;
}
