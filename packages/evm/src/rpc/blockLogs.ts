import type { Head } from '../types.ts';
import { type MayContain, readBloom } from './bloom.ts';
import type { RpcRequest } from './endpoint.ts';
import { headByHash } from './head.ts';
import { receiptsOfRoot } from './receiptsRoot.ts';
import { BlockGoneError, NodeNonsenseError, RpcAnswerError } from './rpcErrors.ts';

type Hex = `0x${string}`;

/** A log as nodes send it, as far as it matters here. */
export type Log = { readonly address: Hex; readonly topics: readonly Hex[]; readonly data: Hex };

/** A log with its place: the index counts through the whole block. */
export type PlacedLog = Log & { readonly logIndex: Hex; readonly blockHash: string };

/** A log from a block's receipts, which name no place: the place is counted. */
export type ReceiptLog = Log & { readonly logIndex: number; readonly receiptIndex: number };

/** Which logs are wanted: those with one of the first topics, of one of the contracts or, without them, of any. */
export type LogFilter = { readonly topics: readonly Hex[]; readonly addresses?: readonly Hex[] };

/** A block's logs in their order, and whether they come from its receipts because the nodes sent none. */
export type BlockLogs =
  | { readonly from: 'LOGS'; readonly logs: readonly PlacedLog[] }
  | { readonly from: 'RECEIPTS'; readonly logs: readonly ReceiptLog[] };

/**
 * The wanted logs of a block. They must fit what the block's hash commits to: a log that the bloom rules out was
 * invented. A bloom cannot show that a log is missing, so an empty answer that it does not explain is compared with the
 * block's receipts, which prove themselves.
 * @throws (by rejection) BlockGoneError, RpcAnswerError, RpcUnreachableError, NodesDisagreeError, and for logs that
 * cannot be the block's.
 */
export async function readBlockLogs(request: RpcRequest, block: Head, filter: LogFilter): Promise<BlockLogs> {
  const sent = await askForLogs(request, block, filter);
  assertInOrder(sent, block);
  const isWanted = wantedBy(filter);
  if (block.commitments === undefined) return { from: 'LOGS', logs: sent.filter(isWanted) };
  const mayContain = readBloom(block.commitments.logsBloom);
  if (sent.some((log) => [log.address, ...log.topics].some((item) => !mayContain(item))))
    throw new NodeNonsenseError("The node sent a log that the bloom of the block's header rules out");
  const logs = sent.filter(isWanted);
  if (logs.length > 0 || !mayHold(filter, mayContain)) return { from: 'LOGS', logs };
  return { from: 'RECEIPTS', logs: (await receiptLogs(request, block)).filter(isWanted) };
}

async function askForLogs(
  request: RpcRequest,
  block: Head,
  { topics, addresses }: LogFilter,
): Promise<readonly PlacedLog[]> {
  const address = addresses === undefined ? {} : { address: addresses };
  const params = [{ blockHash: block.hash, ...address, topics: [topics] }];
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

/** A log sent twice, or in another place, would be applied twice or in the wrong order. */
function assertInOrder(logs: readonly PlacedLog[], block: Head): void {
  let last = -1;
  for (const { logIndex, blockHash } of logs) {
    if (Number(logIndex) <= last || blockHash.toLowerCase() !== block.hash.toLowerCase())
      throw new NodeNonsenseError('The node sent logs of another block, twice or out of order');
    last = Number(logIndex);
  }
}

/** Whether a log is wanted; a node may ignore a filter. */
function wantedBy({ topics, addresses }: LogFilter): (log: Log) => boolean {
  const [first, emitters] = [new Set<string>(topics), addresses && new Set<string>(addresses)];
  return ({ address, topics: [topic] }) =>
    topic !== undefined && first.has(topic) && (emitters?.has(address.toLowerCase()) ?? true);
}

function mayHold({ topics, addresses }: LogFilter, mayContain: MayContain): boolean {
  return topics.some(mayContain) && (addresses?.some(mayContain) ?? true);
}

/** All logs of the block's receipts; none where the nodes offer no receipts, or receipts of their chain's own kind. */
async function receiptLogs(request: RpcRequest, { hash, commitments }: Head): Promise<readonly ReceiptLog[]> {
  const receipts = await request({ method: 'eth_getBlockReceipts', params: [hash] }).catch(
    (error: unknown) => {
      if (error instanceof RpcAnswerError || error instanceof NodeNonsenseError) return undefined;
      throw error;
    },
  );
  // Receipts that cannot be compared prove nothing: then the answer of the nodes stands.
  const proven = receiptsOfRoot(receipts, commitments?.receiptsRoot ?? '') ?? [];
  return proven
    .flatMap(({ logs }, receiptIndex) => logs.map((log) => ({ ...log, receiptIndex })))
    .map((log, logIndex) => ({ ...log, logIndex }));
}
