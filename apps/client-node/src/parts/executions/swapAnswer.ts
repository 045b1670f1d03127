import type { ProblemFacts } from '@fairway/api';
import type { Refusal } from '@fairway/policies';
import type { GivenCall } from '@fairway/sdk/checks';
import type { SwapPlan } from '@fairway/sdk/swaps';
import type { Said } from '../../platform/database/schema.ts';

/** The problem of an answer without instructions. */
export const UNREADABLE = {
  code: 'unsafe-answer',
  detail: 'ANSWER_CALLDATA: the answer has no instructions that can be read. Nothing was signed.',
} as const;

/** The calls of an answer; undefined where it has something else. */
export function callsIn(plan: unknown): readonly GivenCall[] | undefined {
  const { instructions, quote } = Object(plan) as { instructions?: unknown; quote?: unknown };
  return typeof quote === 'object' && quote !== null ? readCalls(instructions) : undefined;
}

/** A list of calls; undefined for anything else. */
export function readCalls(list: unknown): readonly GivenCall[] | undefined {
  if (!Array.isArray(list)) return undefined;
  const calls = list.map((each) => Object(each) as Partial<GivenCall>);
  const isCall = ({ kind, chainId, to, data, value }: Partial<GivenCall>) =>
    Number.isSafeInteger(chainId) && [kind, to, data, value].every((text) => typeof text === 'string');
  return calls.every(isCall) ? (calls as GivenCall[]) : undefined;
}

/** Two nodes that agree are more than one. */
const AGREED = 2;

/** What an answer says of its quote, where it can be read. */
export function saidOf({ quote }: { readonly quote?: SwapPlan['quote'] | undefined }): Said {
  const { optimality, trust } = Object(quote?.route) as NonNullable<SwapPlan['quote']['route']>;
  const gap: unknown = optimality?.gapBps;
  const { agreed } = Object(trust) as { agreed?: unknown };
  return {
    ...(typeof gap === 'number' && gap >= 0 && { optimalityGapBps: gap }),
    ...(typeof agreed === 'number' && { trust: agreed >= AGREED ? 'AGREED' : 'SINGLE_NODE' }),
  };
}

/** The problem of what is not signed: the service's fault, or what a rule of the policy has against it. */
export function refusalProblem(refusals: readonly Refusal[]): ProblemFacts {
  const answers = refusals.filter(({ code }) => code.startsWith('ANSWER_'));
  if (answers.length > 0) {
    const said = answers.map(({ code, detail }) => `${code}: ${detail}`);
    return { code: 'unsafe-answer', detail: said.join(' ') };
  }
  const said = refusals.map(({ code, rule, detail }) => `${code} by the rule ${rule}: ${detail}`);
  return { code: 'policy-refused', detail: `${said.join(' ')} Nothing was signed.` };
}
