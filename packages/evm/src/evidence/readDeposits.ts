import type { Address } from '@fairway/engine';
import type { RpcRequest } from '../rpc/endpoint.ts';
import { mapInBatches } from '../rpc/multicall.ts';
import { BlockGoneError } from '../rpc/rpcErrors.ts';
import { latestBlock, MAX_READINGS, readBlockHash } from './canonicalBlock.ts';
import type { Hash } from './nodeFields.ts';
import type { TokenTransfer } from './tokenTransfer.ts';
import { type BlockRange, transfersBetween } from './transfersBetween.ts';

/** The transfers of a token to an address on the chain of a head, and this head. */
export type DepositReading = {
  readonly head: { readonly number: bigint; readonly hash: Hash };
  readonly transfers: readonly TokenTransfer[];
};

/** Recipients in one request: nodes limit the alternatives for one topic, commonly to 1000. */
const RECIPIENTS_PER_REQUEST = 400;
/** Requests under way at the same time. */
const REQUEST_WIDTH = 4;

/**
 * Reads every Transfer of a token to an address, from a block (inclusive) to the latest block, in the chain's order.
 * Transfers of zero are included.
 * @throws BlockGoneError while the chain keeps being reorganised, RpcAnswerError, RpcUnreachableError
 *
 * @example
 * ```ts
 * import { readDeposits, type RpcRequest } from '@fairway/evm';
 *
 * declare const request: RpcRequest;
 * declare const deposit: Parameters<typeof readDeposits>[1]; // token, address, fromBlock
 *
 * const { head, transfers } = await readDeposits(request, deposit);
 * const received = transfers.reduce((sum, { amount }) => sum + amount, 0n); // up to `head`
 * ```
 */
export async function readDeposits(
  request: RpcRequest,
  wanted: { readonly token: Address; readonly address: Address; readonly fromBlock: bigint },
): Promise<DepositReading> {
  const filter = { tokens: [wanted.token], receivers: [wanted.address] };
  for (let reading = 1; reading <= MAX_READINGS; reading++) {
    const { number, hash } = await latestBlock(request);
    const range = { fromBlock: wanted.fromBlock, toBlock: number };
    // A node refuses blocks that a reorganisation has just removed: only the head shows whether that was the reason.
    const [read] = await Promise.allSettled([transfersBetween(request, filter, range)]);
    if ((await readBlockHash(request, number)) !== hash) continue;
    if (read.status === 'rejected') throw read.reason;
    return { head: { number, hash }, transfers: read.value.transfers };
  }
  throw new BlockGoneError();
}

/**
 * Which of many addresses got a Transfer of any of the tokens in these blocks, both ends included. The result only says
 * where to look: the blocks may be reorganised meanwhile.
 * @throws RpcAnswerError, RpcUnreachableError
 *
 * @example
 * ```ts
 * import type { Address } from '@fairway/engine';
 * import { type RpcRequest, touchedAddresses } from '@fairway/evm';
 *
 * declare const request: RpcRequest;
 * declare const [tokens, addresses]: readonly [readonly Address[], readonly Address[]];
 *
 * const blocks = { fromBlock: 100n, toBlock: 120n };
 * const touched = await touchedAddresses(request, { tokens, addresses, ...blocks });
 * ```
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
  // A node would read an empty list as "any token".
  if (tokens.length === 0) return new Set();
  const parts: (readonly Address[])[] = [];
  for (let start = 0; start < addresses.length; start += RECIPIENTS_PER_REQUEST)
    parts.push(addresses.slice(start, start + RECIPIENTS_PER_REQUEST));
  const found = await mapInBatches(parts, REQUEST_WIDTH, (receivers) =>
    transfersBetween(request, { tokens, receivers }, range),
  );
  return new Set(found.flatMap(({ transfers }) => transfers.map(({ to }) => to)));
}
