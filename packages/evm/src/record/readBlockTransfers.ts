import type { Address } from '@fairway/engine';
import { fieldsOf, listOf, toHash } from '../evidence/nodeFields.ts';
import { askForReceipt } from '../evidence/readTransaction.ts';
import { logsToTransfers, type TokenTransfer, TRANSFER_TOPIC } from '../evidence/tokenTransfer.ts';
import { readBlockLogs, type ReceiptLog } from '../rpc/blockLogs.ts';
import type { RpcRequest } from '../rpc/endpoint.ts';
import { BlockGoneError, NodeNonsenseError } from '../rpc/errors.ts';
import type { Head } from '../types.ts';

/** The tokens whose transfers are recorded. */
export type RecordFilter = { readonly tokens: readonly Address[] };

/**
 * The transfers of a block. `ruledOut`: how many logs the nodes sent as well that the bloom of the block's header rules out and
 * no receipts prove. They may be invented, or added by the chain itself.
 */
export type BlockTransfers = { readonly transfers: readonly TokenTransfer[]; readonly ruledOut: number };

/**
 * The transfers of a block by its hash, in their order, transfers of zero included. They fit what the hash commits
 * to. An empty answer is believed only when the block's bloom or its receipts agree, as far as the nodes offer
 * receipts.
 * @throws BlockGoneError, RpcAnswerError, RpcUnreachableError, NodesDisagreeError, and for logs that cannot be the
 * block's
 *
 * @example
 * ```ts
 * import { type Head, readBlockTransfers, type RpcRequest } from '@fairway/evm';
 *
 * declare const request: RpcRequest;
 * declare const [block, filter]: readonly [Head, Parameters<typeof readBlockTransfers>[2]];
 *
 * const { transfers } = await readBlockTransfers(request, block, filter);
 * const receivers = transfers.map(({ to }) => to);
 * ```
 */
export async function readBlockTransfers(
  request: RpcRequest,
  block: Head,
  { tokens }: RecordFilter,
): Promise<BlockTransfers> {
  // A node would read an empty list as "any token".
  if (tokens.length === 0) return { transfers: [], ruledOut: 0 };
  const read = await readBlockLogs(request, block, { topics: [TRANSFER_TOPIC], addresses: tokens });
  const transfers =
    read.from === 'LOGS' ? logsToTransfers(read.logs) : await placed(request, block, tokens, read.logs);
  if (transfers.some(({ blockNumber, blockHash }) => !isPlaceOf(block, blockNumber, blockHash)))
    throw new NodeNonsenseError('The node sent transfers of another block than was asked for');
  return { transfers, ruledOut: read.ruledOut };
}

function isPlaceOf({ number, hash }: Head, blockNumber: bigint, blockHash: string): boolean {
  return blockNumber === number && blockHash === hash.toLowerCase();
}

/**
 * The transfers that a block's receipts prove, with their transactions. Receipts prove no hash of a transaction, so
 * that the transactions are asked for, and have to say the same.
 */
async function placed(
  request: RpcRequest,
  block: Head,
  tokens: readonly Address[],
  proven: readonly ReceiptLog[],
): Promise<TokenTransfer[]> {
  if (proven.length === 0) return [];
  const answer = await request({ method: 'eth_getBlockByHash', params: [block.hash, false] });
  if (answer === null) throw new BlockGoneError();
  const hashes = listOf(fieldsOf(answer, 'block')['transactions'], 'list of transactions').map(toHash);
  const transfers: TokenTransfer[] = [];
  for (const [index, logs] of Map.groupBy(proven, ({ receiptIndex }) => receiptIndex)) {
    const hash = hashes[index];
    const receipt = hash && (await askForReceipt(request, hash));
    if (receipt?.blockHash !== block.hash.toLowerCase()) throw new BlockGoneError();
    const told = receipt.transfers.filter(({ token }) => tokens.includes(token));
    const isSame =
      contentsOf(told, receipt.firstLogIndex) ===
      contentsOf(logsToTransfers(logs.map((log) => asSent(block, log))));
    if (!isSame)
      throw new NodeNonsenseError("The node sent transactions that are not those of the block's receipts");
    transfers.push(...told);
  }
  return transfers;
}

/** A proven log in the form that nodes send, with its place in the receipt and a hash in place of the transaction's. */
function asSent(block: Head, { logIndex: _, receiptIndex: __, indexInReceipt, ...log }: ReceiptLog): object {
  const place = { blockHash: block.hash, blockNumber: `0x${block.number.toString(16)}` };
  return { ...log, ...place, logIndex: `0x${indexInReceipt.toString(16)}`, transactionHash: block.hash };
}

function contentsOf(transfers: readonly TokenTransfer[], firstLogIndex = 0): string {
  return JSON.stringify(
    transfers.map(({ token, from, to, amount, logIndex }) => [
      logIndex - firstLogIndex,
      ...[token, from, to, String(amount)],
    ]),
  );
}
