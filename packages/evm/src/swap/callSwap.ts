import { type Amount, mayPayMore, type Quote } from '@fairway/engine';
import { decodeFunctionResult, encodeFunctionData, type Hex, numberToHex } from 'viem';
import type { RpcRequest } from '../rpc/endpoint.ts';
import { RpcAnswerError } from '../rpc/rpcErrors.ts';
import { readRouterCalls } from './readRouterCalls.ts';
import { withoutReference } from './reference.ts';
import type { Rehearsal, RehearsalResult } from './rehearsal.ts';
import { revertReason } from './revertReason.ts';
import { MULTICALL_ABI, TOKEN_ABI, WHOLE_BALANCE } from './routerAbi.ts';

/** The error code of `eth_call` and `eth_estimateGas` for a reverted call. */
const REVERTED = 3;

/**
 * Runs a rehearsal by `eth_call`, for nodes without `eth_simulateV1`. Amounts come from what the router's calls return:
 * transfer taxes do not show, and what a V2 pair pays for an exact output cannot be seen (UNAVAILABLE).
 * Rejects as `request` does.
 */
export async function callSwap(request: RpcRequest, rehearsal: Rehearsal): Promise<RehearsalResult> {
  const { executor, instruction, overrides, blockNumber } = rehearsal;
  const { to, data, value } = instruction;
  const transaction = { from: executor, to, data, value: numberToHex(value) };
  const params = [transaction, numberToHex(blockNumber), overrides];
  const [funded, returned, gas] = await Promise.all([
    isFunded(request, rehearsal),
    revertible(request({ method: 'eth_call', params })),
    revertible(request({ method: 'eth_estimateGas', params })),
  ]);
  if (!funded) return { status: 'NOT_FUNDED' };
  if (!returned.ok) return { status: 'FAILED', revertReason: returned.revertReason };
  const amounts = amountsOf(rehearsal, returned.value as Hex);
  if (amounts === undefined || !gas.ok) return { status: 'UNAVAILABLE' };
  return { status: 'PASSED', ...amounts, gasUsed: BigInt(String(gas.value)), blockNumber };
}

type Revertible =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly revertReason: string };

async function revertible(answer: Promise<unknown>): Promise<Revertible> {
  try {
    return { ok: true, value: await answer };
  } catch (error) {
    if (!(error instanceof RpcAnswerError)) throw error;
    const hasData = typeof error.data === 'string' && error.data.length > 2;
    if (error.code !== REVERTED && !hasData) throw error;
    return { ok: false, revertReason: revertReason(error.data) };
  }
}

async function isFunded(request: RpcRequest, rehearsal: Rehearsal): Promise<boolean> {
  const { inputToken, executor, spender, inputBalance, allowance, overrides, blockNumber } = rehearsal;
  if (inputToken === undefined) return true;
  const reads: [Hex, bigint][] = [
    [encodeFunctionData({ abi: TOKEN_ABI, functionName: 'balanceOf', args: [executor] }), inputBalance],
  ];
  if (allowance !== undefined)
    reads.push([
      encodeFunctionData({ abi: TOKEN_ABI, functionName: 'allowance', args: [executor, spender] }),
      allowance,
    ]);
  const answers = await Promise.all(
    reads.map(([data]) =>
      readToken(request, [{ to: inputToken, data }, numberToHex(blockNumber), overrides]),
    ),
  );
  return reads.every(([, expected], index) => answers[index] === numberToHex(expected, { size: 32 }));
}

async function readToken(request: RpcRequest, params: readonly unknown[]): Promise<unknown> {
  const answer = await revertible(request({ method: 'eth_call', params }));
  return answer.ok ? answer.value : undefined;
}

type Amounts = { readonly amountIn: Amount; readonly amountOut: Amount };

function amountsOf({ order, instruction }: Rehearsal, returned: Hex): Amounts | undefined {
  const { subject } = order;
  if (subject.kind === 'WRAP') return { amountIn: subject.amount, amountOut: subject.amount };
  const results = decodeFunctionResult({ abi: MULTICALL_ABI, functionName: 'multicall', data: returned });
  const read = readRouterCalls(withoutReference(instruction.data, order) ?? instruction.data);
  if (!read.ok) throw new Error(`A verified instruction cannot be read: ${read.mismatch}`);
  let sum = 0n;
  for (const [index, call] of read.calls.entries()) {
    if (call.kind !== 'SWAP') continue;
    const next = read.calls[index + 1];
    const feedsNext = next?.kind === 'SWAP' && next.exact === WHOLE_BALANCE;
    if (!feedsNext) sum += BigInt(results[index] ?? '0x0');
  }
  return amountsOfSum(subject.quote, sum as Amount);
}

function amountsOfSum(quote: Quote, sum: Amount): Amounts | undefined {
  if (quote.tradeType === 'EXACT_IN') return { amountIn: quote.amountIn, amountOut: sum };
  return quote.legs.some(({ pool }) => mayPayMore(pool))
    ? undefined
    : { amountIn: sum, amountOut: quote.amountOut };
}
