import type { Address } from '@fairway/engine';
import type { RpcRequest } from '../rpc/endpoint.ts';
import { latestBlock } from './canonicalBlock.ts';
import { fieldsOf, type Hash, listOf, toAccount, toCount, toHash } from './nodeFields.ts';
import { readTransaction } from './readTransaction.ts';

/** How far back a nonce's use is looked for: nodes that are no archives have the state of the latest 128 blocks. */
const LOOK_BACK_BLOCKS = 120n;

/** A transaction that the chain no longer has. */
export type LostTransaction = {
  readonly txHash: Hash;
  readonly sender: Address;
  readonly nonce: number;
};

/**
 * The other transaction of the same sender and nonce that is mined in one of the latest blocks. The lost one can
 * never be mined again. Undefined when none is seen. A used nonce alone does not show one, because the lost
 * transaction may have been mined again itself.
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
  { txHash, sender, nonce }: LostTransaction,
): Promise<Hash | undefined> {
  const blockNumber = await blockOfUse(request, sender, nonce);
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

/** The block that used a sender's nonce; undefined when it is not used, or was used before the blocks looked at. */
async function blockOfUse(request: RpcRequest, sender: Address, nonce: number): Promise<bigint | undefined> {
  const isUsedAt = async (blockNumber: bigint) =>
    toCount(await request({ method: 'eth_getTransactionCount', params: [sender, quantity(blockNumber)] })) >
    nonce;
  let used = (await latestBlock(request)).number;
  let unused = used > LOOK_BACK_BLOCKS ? used - LOOK_BACK_BLOCKS : 0n;
  if (!(await isUsedAt(used)) || (await isUsedAt(unused))) return undefined;
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
