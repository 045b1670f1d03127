import { BlockGoneError, blockAt, readTransaction } from '@fairway/evm';
import type { RecordedBlock, ReadTransfer, RecordRequest } from '@fairway/store';
import { type Reading, write } from './reading.ts';
import type { StepOutcome } from './readOn.ts';

/** How many transactions are read for one query. */
const MOST_REQUESTS = 50;

/**
 * Records transactions that plans rest on and that nothing else would bring into the record. So a reorganisation of
 * them is found like any other. Whether it is there or not, its plan is compared then.
 * @throws BlockGoneError where the chain is reorganised meanwhile, and when nodes or database cannot answer
 */
export async function serveRequests(reading: Reading): Promise<StepOutcome> {
  const { tip, store, lease, chain } = reading;
  if (tip === undefined || !reading.isAsked) return 'DONE';
  const { requests } = await store.openRequests(lease, tip.number, MOST_REQUESTS);
  const found = (await Promise.all(requests.map((each) => read(reading, each)))).flatMap(
    (each) => each ?? [],
  );
  if (found.length > 0) {
    const head = await blockAt(chain.request, BigInt(tip.number));
    if (head?.hash.toLowerCase() !== tip.hash) throw new BlockGoneError();
    const transfers = found.flatMap((each) => each.transfers);
    const written = await write(reading, { tip, transfers, blocks: found.map(({ block }) => block) });
    if (written === 'LEASE_LOST') return written;
  }
  if (requests.length > 0) await store.endRequests(lease, requests);
  reading.isAsked = requests.length === MOST_REQUESTS;
  return reading.isAsked ? 'MORE' : 'DONE';
}

type Found = { readonly block: RecordedBlock; readonly transfers: readonly ReadTransfer[] };

/** The transfers that are asked for; undefined where the transaction is not in that block of the chain. */
async function read(
  { chain }: Reading,
  { txHash, blockHash, blockNumber, logIndexes }: RecordRequest,
): Promise<Found | undefined> {
  const transaction = await readTransaction(chain.request, txHash as `0x${string}`);
  if (transaction.found !== 'MINED' || transaction.blockHash.toLowerCase() !== blockHash) return undefined;
  const block = { number: blockNumber, hash: blockHash, timeMs: 1000 * Number(transaction.timestampSeconds) };
  const transfers = transaction.transfers
    .filter(({ logIndex, amount }) => logIndexes.includes(logIndex) && amount > 0n)
    .map(({ logIndex, token, from, to, amount }): ReadTransfer => {
      const place = { blockHash, blockNumber, blockTimeMs: block.timeMs, logIndex, txHash };
      return { ...place, token, from, to, amount };
    });
  return { block, transfers };
}
