import { decodeFunctionResult, encodeFunctionData, parseAbi } from 'viem';
import type { RpcRequest } from './rpc.ts';

const multicall3Abi = parseAbi([
  'struct Call { address target; bool allowFailure; bytes callData; }',
  'struct Result { bool success; bytes returnData; }',
  'function aggregate3(Call[] calls) view returns (Result[])',
]);

/** Calls that fit one request of common nodes (gas and body size). */
const callsPerRequest = 500;

/** One read. */
export type Read = { readonly target: `0x${string}`; readonly callData: `0x${string}` };

/** Reads contracts at one block through Multicall3. */
export type BatchRead = (reads: readonly Read[]) => Promise<(`0x${string}` | undefined)[]>;

/**
 * Reads at a pinned block. The answer's order is that of the reads; a read that reverts, or whose target
 * has no code, gives undefined.
 */
export function createBatchRead(
  request: RpcRequest,
  multicall3: `0x${string}`,
  blockHash: string,
): BatchRead {
  return async (reads) => {
    const chunks: (readonly Read[])[] = [];
    for (let start = 0; start < reads.length; start += callsPerRequest) {
      chunks.push(reads.slice(start, start + callsPerRequest));
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
  const data = encodeFunctionData({
    abi: multicall3Abi,
    functionName: 'aggregate3',
    args: [reads.map((read) => ({ ...read, allowFailure: true }))],
  });
  const answer = await request({ method: 'eth_call', params: [{ to: multicall3, data }, { blockHash }] });
  if (answer === '0x') throw new Error(`There is no Multicall3 contract at ${multicall3}`);
  const results = decodeFunctionResult({
    abi: multicall3Abi,
    functionName: 'aggregate3',
    data: answer as `0x${string}`,
  });
  return results.map((result) =>
    result.success && result.returnData !== '0x' ? result.returnData : undefined,
  );
}

/** Maps with at most `width` promises under way; keeps the order. */
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
