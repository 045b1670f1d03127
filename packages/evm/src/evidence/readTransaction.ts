import { NodeNonsenseError } from '../rpc/errors.ts';
import type { Address } from '@fairway/engine';
import type { RpcRequest } from '../rpc/endpoint.ts';
import { blockAt, latestBlock, MAX_READINGS, readBlockHash } from './canonicalBlock.ts';
import {
  fieldsOf,
  type Hash,
  listOf,
  toAccount,
  toBytes,
  toCount,
  toHash,
  toQuantity,
} from './nodeFields.ts';
import { gasOf, type ReceiptGas } from './receiptGas.ts';
import { signerOf } from './signedTransaction.ts';
import { logsToTransfers, type TokenTransfer } from './tokenTransfer.ts';

/**
 * The state of a transaction on the chain. MINED: it is in a block of the latest head's chain. PENDING: the node has
 * it, but no such block does. `posted` is what its sender signed, where its hash proves that. NONE: the node does not
 * have it, so it was dropped, replaced or never sent.
 */
export type TransactionReading =
  | ({
      readonly found: 'MINED';
      readonly outcome: 'SUCCEEDED' | 'REVERTED';
      readonly txHash: Hash;
      readonly blockNumber: bigint;
      readonly blockHash: Hash;
      readonly timestampSeconds: bigint;
      /** Every ERC-20 transfer it made, of any contract, in order. */
      readonly transfers: readonly TokenTransfer[];
      /** How many logs it wrote, and the index of the first in its block. */
      readonly logCount: number;
      readonly firstLogIndex: number;
      /** 1 when it is in the latest block. */
      readonly confirmations: bigint;
      /** The gas of the whole transaction. Absent where too few nodes told the same of it. */
      readonly gas?: ReceiptGas;
    } & Posted)
  | { readonly found: 'PENDING'; readonly posted?: Posted }
  | { readonly found: 'NONE' };

/** What the sender signed. `to` is undefined for a transaction that creates a contract; `value` in wei. */
export type Posted = {
  readonly sender: Address;
  readonly nonce: number;
  readonly to: Address | undefined;
  readonly input: `0x${string}`;
  readonly value: bigint;
};

/** The first pause before a transaction is read again; the next ones are longer by as much. */
const AGAIN_MS = 20;

/**
 * Reads the state of a transaction. The result is MINED only if the receipt, the transaction and the canonical block
 * of that height agree under one head. Otherwise all are read again. After some attempts the result is that it is not
 * mined.
 * @throws for answers that make no sense, RpcAnswerError, RpcUnreachableError
 *
 * @example
 * ```ts
 * import { readTransaction, type RpcRequest } from '@fairway/evm';
 *
 * declare const request: RpcRequest;
 * declare const txHash: `0x${string}`;
 *
 * const reading = await readTransaction(request, txHash);
 * if (reading.found === 'MINED') console.log(reading.outcome, reading.confirmations);
 * ```
 */
export async function readTransaction(request: RpcRequest, txHash: Hash): Promise<TransactionReading> {
  const asked = toHash(txHash);
  for (let reading = 1; ; reading++) {
    const [transaction, receipt] = await Promise.all([
      askForTransaction(request, asked),
      askForReceipt(request, asked),
    ]);
    // A transaction that was read before it was mined is read again: only its mined content is what enough nodes said.
    const mined =
      receipt !== undefined && transaction?.blockHash === receipt.blockHash
        ? await minedReading(request, asked, transaction.posted, receipt)
        : undefined;
    if (mined !== undefined) return mined;
    const isUnmined = transaction?.blockHash === undefined && receipt === undefined;
    if (!isUnmined && reading < MAX_READINGS) {
      // A node that has just mined the transaction may have its receipt a moment before its place.
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS * reading));
      continue;
    }
    if (transaction === undefined) return { found: 'NONE' };
    const { proven } = transaction;
    return { found: 'PENDING', ...(proven === undefined ? {} : { posted: proven }) };
  }
}

