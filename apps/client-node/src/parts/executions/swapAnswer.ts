import type { ProblemFacts } from '@fairway/api';
import type { Asked, Refusal } from '@fairway/policies';
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

/**
 * The problem of a limit that the market does not keep: the service says so itself, in its quote. Undefined where something
 * else is wrong, too.
 */
export function limitProblem(
  { quote }: SwapPlan,
  { limit }: Asked,
  refusals: readonly Refusal[],
): ProblemFacts | undefined {
  if (refusals.length !== 1 || refusals[0]?.code !== 'ANSWER_LIMIT') return undefined;
  const { limits } = Object(quote.route) as { limits?: unknown };
  const said = (name: string, from: unknown): bigint | undefined => {
    const text = (Object(from) as Readonly<Record<string, unknown>>)[name];
    return typeof text === 'string' && /^\d{1,78}$/.test(text) ? BigInt(text) : undefined;
  };
  const [side, name, may] =
    'minAmountOut' in limit
      ? (['amountOut', 'minAmountOut', 'pay as little as'] as const)
      : (['amountIn', 'maxAmountIn', 'take as much as'] as const);
  const [least, asked] = [said(name, limits), BigInt(Object.values(limit)[0] ?? 0)];
  if (least === undefined || (name === 'minAmountOut' ? least >= asked : least <= asked)) return undefined;
  const quoted = said(side, quote) ?? 'not known';
  const detail = `The quote is ${quoted}. After its slippage the swap may ${may} ${least}; your ${name} is ${asked}. Nothing was signed.`;
  return { code: 'limit-not-met', detail };
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
