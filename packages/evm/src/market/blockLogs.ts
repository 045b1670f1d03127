import type { Log } from '../pools/eventLayout.ts';
import { FOLLOWED_TOPICS } from '../pools/poolEvents.ts';
import { type MayContain, readBloom } from '../rpc/bloom.ts';
import type { RpcRequest } from '../rpc/endpoint.ts';
import { headByHash } from '../rpc/head.ts';
import { receiptsOfRoot } from '../rpc/receiptsRoot.ts';
import { BlockGoneError, NodeNonsenseError, RpcAnswerError } from '../rpc/rpcErrors.ts';
import type { Head } from '../types.ts';

/**
 * The logs of a block that could concern the market, in their order. They must fit what the block's hash commits to: a
 * log that the bloom rules out was invented. A bloom cannot show that a log is missing, so an empty answer that it does
 * not explain is compared with the block's receipts, which prove themselves.
 * @throws (by rejection) BlockGoneError, RpcAnswerError, RpcUnreachableError, NodesDisagreeError, and for logs that
 * cannot be the block's.
 */
export async function readBlockLogs(request: RpcRequest, block: Head): Promise<readonly Log[]> {
  const logs = await askForLogs(request, block);
  assertInOrder(logs, block);
  if (block.commitments === undefined) return logs;
  const mayContain = readBloom(block.commitments.logsBloom);
  if (logs.some((log) => [log.address, ...log.topics].some((item) => !mayContain(item))))
    throw new NodeNonsenseError("The node sent a log that the bloom of the block's header rules out");
  return logs.length === 0 ? logsWhereNoneCame(request, block, mayContain) : logs;
}

async function askForLogs(request: RpcRequest, block: Head): Promise<readonly PlacedLog[]> {
  const params = [{ blockHash: block.hash, topics: [FOLLOWED_TOPICS] }];
  try {
    const logs = await request({ method: 'eth_getLogs', params });
    if (!Array.isArray(logs)) throw new NodeNonsenseError('The node sent something that is no list of logs');
    return logs as PlacedLog[];
  } catch (error) {
    // Each kind of node has its own words and codes for "unknown block", so the block itself is asked for.
    const gone = error instanceof RpcAnswerError && (await headByHash(request, block.hash)) === undefined;
    throw gone ? new BlockGoneError() : error;
  }
}

type PlacedLog = Log & { readonly logIndex: `0x${string}`; readonly blockHash: string };

/** A log sent twice, or in another place, would be applied twice or in the wrong order. */
function assertInOrder(logs: readonly PlacedLog[], block: Head): void {
  let last = -1;
  for (const { logIndex, blockHash } of logs) {
    if (Number(logIndex) <= last || blockHash.toLowerCase() !== block.hash.toLowerCase())
      throw new NodeNonsenseError('The node sent logs of another block, twice or out of order');
    last = Number(logIndex);
  }
}

/** An empty answer is only believed where the bloom or the receipts agree, as far as the node offers receipts. */
async function logsWhereNoneCame(
  request: RpcRequest,
  { hash, commitments }: Head,
  mayContain: MayContain,
): Promise<readonly Log[]> {
  if (!FOLLOWED_TOPICS.some(mayContain)) return [];
  const receipts = await request({ method: 'eth_getBlockReceipts', params: [hash] }).catch(
    (error: unknown) => {
      if (error instanceof RpcAnswerError) return undefined;
      throw error;
    },
  );
  const followed = new Set<string>(FOLLOWED_TOPICS);
  // A chain with receipts of its own kind cannot be compared; there the answer of the nodes stands.
  const proven = receiptsOfRoot(receipts, commitments?.receiptsRoot ?? '') ?? [];
  return proven
    .flatMap(({ logs }) => logs)
    .filter(({ topics: [topic] }) => topic !== undefined && followed.has(topic));
}
