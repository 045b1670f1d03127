import { isLess } from './amount.ts';
import { linkEndsAtMs, owedLink } from './collectRules.ts';
import { depositStep, swapStep } from './planSteps.ts';
import type { Hash, TimeMs } from './scalars.ts';
import { owesInstructions } from './swapRules.ts';
import type { Plan } from './types.ts';

/** What the service itself has to do for a plan: at once what it owes, and at its time what time brings. One job each. */
export type Work =
  | { readonly kind: 'DERIVE_INSTRUCTIONS' | 'SEND_LINK' }
  | { readonly kind: 'PASS_TIME'; readonly atMs: TimeMs };

/** The work a plan leaves to the service; undefined when there is none. */
export function workOf(plan: Plan): Work | undefined {
  if (plan.ended !== undefined) return undefined;
  if (owesInstructions(plan)) return { kind: 'DERIVE_INSTRUCTIONS' };
  const deposit = depositStep(plan);
  if (deposit.status !== 'DONE' && deposit.status !== 'FAILED')
    return isLess(deposit.received, deposit.expected)
      ? { kind: 'PASS_TIME', atMs: plan.expiresAtMs }
      : undefined;
  if (owedLink(plan) !== undefined) return { kind: 'SEND_LINK' };
  const endsAtMs = linkEndsAtMs(plan);
  return endsAtMs === undefined ? undefined : { kind: 'PASS_TIME', atMs: endsAtMs };
}

/** Transactions whose fate moves the plan: the one being confirmed or done, else those taken back and perhaps mined again. */
export function swapTransactions(plan: Plan): readonly Hash[] {
  const { evidence, attempts } = swapStep(plan);
  if (evidence !== undefined && evidence.status !== 'LOST') return [evidence.txHash];
  const lost = attempts.filter(({ outcome }) => outcome === 'LOST').map(({ txHash }) => txHash);
  return [...new Set(lost)].filter((txHash) => txHash !== undefined);
}
