import type { Address } from '@fairway/engine';
import { pad } from 'viem';
import { encodeFunctionData } from '../../calls/callData.ts';
import type { RpcRequest } from '../../rpc/endpoint.ts';
import { refusalOf } from '../../rpc/refusal.ts';
import { RpcAnswerError } from '../../rpc/errors.ts';
import type { RouterCheck } from '../venue.ts';
import { ROUTER_STATE_ABI } from './abi.ts';
import type { RouterDeployment } from './deployment.ts';

/**
 * Asks the router which contracts it was built with and compares them with the configuration.
 * Rejects as `request` does when the node cannot be asked.
 */
export async function checkDeployed(request: RpcRequest, deployment: RouterDeployment): Promise<RouterCheck> {
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
