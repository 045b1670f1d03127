import type { Head } from '../types.ts';
import { type MayContain, readBloom } from './bloom.ts';
import type { RpcRequest } from './endpoint.ts';
import { headByHash } from './head.ts';
import { receiptsOfRoot } from './receiptsRoot.ts';
import { BlockGoneError, NodeNonsenseError, RpcAnswerError } from './errors.ts';

type Hex = `0x${string}`;

/** A log as nodes send it, as far as it matters here. */
export type Log = { readonly address: Hex; readonly topics: readonly Hex[]; readonly data: Hex };

/** A log with its place: the index counts through the whole block or, with some nodes, through its transaction. */
export type PlacedLog = Log & {
  readonly logIndex: Hex;
  readonly transactionIndex?: Hex | null;
  readonly blockHash: string;
};

/** A log from a block's receipts, which name no place: the places in the block and in its receipt are counted. */
export type ReceiptLog = Log & {
  readonly logIndex: number;
  readonly receiptIndex: number;
  readonly indexInReceipt: number;
};

/** Which logs are wanted: those with one of the first topics, of one of the contracts or, without them, of any. */
export type LogFilter = { readonly topics: readonly Hex[]; readonly addresses?: readonly Hex[] };

/**
 * A block's logs in their order, and whether they come from its receipts because what the nodes sent is in doubt.
 * `ruledOut`: how many more the nodes sent that the bloom of the block's header rules out, where no receipts decide. They are
 * left out.
 */
export type BlockLogs = { readonly ruledOut: number } & (
  | { readonly from: 'LOGS'; readonly logs: readonly PlacedLog[] }
  | { readonly from: 'RECEIPTS'; readonly logs: readonly ReceiptLog[] }
);

/**
 * The wanted logs of a block. They must fit what the block's hash commits to. A log that the bloom rules out was
 * invented. Or the chain itself added it without a transaction, and leaves such logs out of its blooms. A bloom
 * cannot show that a log is missing. An empty answer that the bloom does not explain, and one that it rules out, are
 * compared with the block's receipts. Receipts prove themselves.
 * @throws (by rejection) BlockGoneError, RpcAnswerError, RpcUnreachableError, NodesDisagreeError, and for logs that
 * cannot be the block's.
 */
export async function readBlockLogs(request: RpcRequest, block: Head, filter: LogFilter): Promise<BlockLogs> {
  const sent = await askForLogs(request, block, filter);
  assertInOrder(sent, block);
  const isWanted = wantedBy(filter);
  if (block.commitments === undefined) return { from: 'LOGS', logs: sent.filter(isWanted), ruledOut: 0 };
  const mayContain = readBloom(block.commitments.logsBloom);
  const fitting = sent.filter((log) => [log.address, ...log.topics].every(mayContain));
  const logs = fitting.filter(isWanted);
  const ruledOut = sent.length - fitting.length;
  const isExplained = ruledOut === 0 && (logs.length > 0 || !mayHold(filter, mayContain));
  const proven = isExplained ? undefined : await receiptLogs(request, block);
  if (proven !== undefined) return { from: 'RECEIPTS', logs: proven.filter(isWanted), ruledOut: 0 };
  return { from: 'LOGS', logs, ruledOut };
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
  let last: readonly [number, number] = [-1, -1];
  for (const { transactionIndex, logIndex, blockHash } of logs) {
    const place = [Number(transactionIndex ?? 0), Number(logIndex)] as const;
    const isLater = place[0] > last[0] || (place[0] === last[0] && place[1] > last[1]);
    if (!isLater || blockHash.toLowerCase() !== block.hash.toLowerCase())
      throw new NodeNonsenseError('The node sent logs of another block, twice or out of order');
    last = place;
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

/**
 * All logs of the block's receipts. Undefined when the nodes offer no receipts, or receipts of their chain's own
 * kind. Those cannot be compared and prove nothing, so the answer of the nodes stands.
 */
async function receiptLogs(
  request: RpcRequest,
  { hash, commitments }: Head,
): Promise<readonly ReceiptLog[] | undefined> {
  const receipts = await request({ method: 'eth_getBlockReceipts', params: [hash] }).catch(
    (error: unknown) => {
      if (error instanceof RpcAnswerError || error instanceof NodeNonsenseError) return undefined;
      throw error;
    },
  );
  return receiptsOfRoot(receipts, commitments?.receiptsRoot ?? '')
    ?.flatMap(({ logs }, receiptIndex) =>
      logs.map((log, indexInReceipt) => ({ ...log, receiptIndex, indexInReceipt })),
    )
    .map((log, logIndex) => ({ ...log, logIndex }));
}
