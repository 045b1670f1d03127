import {
  BlockGoneError,
  blockAt,
  type Head,
  headByHash,
  MOST_RECEIVERS,
  readBlockTransfers,
} from '@fairway/evm';
import type { RecordedBlock } from '@fairway/store';
import { RING_BLOCKS, type RingBlock } from './blockRing.ts';
import { matchTransfers } from './matchTransfers.ts';
import { loadWatched, type Reading, recordedBlock, write } from './reading.ts';
import { readRange } from './readRange.ts';
import { type Start, whereToStart } from './whereToStart.ts';

/**
 * What one step came to. MORE: there is more to read at once. DONE: nothing until the next head. BEHIND: the nodes are
 * behind the record. LEASE_LOST: another process reads this chain now.
 */
export type StepOutcome = 'MORE' | 'DONE' | 'BEHIND' | 'LEASE_LOST';

/** How many blocks are read at the same time. */
const BLOCKS_AT_ONCE = 8;

/**
 * Brings the record some way towards a head: to the head itself where few blocks are missing, else by one range of
 * blocks. The query that writes the new blocks takes back everything above the newest common block.
 * @throws BlockGoneError where the chain is reorganised meanwhile, and when nodes or database cannot answer
 */
export async function readOn(reading: Reading, head: Head): Promise<StepOutcome> {
  const start = await whereToStart(reading, head);
  if (start.kind === 'BEHIND') return 'BEHIND';
  reading.targetNumber = Number(head.number);
  if (start.kind === 'NOWHERE') return beginAnew(reading, head);
  const missing = reading.targetNumber - start.block.number;
  if (missing > RING_BLOCKS) return readRangeAfter(reading, start.block, reading.targetNumber - RING_BLOCKS);
  return readBlocks(reading, start, head);
}

/**
 * Begins a record a little below the head. All addresses are unmatched then: what was paid to them earlier is read
 * address by address. An earlier record held another chain.
 */
async function beginAnew(reading: Reading, head: Head): Promise<StepOutcome> {
  const number = head.number > BigInt(RING_BLOCKS) ? head.number - BigInt(RING_BLOCKS) : 0n;
  const first = await blockAt(reading.chain.request, number);
  if (first === undefined) throw new BlockGoneError();
  const tip = recordedBlock(first);
  reading.ring.clear();
  reading.storedXmin = '0';
  reading.unmatched = await loadWatched(reading);
  // The first block itself counts as unread: somebody may have been paid in it.
  const written = await write(reading, {
    tip,
    ancestorNumber: -1,
    blocks: [tip],
    verifiedNumber: tip.number,
  });
  reading.unmatched = reading.unmatched.filter(({ fromBlock }) => fromBlock <= tip.number);
  return written === 'LEASE_LOST' ? written : 'MORE';
}

/** Reads one range of blocks after a canonical one. */
async function readRangeAfter(reading: Reading, after: RecordedBlock, last: number): Promise<StepOutcome> {
  const { end, blocks, ...found } = await readRange(reading, after.number + 1, last);
  const below = await blockAt(reading.chain.request, BigInt(after.number));
  if (below?.hash !== after.hash) throw new BlockGoneError();
  reading.ring.clear();
  const tip = recordedBlock(end);
  const kept = [...blocks, tip];
  const written = await write(reading, { tip, ancestorNumber: after.number, ...found, blocks: kept });
  return written === 'LEASE_LOST' ? written : 'MORE';
}

/** Reads the blocks after a canonical one up to the head, each by its hash. */
async function readBlocks(
  reading: Reading,
  { block: start, above }: Extract<Start, { kind: 'START' }>,
  head: Head,
): Promise<StepOutcome> {
  const { watch, ring, chain } = reading;
  const headers = above ?? (await headersDownTo(reading, start, head));
  // Without new blocks, only a record that is not known to be at the head has something to write.
  if (headers.length === 0 && reading.state === 'AT_HEAD' && start.hash === reading.tip?.hash) return 'DONE';
  const tokens = watch.tokens();
  const fresh: RingBlock[] = [];
  for (let first = 0; first < headers.length; first += BLOCKS_AT_ONCE) {
    const part = headers.slice(first, first + BLOCKS_AT_ONCE).map(async (header) => {
      const read = await readBlockTransfers(chain.request, header, { tokens });
      if (read.ruledOut > 0) reading.events.onRuledOut(Number(header.number), read.ruledOut);
      const parentHash = header.parentHash.toLowerCase();
      return {
        ...recordedBlock(header),
        ...{ parentHash, transfers: read.transfers, tokenCount: tokens.length },
      };
    });
    fresh.push(...(await Promise.all(part)));
  }
  const times = new Map(fresh.map(({ number, timeMs }) => [number, timeMs]));
  const read = fresh.flatMap(({ transfers }) => transfers);
  const { transfers, unread } = matchTransfers(reading, read, (number) => times.get(number) ?? 0);
  const paid = new Set([...transfers, ...unread].map(({ blockNumber }) => blockNumber));
  const blocks = fresh.filter(({ number }) => paid.has(number) || isMilestone(number));
  const [tip = start] = fresh.slice(-1);
  const written = await write(reading, { tip, ancestorNumber: start.number, transfers, unread, blocks });
  if (written === 'LEASE_LOST') return written;
  // Only now: after a failed write, the ring is still that of the record.
  ring.follow(start.number, fresh);
  return 'DONE';
}

