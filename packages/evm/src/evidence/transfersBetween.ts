import type { Address } from '@fairway/engine';
import type { RpcRequest } from '../rpc/endpoint.ts';
import { RpcAnswerError } from '../rpc/errors.ts';
import { addressToTopic, logsToTransfers, type TokenTransfer, TRANSFER_TOPIC } from './tokenTransfer.ts';

/** Both ends included. */
export type BlockRange = { readonly fromBlock: bigint; readonly toBlock: bigint };

/** Which transfers are wanted: those of these tokens, to one of the receivers or, without them, to anybody. */
export type TransferFilter = { readonly tokens: readonly Address[]; readonly receivers?: readonly Address[] };

/** Transfers, and the most blocks of one request that was answered. */
export type TransfersFound = { readonly transfers: readonly TokenTransfer[]; readonly widest: number };

/**
 * Transfers in a range of blocks. A refused range is asked for in halves. Nodes limit the blocks or the logs of one
 * answer, each with its own numbers, words and codes. A node that refuses a single block has another reason.
 * @throws RpcAnswerError, RpcUnreachableError, and for logs that make no sense
 */
export async function transfersBetween(
  request: RpcRequest,
  filter: TransferFilter,
  { fromBlock, toBlock }: BlockRange,
): Promise<TransfersFound> {
  if (fromBlock > toBlock) return { transfers: [], widest: 0 };
  try {
    const transfers = await askForTransfers(request, filter, { fromBlock, toBlock });
    return { transfers, widest: Number(toBlock - fromBlock) + 1 };
  } catch (error) {
    if (!(error instanceof RpcAnswerError) || fromBlock === toBlock) throw error;
  }
  const middle = (fromBlock + toBlock) / 2n;
  // One half after the other: with a node that refuses everything, this ends at the first single block.
  const earlier = await transfersBetween(request, filter, { fromBlock, toBlock: middle });
  const later = await transfersBetween(request, filter, { fromBlock: middle + 1n, toBlock });
  const transfers = [...earlier.transfers, ...later.transfers];
  return { transfers, widest: Math.max(earlier.widest, later.widest) };
}

async function askForTransfers(
  request: RpcRequest,
  { tokens, receivers }: TransferFilter,
  { fromBlock, toBlock }: BlockRange,
): Promise<TokenTransfer[]> {
  const range = { fromBlock: `0x${fromBlock.toString(16)}`, toBlock: `0x${toBlock.toString(16)}` };
  const topics = [TRANSFER_TOPIC, ...(receivers === undefined ? [] : [null, receivers.map(addressToTopic)])];
  const logs = await request({ method: 'eth_getLogs', params: [{ ...range, address: tokens, topics }] });
  const [wantedTokens, wantedReceivers] = [new Set(tokens), receivers && new Set(receivers)];
  // A node that ignores some filters must not turn somebody else's transfer into a wanted one.
  return logsToTransfers(logs).filter(
    ({ token, to, blockNumber }) =>
      wantedTokens.has(token) &&
      (wantedReceivers?.has(to) ?? true) &&
      fromBlock <= blockNumber &&
      blockNumber <= toBlock,
  );
}
