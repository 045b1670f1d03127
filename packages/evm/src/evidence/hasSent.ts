import type { Address } from '@fairway/engine';
import type { RpcRequest } from '../rpc/endpoint.ts';
import { toCount } from './nodeFields.ts';

/**
 * Whether an account has sent a transaction up to a block, or is a contract.
 * @throws RpcAnswerError, RpcUnreachableError
 *
 * @example
 * ```ts
 * import type { Address } from '@fairway/engine';
 * import { hasSent, latestHead, type RpcRequest } from '@fairway/evm';
 *
 * declare const request: RpcRequest;
 * declare const account: Address;
 * const { hash } = await latestHead(request);
 * const paysFees = await hasSent(request, hash, account);
 * ```
 */
export async function hasSent(request: RpcRequest, blockHash: string, account: Address): Promise<boolean> {
  const params = [account, { blockHash }];
  return toCount(await request({ method: 'eth_getTransactionCount', params })) > 0;
}
