import { type CheckedSwap, checkSwap, type Order, UnsafeAnswerError } from '@fairway/sdk/checks';
import { limitRefusals, limitsOf, type Spending, spendingOf } from './limits.ts';
import type { ChainPolicy, Policy } from './policy.ts';
import type { Known, Proposal } from './proposal.ts';
import type { Refusal } from './refusal.ts';
import { RULES, SPENDING_RULES } from './rules.ts';
import { checkTopUp, isTopUp } from './topUps.ts';

/** Allowed calls with what they spend, or all that refuses them. */
export type Judgement =
  | { readonly allowed: true; readonly checked: CheckedSwap; readonly spending: Spending }
  | { readonly allowed: false; readonly refusals: readonly Refusal[] };

/**
 * Judges what is about to be signed. First the calls are taken apart: they must do what was asked for, and nothing else.
 * Then each rule of the policy looks at it. It refuses all that is not understood, not named or not known.
 *
 * @example
 * ```ts
 * import { judge, type Known, type Policy, type Proposal } from '@fairway/policies';
 *
 * declare const policy: Policy;
 * declare const proposal: Proposal;
 * declare const known: Known;
 * const judgement = judge(policy, proposal, known);
 * const text = judgement.allowed ? 'sign' : judgement.refusals.map(({ code }) => code).join(); // 'ANSWER_RECIPIENT'
 * ```
 */
export function judge(policy: Policy, { asked, calls }: Proposal, known: Known): Judgement {
  const chain = policy.chains.find(({ chainId }) => chainId === asked.chainId);
  if (chain === undefined)
    return refused({
      ...{ code: 'CHAIN_NOT_ALLOWED', rule: 'chains' },
      detail: `The policy names nothing for chain ${asked.chainId}.`,
    });
  const router = chain.routers.find((each) => each === calls.at(-1)?.to.toLowerCase());
  const checked = check(chain, router, { asked, calls }, known.nowSeconds);
  if ('code' in checked) return refused(checked);
  const scene = { chain, asked, checked, isSwap: router !== undefined, known };
  const spending = spendingOf(asked, checked.taken);
  const refusals = [
    ...[...(isTopUp(asked) ? [] : SPENDING_RULES), ...RULES].flatMap((rule) => rule(scene) ?? []),
    ...limitRefusals(limitsOf(policy, asked), known.usage, spending.amount),
  ];
  return refusals.length > 0 ? { allowed: false, refusals } : { allowed: true, checked, spending };
}

function refused(refusal: Refusal): Judgement {
  return { allowed: false, refusals: [refusal] };
}

/** What the calls do, or why they are not what was asked for. */
function check(
  chain: ChainPolicy,
  router: string | undefined,
  { asked, calls }: Proposal,
  nowSeconds: bigint,
): CheckedSwap | Refusal {
  if (isTopUp(asked)) return checkTopUp(chain, { asked, calls });
  const { tag, notAfterSeconds, ...known } = asked;
  const lifeEnds = nowSeconds + BigInt(chain.maxLifeSec);
  if (tag !== undefined && !calls.at(-1)?.data.toLowerCase().endsWith(tag))
    return {
      ...{ code: 'ANSWER_TAG', rule: 'asked' },
      detail: `The last call does not end with the tag of the plan, ${tag}.`,
    };
  const order: Order = {
    ...known,
    // Without an allowed router the calls can only be a transfer or an exchange with the token that wraps.
    router: router ?? '',
    wrappedNative: chain.wrappedNative,
    nowSeconds,
    lastSeconds: notAfterSeconds !== undefined && notAfterSeconds < lifeEnds ? notAfterSeconds : lifeEnds,
    hasTag: tag !== undefined,
  };
  try {
    return checkSwap(calls, order);
  } catch (error) {
    if (!(error instanceof UnsafeAnswerError)) throw error;
    return { code: `ANSWER_${error.reason}`, rule: 'asked', detail: error.message };
  }
}
