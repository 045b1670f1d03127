import { NodeNonsenseError } from '../rpc/errors.ts';
import type { RpcRequest } from '../rpc/endpoint.ts';
import { headByNumber, latestHead } from '../rpc/head.ts';
import type { Head } from '../types.ts';
import type { Hash } from './nodeFields.ts';

/** How often a reading is tried at most while the chain keeps being reorganised. */
export const MAX_READINGS = 4;

/** The node's latest block. */
export async function latestBlock(request: RpcRequest): Promise<Head> {
  return withPlainHash(await latestHead(request));
}

/**
 * The canonical block at a height; undefined when the chain is shorter.
 * @throws when the node names another height
 *
 * @example
 * ```ts
 * import { blockAt, type RpcRequest } from '@fairway/evm';
 *
 * declare const request: RpcRequest;
 * const block = await blockAt(request, 20_000_000n);
 * const minedAt = new Date(1000 * Number(block?.timestampSeconds ?? 0n));
 * ```
 */
export async function blockAt(request: RpcRequest, blockNumber: bigint): Promise<Head | undefined> {
  const head = await headByNumber(request, blockNumber);
  if (head !== undefined && head.number !== blockNumber)
    throw new NodeNonsenseError('The node sent a block of another height than was asked for');
  return head === undefined ? undefined : withPlainHash(head);
}

/**
 * The hash of the canonical block at a height; undefined when the chain is shorter.
 * @throws RpcAnswerError, RpcUnreachableError
 *
 * @example
 * ```ts
 * import { createChainRpc, readBlockHash } from '@fairway/evm';
 *
 * const rpc = createChainRpc(['http://127.0.0.1:8545'], 5000);
 * const hash = await readBlockHash(rpc.request, 20_000_000n); // undefined on a shorter chain
 * ```
 */
export async function readBlockHash(request: RpcRequest, blockNumber: bigint): Promise<Hash | undefined> {
  return (await blockAt(request, blockNumber))?.hash;
}

/** In lower case, because hashes are compared as text. */
function withPlainHash(head: Head): Head {
  return { ...head, hash: head.hash.toLowerCase() as Hash };
}
