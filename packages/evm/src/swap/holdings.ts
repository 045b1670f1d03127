import type { Address, Amount } from '@fairway/engine';
import { decodeFunctionResult, getAddress } from 'viem';
import type { RpcRequest } from '../rpc/endpoint.ts';
import type { SwapIssues, SwapOrder } from '../types.ts';
import { encodeFunctionData } from '../calls/callData.ts';
import { orderMaxInput } from '../order/limits.ts';
import { MULTICALL3_ABI, TOKEN_ABI } from '../calls/contractAbis.ts';

/** What a wallet holds of an order's input. `allowance` is undefined where the order needs none. */
export type Holdings = {
  readonly balance: Amount;
  readonly allowance: Amount | undefined;
};

/**
 * Where an order's input is read from. `token` undefined: native currency; `spender` undefined: no allowance needed.
 */
export type HoldingsQuery = {
  readonly owner: Address;
  readonly token: Address | undefined;
  readonly spender: Address | undefined;
};

/**
 * Reads balance and allowance at a block in one request.
 * @throws if the node cannot be asked or the token does not answer like an ERC-20.
 */
export async function readHoldings(
  request: RpcRequest,
  multicall3: Address,
  blockHash: string,
  { owner, token, spender }: HoldingsQuery,
): Promise<Holdings> {
  const reads = [{ target: token ?? multicall3, callData: balanceData(token, owner) }];
  if (token !== undefined && spender !== undefined)
    reads.push({
      target: token,
      callData: encodeFunctionData({ abi: TOKEN_ABI, functionName: 'allowance', args: [owner, spender] }),
    });
  const data = encodeFunctionData({
    abi: MULTICALL3_ABI,
    functionName: 'aggregate3',
    args: [reads.map((read) => ({ ...read, allowFailure: false }))],
  });
  const answer = await request({ method: 'eth_call', params: [{ to: multicall3, data }, { blockHash }] });
  const results = decodeFunctionResult({
    abi: MULTICALL3_ABI,
    functionName: 'aggregate3',
    data: String(answer) as `0x${string}`,
  });
  const [balance, allowance] = results.map((result) => BigInt(result.returnData) as Amount);
  if (balance === undefined) throw new Error('Multicall3 answered without a balance.');
  return { balance, allowance };
}

function balanceData(token: Address | undefined, owner: Address): `0x${string}` {
  return token === undefined
    ? encodeFunctionData({ abi: MULTICALL3_ABI, functionName: 'getEthBalance', args: [owner] })
    : encodeFunctionData({ abi: TOKEN_ABI, functionName: 'balanceOf', args: [owner] });
}

/** Compares holdings with the most an order can take. */
export function swapIssues(order: SwapOrder, holdings: Holdings, spender: Address): SwapIssues {
  const required = orderMaxInput(order);
  const { balance, allowance } = holdings;
  return {
    balance: balance < required ? { actual: balance, required } : null,
    allowance:
      allowance !== undefined && allowance < required
        ? { actual: allowance, required, spender: getAddress(spender) }
        : null,
  };
}
