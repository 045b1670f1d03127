import type { Address } from '@fairway/engine';
import { encodeFunctionData, erc20Abi } from 'viem';
import type { RpcRequest } from '../rpc/endpoint.ts';
import { toHash } from './nodeFields.ts';

/**
 * How much of a token an account holds at a block, in the token's smallest units.
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
  { token, owner }: { readonly token: Address; readonly owner: Address },
): Promise<bigint> {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [owner] });
  const answer = await request({ method: 'eth_call', params: [{ to: token, data }, { blockHash }] });
  // A balance is answered as one word of 32 bytes.
  return BigInt(toHash(answer));
}
