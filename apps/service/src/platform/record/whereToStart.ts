import { BlockGoneError, findCommonBlock, type Head, headByHash, type StoredBlock } from '@fairway/evm';
import type { RecordedBlock } from '@fairway/store';
import { RING_BLOCKS } from './blockRing.ts';
import { type Reading, recordedBlock } from './reading.ts';

/**
 * Where to go on. START: after this block of the record, which is canonical; `above` holds the headers from there to the
 * head, oldest first, where they are known. BEHIND: the nodes are behind the record. NOWHERE: no block of the record is
 * on the chain, or there is none.
 */
export type Start =
  | { readonly kind: 'START'; readonly block: RecordedBlock; readonly above: readonly Head[] | undefined }
  | { readonly kind: 'BEHIND' }
  | { readonly kind: 'NOWHERE' };

/** How many blocks of the record are loaded at once to look for a canonical one. */
const PAGE_BLOCKS = 1_000;

/**
 * Finds the newest block of the record on the chain of a head. A head may be known to the record already, or below
 * all that it can compare. Then its nodes are behind, and nothing is taken back because of it.
 */
export async function whereToStart(reading: Reading, head: Head): Promise<Start> {
  const { tip, ring } = reading;
  if (tip === undefined) return { kind: 'NOWHERE' };
  const { number, hash } = recordedBlock(head);
  const lowest = ring.blocks()[0]?.number ?? tip.number;
  if (number < lowest || (hash !== tip.hash && ring.has(hash))) return { kind: 'BEHIND' };
  if (number - tip.number <= RING_BLOCKS) {
    const walked = await walkBack(reading, head);
    if (walked !== undefined) return walked;
  }
  const common = await commonBlock(reading, tip);
  return common === undefined ? { kind: 'NOWHERE' } : { kind: 'START', block: common, above: undefined };
}

/** Walks from the head to a block of the ring; undefined when there is none near. */
async function walkBack(reading: Reading, head: Head): Promise<Start | undefined> {
  const { tip, ring, chain } = reading;
  const known = new Map<string, RecordedBlock>();
  for (const { number, hash, timeMs } of ring.blocks()) known.set(hash, { number, hash, timeMs });
  if (tip !== undefined) known.set(tip.hash, tip);
  const lowest = ring.blocks()[0]?.number ?? tip?.number ?? 0;
  const above: Head[] = [];
  for (let cursor = head; ; ) {
    const block = known.get(cursor.hash.toLowerCase());
    if (block !== undefined) return { kind: 'START', block, above: above.toReversed() };
    if (cursor.number <= BigInt(lowest)) return undefined;
    above.push(cursor);
    const below = known.get(cursor.parentHash.toLowerCase());
    if (below !== undefined) return { kind: 'START', block: below, above: above.toReversed() };
    const parent = await headByHash(chain.request, cursor.parentHash);
    if (parent === undefined) throw new BlockGoneError();
    cursor = parent;
  }
}

/** The newest canonical block among those in memory and those of the record. */
async function commonBlock(reading: Reading, tip: RecordedBlock): Promise<RecordedBlock | undefined> {
  const { chain, store, lease, ring } = reading;
  const recent = [...ring.blocks().map(({ number, hash, timeMs }) => ({ number, hash, timeMs })), tip];
  let blocks: readonly RecordedBlock[] = recent;
  while (blocks.length > 0) {
    const byHash = new Map(blocks.map((block) => [block.hash, block]));
    const stored: StoredBlock[] = [...byHash.values()].map(({ number, hash }) => ({
      number: BigInt(number),
      hash,
    }));
    const common = await findCommonBlock(chain.request, stored);
    if (common !== undefined) return byHash.get(common.hash);
    const below = Math.min(...blocks.map(({ number }) => number));
    blocks = (await store.storedBlocks(lease, below, PAGE_BLOCKS)).blocks;
  }
  return undefined;
}
