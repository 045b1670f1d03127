import type { Address, Amount } from '@fairway/engine';
import { numberToHex } from 'viem';
import type { RpcRequest } from '../rpc/endpoint.ts';
import { NodeNonsenseError } from '../rpc/errors.ts';
import { type BlockCall, type CallResult, simulateCalls } from '../rpc/simulateCalls.ts';
import { encodeFunctionData } from '../calls/callData.ts';
import type { ClearCall } from './priorHoldings.ts';
import type { Rehearsal, RehearsalResult } from './rehearsal.ts';
import { revertReason } from './revertReason.ts';
import { MULTICALL3_ABI, TOKEN_ABI } from '../calls/contractAbis.ts';

/**
 * Runs a rehearsal in one `eth_simulateV1` request, in one simulated block on top of the rehearsal's. It reads what
 * is held and balances, swaps, and reads all of it again. `first` are calls that are made before all of that. Gas is
 * free there, so native balances move by the swap alone. Rejects as `request` does.
 */
export async function simulateBlock(
  request: RpcRequest,
  multicall3: Address,
  rehearsal: Rehearsal,
  first: readonly ClearCall[],
): Promise<RehearsalResult> {
  const { executor, payee, inputToken, outputToken, instruction, spender } = rehearsal;
  const inputBalance = balanceCall(multicall3, inputToken, executor);
  const outputBalance = balanceCall(multicall3, outputToken, payee);
  const swap = {
    from: executor,
    to: instruction.to,
    data: instruction.data,
    value: numberToHex(instruction.value),
  };
  const allowance = inputToken === undefined ? inputBalance : allowanceCall(inputToken, executor, spender);
  const places = { to: multicall3, data: rehearsal.priorHoldings.readCall };
  const balances = [inputBalance, outputBalance];
  const calls = [...first, places, allowance, ...balances, swap, ...balances, places];
  const results = await simulateCalls(request, rehearsal.block, calls, rehearsal.overrides);
  if (results === undefined) return { status: 'NOT_SUPPORTED' };
  const [heldBefore, allowed, inputBefore, outputBefore, swapped, inputAfter, outputAfter, heldAfter] =
    results.slice(first.length);
  const held = amountOf(inputBefore);
  const { given } = rehearsal;
  if (given.balance !== undefined && held !== given.balance) return { status: 'NOT_FUNDED' };
  if (given.allowance !== undefined && amountOf(allowed) !== given.allowance) return { status: 'NOT_FUNDED' };
  if (heldBefore === undefined || swapped === undefined || heldAfter === undefined)
    throw new Error('A simulation lost its calls');
  // Nodes agree on what calls return only where the calls succeed.
  if (BigInt(heldBefore.status) !== 1n || BigInt(heldAfter.status) !== 1n)
    throw new NodeNonsenseError('The nodes simulated a failed reading of what is held');
  if (BigInt(swapped.status) !== 1n) return { status: 'FAILED', revertReason: reasonOf(swapped) };
  const moved = [amountOf(outputBefore), amountOf(outputAfter), amountOf(inputAfter)] as const;
  const [paidBefore, paidAfter, left] = moved;
  if (paidBefore === undefined || paidAfter === undefined || held === undefined || left === undefined)
    return { status: 'UNAVAILABLE' };
  return {
    status: 'RAN',
    amountIn: (held - left) as Amount,
    amountOut: (paidAfter - paidBefore) as Amount,
    gasUsed: BigInt(swapped.gasUsed),
    priorHoldings: rehearsal.priorHoldings.read(heldBefore.returnData),
    leftInRouter: rehearsal.priorHoldings.leftInRouter(heldBefore.returnData, heldAfter.returnData),
  };
}

function balanceCall(multicall3: Address, token: Address | undefined, owner: Address): BlockCall {
  return token === undefined
    ? {
        to: multicall3,
        data: encodeFunctionData({ abi: MULTICALL3_ABI, functionName: 'getEthBalance', args: [owner] }),
      }
    : { to: token, data: encodeFunctionData({ abi: TOKEN_ABI, functionName: 'balanceOf', args: [owner] }) };
}

function allowanceCall(token: Address, owner: Address, spender: Address): BlockCall {
  return {
    to: token,
    data: encodeFunctionData({ abi: TOKEN_ABI, functionName: 'allowance', args: [owner, spender] }),
  };
}

/** The number that a call returned; undefined where it failed or returned something else. */
export function amountOf(result: CallResult | undefined): bigint | undefined {
  if (result === undefined || BigInt(result.status) !== 1n) return undefined;
  return result.returnData.length === 66 ? BigInt(result.returnData) : undefined;
}

/** Nodes put a revert's data into the error, into the return data, or into both. */
function reasonOf({ error, returnData }: CallResult): string {
  const inError = error?.data;
  return revertReason(typeof inError === 'string' && inError.length > 2 ? inError : returnData);
}
