import type { Address } from '@fairway/engine';
import { callsIn, CALL_TRACER } from '../evidence/readCalls.ts';
import { fieldsOf, type Hash, listOf } from '../evidence/nodeFields.ts';
import { type Posted, toPosted } from '../evidence/readTransaction.ts';
import { logsToTransfers, type TokenTransfer } from '../evidence/tokenTransfer.ts';
import type { RpcRequest } from '../rpc/endpoint.ts';
import { BlockGoneError, NodeNonsenseError } from '../rpc/errors.ts';
import { tagged, type TagReading, tagsOfCalls } from './readTags.ts';

/**
 * `readTags` of many transactions of one block, with at most three requests. They read all transactions of the block
 * and, when some went through other contracts, all its receipts and all its traces. When this does not find the tags
 * of a transaction, it is absent. Nodes may not offer it, or the traces of a block may be too long together. Then
 * `readTags` says it of each.
 * @throws BlockGoneError where the block is not on the chain any more, RpcAnswerError, RpcUnreachableError,
 * NodesDisagreeError
 *
 * @example
 * ```ts
 * import type { Address } from '@fairway/engine';
 * import { readBlockTags, type RpcRequest, type TokenTransfer } from '@fairway/evm';
 *
 * declare const request: RpcRequest;
 * declare const transfers: readonly TokenTransfer[]; // of one block
 * declare const routerAndTokens: ReadonlySet<Address>;
 *
 * const tags = await readBlockTags(request, transfers, routerAndTokens);
 * for (const { txHash } of transfers) if (!tags.has(txHash)) console.log(`${txHash} has to be read alone`);
 * ```
 */
export async function readBlockTags(
  request: RpcRequest,
  transfers: readonly TokenTransfer[],
  contracts: ReadonlySet<Address>,
): Promise<ReadonlyMap<Hash, TagReading>> {
  const [first] = transfers;
  const found = new Map<Hash, TagReading>();
  if (first === undefined) return found;
  const { blockHash } = first;
  const posted = await postedIn(request, blockHash);
  const through = new Map<Hash, readonly TokenTransfer[]>();
  for (const [txHash, made] of Map.groupBy(transfers, (transfer) => transfer.txHash)) {
    const transaction = posted.get(txHash);
    if (transaction?.to !== undefined && contracts.has(transaction.to))
      found.set(txHash, tagged(made, transaction.input, false));
    else if (transaction !== undefined) through.set(txHash, made);
  }
  if (through.size === 0) return found;
  const traced = await tracedIn(request, blockHash, [...posted.keys()]);
  for (const [txHash, made] of through) {
    const transaction = traced?.get(txHash);
    const offset = transaction && offsetOf(made, transaction);
    if (transaction === undefined || offset === undefined) continue;
    const tags = tagsOfCalls(callsIn(transaction.trace, transaction), contracts);
    if (tags === 'UNTRACED') continue;
    found.set(txHash, new Map([...tags].map(([logIndex, tag]) => [logIndex - offset, tag])));
  }
  return found;
}

/** The transactions of a block by their hashes, in their order. */
async function postedIn(request: RpcRequest, blockHash: Hash): Promise<ReadonlyMap<Hash, Posted>> {
  const block = await request({ method: 'eth_getBlockByHash', params: [blockHash, true] });
  if (block === null) throw new BlockGoneError();
  const transactions = listOf(fieldsOf(block, 'block')['transactions'], 'list of transactions');
  return new Map(
    transactions.map((transaction) => {
      const hash = fieldsOf(transaction, 'transaction')['hash'];
      return [String(hash).toLowerCase() as Hash, toPosted(transaction)];
    }),
  );
}

/** A transaction with its trace. The indices of its transfers count through the block. */
type Traced = {
  readonly transfers: readonly TokenTransfer[];
  readonly logCount: number;
  readonly firstLogIndex: number;
  readonly trace: unknown;
};

/** The transactions of a block with their traces, by their hashes; undefined where the nodes do not give them. */
async function tracedIn(
  request: RpcRequest,
  blockHash: Hash,
  hashes: readonly Hash[],
): Promise<ReadonlyMap<Hash, Traced> | undefined> {
  try {
    const receipts = listOf(
      await request({ method: 'eth_getBlockReceipts', params: [blockHash] }),
      'list of receipts',
    );
    const traces = listOf(
      await request({ method: 'debug_traceBlockByHash', params: [blockHash, CALL_TRACER] }),
      'list of traces',
    );
    if (receipts.length !== hashes.length || traces.length !== hashes.length)
      throw new NodeNonsenseError('The node sent another number of receipts or traces than of transactions');
    let firstLogIndex = 0;
    return new Map(
      hashes.map((txHash, index) => {
        const logs = listOf(fieldsOf(receipts[index], 'receipt')['logs'], 'list of logs');
        const place = { blockHash, blockNumber: '0x0', transactionHash: txHash };
        const start = firstLogIndex;
        firstLogIndex += logs.length;
        const transfers = logsToTransfers(
          logs.map((log, at) => ({
            ...fieldsOf(log, 'log'),
            ...place,
            logIndex: `0x${(start + at).toString(16)}`,
          })),
        );
        const trace = fieldsOf(traces[index], 'trace')['result'];
        return [txHash, { transfers, logCount: logs.length, firstLogIndex: start, trace }];
      }),
    );
  } catch {
    // Too long, too slow, not offered, or contradictory: each transaction is then asked for by itself.
    return undefined;
  }
}

/**
 * How much smaller the indices of transfers are than indices that count through the block; undefined when no
 * difference fits.
 */
function offsetOf(made: readonly TokenTransfer[], { transfers, firstLogIndex }: Traced): number | undefined {
  const known = new Map(transfers.map((transfer) => [transfer.logIndex, transfer]));
  // Some nodes count the logs of each transaction anew.
  return [0, firstLogIndex].find((offset) =>
    made.every(({ logIndex, token, from, to, amount }) => {
      const same = known.get(logIndex + offset);
      return same?.token === token && same.from === from && same.to === to && same.amount === amount;
    }),
  );
}
