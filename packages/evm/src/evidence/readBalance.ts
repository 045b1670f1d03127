import type { Address } from '@fairway/engine';
import { encodeFunctionData, erc20Abi } from 'viem';
import type { RpcRequest } from '../rpc/endpoint.ts';
import { toHash, toQuantity } from './nodeFields.ts';

/**
 * How much an account holds at a block, in smallest units: of a token, or without one of the native currency.
 * @throws RpcAnswerError, RpcUnreachableError, and NodeNonsenseError where the token does not answer like an ERC-20
 *
 * @example
 * ```ts
 * import type { Address } from '@fairway/engine';
 * import { latestHead, readBalance, type RpcRequest } from '@fairway/evm';
 *
 * declare const request: RpcRequest;
 * declare const token: Address;
 * declare const owner: Address;
 * const { hash } = await latestHead(request);
 * const balance = await readBalance(request, hash, { token, owner }); // 250_000_000n: 250 USDC
 * ```
 */
export async function readBalance(
  request: RpcRequest,
  blockHash: string,
  { token, owner }: { readonly token?: Address; readonly owner: Address },
): Promise<bigint> {
  const at = { blockHash };
  if (token === undefined)
    return toQuantity(await request({ method: 'eth_getBalance', params: [owner, at] }));
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [owner] });
  // A token answers its balance as one word of 32 bytes.
  return BigInt(toHash(await request({ method: 'eth_call', params: [{ to: token, data }, at] })));
}
