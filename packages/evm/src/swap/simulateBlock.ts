import type { Address, Amount } from '@fairway/engine';
import { encodeFunctionData, type Hex, numberToHex } from 'viem';
import type { RpcRequest } from '../rpc/endpoint.ts';
import { NodeNonsenseError, RpcAnswerError } from '../rpc/rpcErrors.ts';
import type { ClearCall } from './priorHoldings.ts';
import type { Rehearsal, RehearsalResult } from './rehearsal.ts';
import { revertReason } from './revertReason.ts';
import { MULTICALL3_ABI, TOKEN_ABI } from './routerAbi.ts';

/** What a call of a simulated block came to. */
export type CallResult = {
  readonly status: Hex;
  readonly returnData: Hex;
  readonly gasUsed: Hex;
  readonly error?: { readonly data?: unknown };
};

/**
 * Runs a rehearsal in one `eth_simulateV1` request: what was held before, balances, the swap, balances again, in one
 * simulated block on top of the rehearsal's. `first` are calls that are made before all of that. Gas is free there, so
 * native balances move by the swap alone. Rejects as `request` does.
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
  const allowance =
    rehearsal.allowance === undefined || inputToken === undefined
      ? inputBalance
      : allowanceCall(inputToken, executor, spender);
  const held = { to: multicall3, data: rehearsal.priorHoldings.readCall };
  const calls = [...first, held, allowance, inputBalance, outputBalance, swap, inputBalance, outputBalance];
  const results = await simulateCalls(request, rehearsal, calls);
  if (results === undefined) return { status: 'NOT_SUPPORTED' };
  const [heldBefore, allowed, inputBefore, outputBefore, swapped, inputAfter, outputAfter] = results.slice(
    first.length,
  );
  if (amountOf(inputBefore) !== rehearsal.inputBalance) return { status: 'NOT_FUNDED' };
  if (amountOf(allowed) !== (rehearsal.allowance ?? rehearsal.inputBalance)) return { status: 'NOT_FUNDED' };
  if (heldBefore === undefined || swapped === undefined) throw new Error('A simulation lost its calls');
  // Nodes agree on what calls return only where the calls succeed.
  if (BigInt(heldBefore.status) !== 1n)
    throw new NodeNonsenseError('The nodes simulated a failed reading of what is held');
  if (BigInt(swapped.status) !== 1n) return { status: 'FAILED', revertReason: reasonOf(swapped) };
  const moved = [amountOf(outputBefore), amountOf(outputAfter), amountOf(inputAfter)] as const;
  const [paidBefore, paidAfter, left] = moved;
  if (paidBefore === undefined || paidAfter === undefined || left === undefined)
    return { status: 'UNAVAILABLE' };
  return {
    status: 'RAN',
    amountIn: (rehearsal.inputBalance - left) as Amount,
    amountOut: (paidAfter - paidBefore) as Amount,
    gasUsed: BigInt(swapped.gasUsed),
    priorHoldings: rehearsal.priorHoldings.read(heldBefore.returnData),
  };
}

/** A call of a simulated block. Without `gas` it may use all that the block has left. */
export type BlockCall = {
  readonly from?: Address;
  readonly to: Hex;
  readonly data: Hex;
  readonly value?: Hex;
  readonly gas?: Hex;
};

/**
 * Runs calls one after another in a simulated block on top of another. Undefined where the node does not offer it.
 * Rejects as `request` does.
 */
export async function simulateCalls(
  request: RpcRequest,
  { overrides, block }: Pick<Rehearsal, 'overrides' | 'block'>,
  calls: readonly BlockCall[],
): Promise<readonly CallResult[] | undefined> {
  // Nodes differ in the time that they give a simulated block. The deadline is judged by it, and a token may pay by it.
  const blockOverrides = { time: numberToHex(block.timestampSeconds + 1n) };
  const simulated = { blockOverrides, stateOverrides: overrides, calls };
  const at = { blockHash: block.hash, requireCanonical: true };
  try {
    const answer = (await request({
      method: 'eth_simulateV1',
      params: [{ blockStateCalls: [simulated], validation: false }, at],
    })) as readonly { readonly calls?: readonly CallResult[] }[];
    const results = answer[0]?.calls;
    if (results?.length !== calls.length) throw new Error('The node sent something that is no simulation');
    return results;
  } catch (error) {
    // A swap that reverts gives an answer. An error, whatever its code, means that the node does not offer the method.
    if (error instanceof RpcAnswerError) return undefined;
    throw error;
  }
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
