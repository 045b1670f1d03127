import type { Address } from '@fairway/engine';
import type { RpcRequest } from '../rpc/endpoint.ts';
import { mapInBatches } from '../rpc/multicall.ts';
import { BlockGoneError, RpcAnswerError } from '../rpc/rpcErrors.ts';
import { latestBlock, MAX_READINGS, readBlockHash } from './canonicalBlock.ts';
import type { Hash } from './nodeFields.ts';
import { addressToTopic, logsToTransfers, type TokenTransfer, TRANSFER_TOPIC } from './tokenTransfer.ts';

/** What an address got of a token up to a head, and that head: the transfers are those of its chain. */
export type DepositReading = {
  readonly head: { readonly number: bigint; readonly hash: Hash };
  readonly transfers: readonly TokenTransfer[];
};

/** Recipients in one request: nodes bound the alternatives of a topic, the common one at 1000. */
const RECIPIENTS_PER_REQUEST = 400;
/** Requests under way at once. */
const REQUEST_WIDTH = 4;

/**
 * Reads every Transfer of a token to an address, from a block (inclusive) to the latest one, in the chain's order.
 * `amount` in the token's smallest unit; transfers of zero are among them.
 * @throws BlockGoneError while the chain keeps being reorganised, RpcAnswerError, RpcUnreachableError
 */
export async function readDeposits(
  request: RpcRequest,
  wanted: { readonly token: Address; readonly address: Address; readonly fromBlock: bigint },
): Promise<DepositReading> {
  const filter = { tokens: [wanted.token], recipients: [wanted.address] };
  for (let reading = 1; reading <= MAX_READINGS; reading++) {
    const { number, hash } = await latestBlock(request);
    const range = { fromBlock: wanted.fromBlock, toBlock: number };
    // A node refuses blocks that a reorganisation has just taken away: whether it failed is known only by the head.
    const [read] = await Promise.allSettled([transfersBetween(request, filter, range)]);
    if ((await readBlockHash(request, number)) !== hash) continue;
    if (read.status === 'rejected') throw read.reason;
    return { head: { number, hash }, transfers: read.value };
  }
  throw new BlockGoneError();
}

/**
 * Which of many addresses got a Transfer of any of the tokens in these blocks, both included. It says where to look,
 * not what is there: the blocks may be reorganised meanwhile.
 * @throws RpcAnswerError, RpcUnreachableError
 */
export async function touchedAddresses(
  request: RpcRequest,
  {
    tokens,
    addresses,
    ...range
  }: BlockRange & {
    readonly tokens: readonly Address[];
    readonly addresses: readonly Address[];
  },
): Promise<ReadonlySet<Address>> {
  // A node takes an empty list for "any".
  if (tokens.length === 0) return new Set();
  const parts: (readonly Address[])[] = [];
  for (let start = 0; start < addresses.length; start += RECIPIENTS_PER_REQUEST)
    parts.push(addresses.slice(start, start + RECIPIENTS_PER_REQUEST));
  const transfers = await mapInBatches(parts, REQUEST_WIDTH, (recipients) =>
    transfersBetween(request, { tokens, recipients }, range),
  );
  return new Set(transfers.flat().map(({ to }) => to));
}

/** Both ends included. */
type BlockRange = { readonly fromBlock: bigint; readonly toBlock: bigint };

type TransferFilter = { readonly tokens: readonly Address[]; readonly recipients: readonly Address[] };

/**
 * Transfers in a range of blocks. A refused range is asked for in halves: nodes bound the blocks or the logs of one
 * answer, each with other numbers, words and codes. A node that refuses a single block refuses for another reason.
 */
async function transfersBetween(
  request: RpcRequest,
  filter: TransferFilter,
  { fromBlock, toBlock }: BlockRange,
): Promise<TokenTransfer[]> {
  if (fromBlock > toBlock) return [];
  try {
    return await askForTransfers(request, filter, { fromBlock, toBlock });
  } catch (error) {
    if (!(error instanceof RpcAnswerError) || fromBlock === toBlock) throw error;
  }
  const middle = (fromBlock + toBlock) / 2n;
  // The later half waits: where nothing is answered, this ends at the first single block.
  const earlier = await transfersBetween(request, filter, { fromBlock, toBlock: middle });
  const later = await transfersBetween(request, filter, { fromBlock: middle + 1n, toBlock });
  return [...earlier, ...later];
}

async function askForTransfers(
  request: RpcRequest,
  { tokens, recipients }: TransferFilter,
  { fromBlock, toBlock }: BlockRange,
): Promise<TokenTransfer[]> {
  const range = { fromBlock: `0x${fromBlock.toString(16)}`, toBlock: `0x${toBlock.toString(16)}` };
  const topics = [TRANSFER_TOPIC, null, recipients.map(addressToTopic)];
  const logs = await request({ method: 'eth_getLogs', params: [{ ...range, address: tokens, topics }] });
  // A node that knows no filters, or only some, must not make a deposit of somebody else's transfer.
  return logsToTransfers(logs).filter(
    ({ token, to, blockNumber }) =>
      tokens.includes(token) && recipients.includes(to) && fromBlock <= blockNumber && blockNumber <= toBlock,
  );
}