/** The reading, if the receipt's block is canonical under a head that stays canonical; undefined otherwise. */
async function minedReading(
  request: RpcRequest,
  txHash: Hash,
  posted: Posted,
  { outcome, blockNumber, blockHash, transfers, logCount, firstLogIndex, gas }: Receipt,
): Promise<TransactionReading | undefined> {
  // The order matters: the block is read between two readings of the same head.
  const head = await latestBlock(request);
  const block = await blockAt(request, blockNumber);
  const isSteady = (await readBlockHash(request, head.number)) === head.hash;
  if (!isSteady || block?.hash !== blockHash || head.number < blockNumber) return undefined;
  const { timestampSeconds } = block;
  const confirmations = head.number - blockNumber + 1n;
  const inBlock = { txHash, blockNumber, blockHash, timestampSeconds, confirmations };
  const told = { transfers, logCount, firstLogIndex, ...(gas === undefined ? {} : { gas }) };
  return { found: 'MINED', outcome, ...inBlock, ...posted, ...told };
}

/**
 * A transaction and the block it is in. While it waits to be mined, its content is one node's word: only what its hash
 * proves counts.
 */
type AskedTransaction =
  | { readonly posted: Posted; readonly blockHash: Hash; readonly proven?: undefined }
  | { readonly posted?: undefined; readonly blockHash?: undefined; readonly proven?: Posted };

/** The transaction; undefined when the node does not have it. */
export async function askForTransaction(
  request: RpcRequest,
  txHash: Hash,
): Promise<AskedTransaction | undefined> {
  const answer = await request({ method: 'eth_getTransactionByHash', params: [txHash] });
  if (answer === null) return undefined;
  const { hash, blockHash } = fieldsOf(answer, 'transaction');
  if (toHash(hash) !== txHash)
    throw new NodeNonsenseError('The node sent another transaction than was asked for');
  if (isAbsent(blockHash)) {
    const sender = await signerOf(answer);
    return sender === undefined ? {} : { proven: { ...toPosted(answer), sender } };
  }
  return { posted: toPosted(answer), blockHash: toHash(blockHash) };
}

/** What the sender of a transaction signed, as nodes send it. */
export function toPosted(answer: unknown): Posted {
  const { from, nonce, to, input, value } = fieldsOf(answer, 'transaction');
  return {
    sender: toAccount(from),
    nonce: toCount(nonce),
    to: isAbsent(to) ? undefined : toAccount(to),
    input: toBytes(input),
    value: toQuantity(value),
  };
}

/** What a receipt says, as far as it is evidence, and the gas. */
export type Receipt = {
  readonly outcome: 'SUCCEEDED' | 'REVERTED';
  readonly blockNumber: bigint;
  readonly blockHash: Hash;
  readonly transfers: readonly TokenTransfer[];
  readonly logCount: number;
  readonly firstLogIndex: number;
  readonly gas?: ReceiptGas;
};

/** The receipt of a mined transaction; undefined when the node has none. */
export async function askForReceipt(request: RpcRequest, txHash: Hash): Promise<Receipt | undefined> {
  const answer = await request({ method: 'eth_getTransactionReceipt', params: [txHash] });
  if (answer === null) return undefined;
  const receipt = fieldsOf(answer, 'receipt');
  const { transactionHash, status, logs, ...place } = receipt;
  if (toHash(transactionHash) !== txHash)
    throw new NodeNonsenseError('The node sent the receipt of another transaction than was asked for');
  const [blockNumber, blockHash] = [toQuantity(place['blockNumber']), toHash(place['blockHash'])];
  const transfers = logsToTransfers(logs);
  if (
    transfers.some(
      (each) => each.txHash !== txHash || each.blockHash !== blockHash || each.blockNumber !== blockNumber,
    )
  )
    throw new NodeNonsenseError('The node sent a receipt with logs of another transaction');
  const [first] = listOf(logs, 'list of logs');
  const gas = gasOf(receipt);
  return {
    ...{ outcome: toOutcome(status), blockNumber, blockHash, transfers },
    logCount: listOf(logs, 'list of logs').length,
    firstLogIndex: first === undefined ? 0 : toCount(fieldsOf(first, 'log')['logIndex']),
    ...(gas === undefined ? {} : { gas }),
  };
}

function toOutcome(status: unknown): Receipt['outcome'] {
  const code = toQuantity(status);
  if (code > 1n) throw new NodeNonsenseError('The node sent a receipt of neither success nor failure');
  return code === 1n ? 'SUCCEEDED' : 'REVERTED';
}

function isAbsent(value: unknown): boolean {
  return value === null || value === undefined;
}
