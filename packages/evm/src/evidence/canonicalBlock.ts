import type { RpcRequest } from '../rpc/endpoint.ts';
import { headByNumber, latestHead } from '../rpc/head.ts';
import type { Head } from '../types.ts';
import type { Hash } from './nodeFields.ts';

/** How often a reading is begun anew because the chain was reorganised meanwhile. */
export const MAX_READINGS = 4;

/** The node's latest block. */
export async function latestBlock(request: RpcRequest): Promise<Head> {
  return withPlainHash(await latestHead(request));
}

/** The canonical block at a height; undefined when the chain is shorter. @throws when the node names another height. */
export async function blockAt(request: RpcRequest, blockNumber: bigint): Promise<Head | undefined> {
  const head = await headByNumber(request, blockNumber);
  if (head !== undefined && head.number !== blockNumber)
    throw new Error('The node sent a block of another height than was asked for');
  return head === undefined ? undefined : withPlainHash(head);
}

/**
 * The hash of the canonical block at a height; undefined when the chain is shorter.
 * @throws RpcAnswerError, RpcUnreachableError
 */
export async function readBlockHash(request: RpcRequest, blockNumber: bigint): Promise<Hash | undefined> {
  return (await blockAt(request, blockNumber))?.hash;
}

/** Hashes are compared as text. */
function withPlainHash(head: Head): Head {
  return { ...head, hash: head.hash.toLowerCase() as Hash };
}
