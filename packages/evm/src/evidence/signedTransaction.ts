import { type Address, toAddress } from '@fairway/engine';
import {
  formatTransaction,
  keccak256,
  recoverTransactionAddress,
  type RpcTransaction,
  serializeTransaction,
  type Signature,
  type TransactionSerialized,
} from 'viem';

/**
 * The longest transaction whose hash is computed, in hex digits. Nodes take none of more than 128 KiB, and to hash
 * megabytes would hold up everything.
 */
const LONGEST = 600_000;

/**
 * Who signed a transaction, as its signature proves. Undefined where its content does not have its hash. Then something
 * of it is invented, or it is of a kind that is not signed in Ethereum's way.
 */
export async function signerOf(answer: unknown): Promise<Address | undefined> {
  const serializedTransaction = provenBytes(answer);
  if (serializedTransaction === undefined) return undefined;
  try {
    return toAddress(await recoverTransactionAddress({ serializedTransaction }));
  } catch {
    return undefined;
  }
}

/** Whether a transaction, as a node sends it, has the content that its hash is computed from. */
export function isProvenTransaction(method: string, answer: unknown): boolean {
  return method === 'eth_getTransactionByHash' && provenBytes(answer) !== undefined;
}

/** The signed bytes of a transaction that have its hash; undefined where they have not. */
function provenBytes(answer: unknown): TransactionSerialized | undefined {
  try {
    const told = answer as RpcTransaction;
    if (told.input.length > LONGEST) return undefined;
    const { r, s, v, yParity, input, ...content } = formatTransaction(told);
    const signature = { r, s, v, ...(yParity === undefined ? {} : { yParity }) };
    const bytes = serializeTransaction({ ...content, data: input }, signature as Signature);
    return keccak256(bytes) === told.hash.toLowerCase() ? bytes : undefined;
  } catch {
    return undefined;
  }
}
