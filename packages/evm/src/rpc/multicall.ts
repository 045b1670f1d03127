import type { RpcRequest } from './endpoint.ts';
import { decodeAggregate, encodeAggregate, type Read } from './multicallCoding.ts';

/** Calls that fit one request of common nodes (gas and body size). */
const CALLS_PER_REQUEST = 500;

/** Reads contracts at one block through Multicall3. */
export type BatchRead = (reads: readonly Read[]) => Promise<(`0x${string}` | undefined)[]>;

/**
 * Makes a function that reads at a pinned block. Answers are in the order of the reads; a read that reverts, or whose
 * target has no code, gives undefined.
 */
export function createBatchRead(
  request: RpcRequest,
  multicall3: `0x${string}`,
  blockHash: string,
): BatchRead {
  return async (reads) => {
    const chunks: (readonly Read[])[] = [];
    for (let start = 0; start < reads.length; start += CALLS_PER_REQUEST) {
      chunks.push(reads.slice(start, start + CALLS_PER_REQUEST));
    }
    const answers = await mapInBatches(chunks, 4, (chunk) =>
      readChunk(request, multicall3, blockHash, chunk),
    );
    return answers.flat();
  };
}

async function readChunk(
  request: RpcRequest,
  multicall3: `0x${string}`,
  blockHash: string,
  reads: readonly Read[],
): Promise<(`0x${string}` | undefined)[]> {
  const data = encodeAggregate(reads);
  const answer = await request({ method: 'eth_call', params: [{ to: multicall3, data }, { blockHash }] });
  if (answer === '0x') throw new Error(`There is no Multicall3 contract at ${multicall3}`);
  return decodeAggregate(answer, reads.length);
}

/** Maps items with at most `width` promises under way at the same time; keeps the order. */
export async function mapInBatches<T, R>(
  items: readonly T[],
  width: number,
  map: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  for (let start = 0; start < items.length; start += width) {
    results.push(...(await Promise.all(items.slice(start, start + width).map(map))));
  }
  return results;
}
