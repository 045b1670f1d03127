import type { Address } from '@fairway/engine';
import { pad } from 'viem';
import type { RpcRequest } from '../rpc/endpoint.ts';
import { refusalOf } from '../rpc/refusal.ts';
import { RpcAnswerError } from '../rpc/rpcErrors.ts';
import { encodeFunctionData } from './callData.ts';
import type { RouterDeployment } from './deployment.ts';
import { ROUTER_STATE_ABI } from './routerAbi.ts';

/** Whether the configured router is the contract that instructions are written for. */
export type RouterCheck = { readonly ok: true } | { readonly ok: false; readonly detail: string };

/**
 * Asks the router which contracts it was built with and compares them with the configuration.
 * Rejects as `request` does when the node cannot be asked.
 *
 * @example
 * ```ts
 * import { checkRouter, type RouterDeployment, type RpcRequest } from '@fairway/evm';
 *
 * declare const request: RpcRequest;
 * declare const deployment: RouterDeployment;
 *
 * const check = await checkRouter(request, deployment);
 * if (!check.ok) throw new Error(check.detail);
 * ```
 */
export async function checkRouter(request: RpcRequest, deployment: RouterDeployment): Promise<RouterCheck> {
  const { router, wrappedNative, v2Factory, v3Factory } = deployment;
  const code = await request({ method: 'eth_getCode', params: [router, 'latest'] });
  if (typeof code !== 'string' || code.length <= 2)
    return { ok: false, detail: `There is no contract at the router's address ${router}.` };
  const expected: ['factory' | 'factoryV2' | 'WETH9', Address][] = [
    ['factory', v3Factory],
    ['WETH9', wrappedNative],
  ];
  if (v2Factory !== undefined) expected.push(['factoryV2', v2Factory]);
  for (const [functionName, address] of expected) {
    const answer = await readState(request, router, functionName);
    if (answer !== pad(address))
      return { ok: false, detail: `The router ${router} does not answer ${functionName}() with ${address}.` };
  }
  return { ok: true };
}

async function readState(
  request: RpcRequest,
  router: Address,
  functionName: 'factory' | 'factoryV2' | 'WETH9',
): Promise<unknown> {
  const data = encodeFunctionData({ abi: ROUTER_STATE_ABI, functionName });
  try {
    return await request({ method: 'eth_call', params: [{ to: router, data }, 'latest'] });
  } catch (error) {
    // A contract without this function reverts, which shows that it is another contract. Other errors are the node's.
    if (error instanceof RpcAnswerError && refusalOf(error) === 'FINAL') return undefined;
    throw error;
  }
}
