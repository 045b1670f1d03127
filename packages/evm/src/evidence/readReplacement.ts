import type { Address } from '@fairway/engine';
import type { RpcRequest } from '../rpc/endpoint.ts';
import { RpcAnswerError, RpcUnreachableError } from '../rpc/errors.ts';
import { latestBlock } from './canonicalBlock.ts';
import { fieldsOf, type Hash, listOf, toAccount, toCount, toHash } from './nodeFields.ts';
import { readTransaction } from './readTransaction.ts';

/** How far back every node can tell a nonce's use: those that are no archives have the state of the latest 128 blocks. */
const LOOK_BACK_BLOCKS = 120n;

/** A transaction that the chain no longer has, and a block before those in which another may have taken its place. */
export type LostTransaction = {
  readonly txHash: Hash;
  readonly sender: Address;
  readonly nonce: number;
  readonly sinceBlock: number;
};

/**
 * The other transaction of the same sender and nonce that is mined. The lost one can never be mined again. Undefined when
 * none is seen: it is looked for in the latest blocks, and in older ones where nodes have their state. A used nonce alone
 * does not show one: the lost transaction may have been mined again itself. And nobody would know what the other one did.
 * @throws for answers that make no sense, RpcAnswerError, RpcUnreachableError, NodesDisagreeError
 *
 * @example
 * ```ts
 * import { type LostTransaction, readReplacement, type RpcRequest } from '@fairway/evm';
 *
 * declare const request: RpcRequest;
 * declare const lost: LostTransaction;
 *
 * const replacedBy = await readReplacement(request, lost); // the hash of the other transaction
 * ```
 */
export async function readReplacement(
  request: RpcRequest,
  { txHash, sender, nonce, sinceBlock }: LostTransaction,
): Promise<Hash | undefined> {
  const blockNumber = await blockOfUse(request, sender, nonce, BigInt(sinceBlock));
  if (blockNumber === undefined) return undefined;
  const block = await request({ method: 'eth_getBlockByNumber', params: [quantity(blockNumber), true] });
  const candidate = listOf(fieldsOf(block, 'block')['transactions'], 'list of transactions')
    .map((transaction) => fieldsOf(transaction, 'transaction'))
    .find((each) => toAccount(each['from']) === sender && toCount(each['nonce']) === nonce);
  const other = candidate && toHash(candidate['hash']);
  if (other === undefined || other === txHash) return undefined;
  // The list of a block's transactions is one node's word.
  const seen = await readTransaction(request, other);
  return seen.found === 'MINED' && seen.sender === sender && seen.nonce === nonce ? other : undefined;
}

/** The block that used a sender's nonce; undefined when it is not used, or when that is so long ago that no node tells. */
async function blockOfUse(
  request: RpcRequest,
  sender: Address,
  nonce: number,
  since: bigint,
): Promise<bigint | undefined> {
  const isUsedAt = async (blockNumber: bigint) =>
    toCount(await request({ method: 'eth_getTransactionCount', params: [sender, quantity(blockNumber)] })) >
    nonce;
  const latest = (await latestBlock(request)).number;
  const recent = latest > LOOK_BACK_BLOCKS ? latest - LOOK_BACK_BLOCKS : 0n;
  if (!(await isUsedAt(latest))) return undefined;
  if (!(await isUsedAt(recent))) return firstUse(isUsedAt, recent, latest);
  if (since >= recent) return undefined;
  try {
    return (await isUsedAt(since)) ? undefined : await firstUse(isUsedAt, since, recent);
  } catch (error) {
    if (error instanceof RpcAnswerError || error instanceof RpcUnreachableError) return undefined;
    throw error;
  }
}

/** The first block by which a nonce is used, between one by which it is not and one by which it is. */
async function firstUse(
  isUsedAt: (blockNumber: bigint) => Promise<boolean>,
  before: bigint,
  after: bigint,
): Promise<bigint> {
  let [unused, used] = [before, after];
  while (used - unused > 1n) {
    const middle = (used + unused) / 2n;
    if (await isUsedAt(middle)) used = middle;
    else unused = middle;
  }
  return used;
}

function quantity(blockNumber: bigint): string {
  return `0x${blockNumber.toString(16)}`;
}
