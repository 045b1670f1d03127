import type { Asked, Proposal, Refusal } from '@fairway/policies';
import type { Call, Hex } from '@fairway/relay';
import type { CheckedCall } from '@fairway/sdk/checks';
import { readCalls } from '../executions/index.ts';
import type { KeptPayment } from '../../platform/database/payments.ts';
import type { Lane } from './paymentRequest.ts';

/** What a plan says is to happen next, as far as it can be read. */
export type NextOfPlan = {
  readonly do?: string;
  readonly why?: string;
  readonly stepId?: string;
  readonly attemptId?: string;
  readonly options: readonly string[];
  readonly calls: unknown;
};

/** Reads what is to happen next. Undefined: nothing is. */
export function nextOf(plan: unknown): NextOfPlan | undefined {
  const { next } = Object(plan) as { next?: unknown };
  if (typeof next !== 'object' || next === null) return undefined;
  const given = next as Readonly<Record<string, unknown>>;
  const text = (name: string) => {
    const value = given[name];
    return typeof value === 'string' ? { [name]: value } : {};
  };
  const { options, calls } = given;
  return {
    ...{ ...text('do'), ...text('why'), ...text('stepId'), ...text('attemptId') },
    options: Array.isArray(options) ? options.filter((each) => typeof each === 'string') : [],
    calls,
  };
}

/** The digits of a plan's tag, with which its last call ends. */
const TAG = /[0-9a-f]{32}$/;

/**
 * What is judged of a plan's calls: the client's request and the operator's own corridor, and nothing that the service says
 * of them. The node cannot know the tag, only that there is one.
 */
export function proposalOf(
  { amountIn, minAmountOut }: KeptPayment,
  { relayer, corridor }: Lane,
  given: unknown,
): Proposal | Refusal {
  const calls = readCalls(given);
  const [tag] = TAG.exec(calls?.at(-1)?.data.toLowerCase() ?? '') ?? [];
  if (calls === undefined || tag === undefined)
    return { code: 'ANSWER_CALLDATA', rule: 'asked', detail: 'The plan has no calls that can be read.' };
  const asked: Asked = {
    ...{ chainId: relayer.chainId, tradeType: 'EXACT_IN', sender: relayer.address, amount: amountIn, tag },
    ...{ tokenIn: corridor.tokenIn, tokenOut: corridor.tokenOut, recipient: corridor.settlementAddress },
    limit: { minAmountOut: minAmountOut ?? amountIn },
  };
  return { asked, calls };
}

/** A call of a plan. `lifeEndsMs`: of a swap, whose calls are of no use after it. */
export function callOf(
  { to, data, value }: CheckedCall,
  { chainId, sender }: Asked,
  lifeEndsMs?: number,
): Call {
  return {
    ...{ chainId, sender: sender as Hex, to: to.toLowerCase() as Hex, data, valueWei: value },
    ...(lifeEndsMs !== undefined && { notAfterMs: lifeEndsMs }),
  };
}
