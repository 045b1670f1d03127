import { type Hex, numberToHex } from 'viem';
import type { RpcRequest } from '../rpc/endpoint.ts';
import { revertData, RpcAnswerError } from '../rpc/errors.ts';
import { encodeFunctionData } from '../calls/callData.ts';
import type { Rehearsal, RehearsalResult } from './rehearsal.ts';
import { revertReason } from './revertReason.ts';
import { TOKEN_ABI } from '../calls/contractAbis.ts';

/**
 * Runs a rehearsal by `eth_call`, for nodes without `eth_simulateV1`. It shows whether the swap reverts. It measures no
 * balances, so that transfer taxes do not show: a swap that does not revert is UNAVAILABLE. Rejects as `request` does.
 */
export async function callSwap(request: RpcRequest, rehearsal: Rehearsal): Promise<RehearsalResult> {
  const { executor, instruction, overrides, block } = rehearsal;
  const { to, data, value } = instruction;
  const transaction = { from: executor, to, data, value: numberToHex(value) };
  const params = [transaction, { blockHash: block.hash }, overrides];
  const [funded, returned] = await Promise.all([
    isFunded(request, rehearsal),
    revertible(request({ method: 'eth_call', params })),
  ]);
  if (!funded) return { status: 'NOT_FUNDED' };
  return returned.ok ? { status: 'UNAVAILABLE' } : { status: 'FAILED', revertReason: returned.revertReason };
}

type Revertible =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly revertReason: string };

async function revertible(answer: Promise<unknown>): Promise<Revertible> {
  try {
    return { ok: true, value: await answer };
  } catch (error) {
    if (!(error instanceof RpcAnswerError)) throw error;
    const data = revertData(error);
    if (data === undefined) throw error;
    return { ok: false, revertReason: revertReason(data) };
  }
}

async function isFunded(request: RpcRequest, rehearsal: Rehearsal): Promise<boolean> {
  const { inputToken, executor, spender, given, overrides, block } = rehearsal;
  if (inputToken === undefined) return true;
  const reads: [Hex, bigint][] = [];
  if (given.balance !== undefined)
    reads.push([
      encodeFunctionData({ abi: TOKEN_ABI, functionName: 'balanceOf', args: [executor] }),
      given.balance,
    ]);
  if (given.allowance !== undefined)
    reads.push([
      encodeFunctionData({ abi: TOKEN_ABI, functionName: 'allowance', args: [executor, spender] }),
      given.allowance,
    ]);
  const answers = await Promise.all(
    reads.map(([data]) =>
      readToken(request, [{ to: inputToken, data }, { blockHash: block.hash }, overrides]),
    ),
  );
  return reads.every(([, expected], index) => answers[index] === numberToHex(expected, { size: 32 }));
}

async function readToken(request: RpcRequest, params: readonly unknown[]): Promise<unknown> {
  const answer = await revertible(request({ method: 'eth_call', params }));
  return answer.ok ? answer.value : undefined;
}