/** The headers after a block up to the head, oldest first. */
async function headersDownTo({ chain }: Reading, start: RecordedBlock, head: Head): Promise<readonly Head[]> {
  const headers: Head[] = [];
  let cursor = head;
  while (cursor.number > BigInt(start.number)) {
    headers.unshift(cursor);
    if (cursor.parentHash.toLowerCase() === start.hash) return headers;
    const parent = await headByHash(chain.request, cursor.parentHash);
    if (parent === undefined) throw new BlockGoneError();
    cursor = parent;
  }
  // The block was canonical a moment ago.
  throw new BlockGoneError();
}

/** Blocks whose hashes are kept in any case, so that a reorganisation is found where nothing was paid, too. */
function isMilestone(number: number): boolean {
  return number % 1000 === 0;
}

/**
 * Compares the blocks of the ring with addresses that were added since, at no request. Addresses whose blocks are older
 * stay for `matchOlder`.
 */
export async function matchRecent(reading: Reading): Promise<StepOutcome> {
  const { tip, ring, watch } = reading;
  const blocks = ring.blocks();
  const lowest = blocks.find(({ tokenCount }) => tokenCount === watch.tokens().length)?.number;
  const isInRing = ({ fromBlock }: { fromBlock: number }) => lowest !== undefined && fromBlock >= lowest;
  const addresses = new Set(reading.unmatched.filter(isInRing).map(({ address }) => address));
  if (tip === undefined || addresses.size === 0) return 'DONE';
  const times = new Map(blocks.map(({ number, timeMs }) => [number, timeMs]));
  const read = blocks.flatMap((block) => block.transfers.filter(({ to }) => addresses.has(to)));
  // What paid a settlement address is unread since its block was read, or has been read.
  const { transfers } = matchTransfers(reading, read, (number) => times.get(number) ?? 0);
  reading.unmatched = reading.unmatched.filter((each) => !isInRing(each));
  if (transfers.length === 0) return 'DONE';
  const paid = new Set(transfers.map(({ blockNumber }) => blockNumber));
  const found = { tip, transfers, blocks: blocks.filter(({ number }) => paid.has(number)) };
  return (await write(reading, found)) === 'LEASE_LOST' ? 'LEASE_LOST' : 'DONE';
}

/**
 * Compares older blocks with addresses that were added since, up to a thousand at a time. It begins at the block from
 * which the first of them is watched.
 */
export async function matchOlder(reading: Reading): Promise<StepOutcome> {
  const { tip } = reading;
  if (tip === undefined || reading.unmatched.length === 0) return 'DONE';
  const oldest = reading.unmatched.toSorted((a, b) => a.fromBlock - b.fromBlock).slice(0, MOST_RECEIVERS);
  const receivers = [...new Set(oldest.map(({ address }) => address))];
  for (let first = oldest[0]?.fromBlock ?? 0; first <= tip.number; ) {
    const { end, ...found } = await readRange(reading, first, tip.number, receivers);
    if (end.number === BigInt(tip.number) && end.hash !== tip.hash) throw new BlockGoneError();
    if ((await write(reading, { tip, ...found })) === 'LEASE_LOST') return 'LEASE_LOST';
    first = Number(end.number) + 1;
  }
  const done = new Set(oldest);
  reading.unmatched = reading.unmatched.filter((each) => !done.has(each));
  // What the record lacked is there now, and it may be at the head.
  if ((await write(reading, { tip })) === 'LEASE_LOST') return 'LEASE_LOST';
  return 'MORE';
}

/**
 * Reads blocks again after a backup was put back, from the one on that the operator's time named. Transfers that the
 * record lacked are added; nothing is removed. Meanwhile the record counts as behind.
 */
export async function readSinceRestore(reading: Reading): Promise<StepOutcome> {
  const { tip, rereadFrom } = reading;
  if (tip === undefined || rereadFrom === undefined) return 'DONE';
  if (rereadFrom <= tip.number) {
    const { end, ...found } = await readRange(reading, rereadFrom, tip.number);
    if (end.number === BigInt(tip.number) && end.hash !== tip.hash) throw new BlockGoneError();
    reading.rereadFrom = Number(end.number) + 1;
    // A write that fails is made again from where it began.
    const written = await write(reading, { tip, ...found }).catch((error: unknown) => {
      reading.rereadFrom = rereadFrom;
      throw error;
    });
    return written === 'LEASE_LOST' ? written : 'MORE';
  }
  reading.rereadFrom = undefined;
  return (await write(reading, { tip })) === 'LEASE_LOST' ? 'LEASE_LOST' : 'MORE';
}

/**
 * Reads blocks a second time once they are so old that they hardly change. A transfer that the first reading did not
 * show is added; none is removed.
 */
export async function readAgain(reading: Reading): Promise<StepOutcome> {
  const { tip, verifiedNumber, targetNumber } = reading;
  const last = targetNumber - RING_BLOCKS;
  if (tip === undefined || tip.number < targetNumber || last - verifiedNumber < RING_BLOCKS) return 'DONE';
  const { end, ...found } = await readRange(reading, verifiedNumber + 1, last);
  const written = await write(reading, { tip, ...found, verifiedNumber: Number(end.number) });
  if (written === 'LEASE_LOST') return written;
  if (written > 0) reading.events.onAddedLate(written);
  return 'MORE';
}
