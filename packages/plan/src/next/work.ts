import { depositOf } from '../book/deposit.ts';
import { awaitedAgain, awaitedRefunds } from '../deposit/lostTransactions.ts';
import { isLess } from '../terms/amount.ts';
import { linkEndsAtMs, owedLink } from '../collect/rules.ts';
import { depositStep, standingEvidence, swapStep } from '../plan/steps.ts';
import type { Hash, TimeMs } from '../terms/scalars.ts';
import { owesInstructions } from '../swap/rules.ts';
import type { Plan } from '../plan/types.ts';

/**
 * What the service itself has to do for a plan: something that it owes now, or something at a time. A plan has at most
 * one.
 */
export type Work =
  | { readonly kind: 'DERIVE_INSTRUCTIONS' | 'SEND_LINK' }
  | { readonly kind: 'PASS_TIME'; readonly atMs: TimeMs };

/**
 * The work that a plan leaves to the service; undefined when there is none.
 *
 * @example
 * ```ts
 * import { type Plan, workOf } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * const work = workOf(plan);
 * if (work?.kind === 'PASS_TIME') console.log(new Date(work.atMs)); // when the plan or its link expires
 * ```
 */
export function workOf(plan: Plan): Work | undefined {
  const refunds = awaitedRefunds(plan);
  const work = workBeside(plan);
  if (refunds === undefined) return work;
  // Until then nothing is derived or asked for with the money that may have gone back.
  const atMs = work?.kind === 'PASS_TIME' ? Math.min(work.atMs, refunds.untilMs) : refunds.untilMs;
  return { kind: 'PASS_TIME', atMs };
}

/** The work of a plan, whether or not a refund of it is lost. */
function workBeside(plan: Plan): Work | undefined {
  if (plan.ended !== undefined) return undefined;
  if (owesInstructions(plan)) return { kind: 'DERIVE_INSTRUCTIONS' };
  const deposit = depositStep(plan);
  if (deposit.status !== 'DONE' && deposit.status !== 'FAILED')
    return isLess(depositOf(plan).received, deposit.expected)
      ? { kind: 'PASS_TIME', atMs: Math.min(plan.expiresAtMs, awaitedAgain(plan)?.untilMs ?? Infinity) }
      : undefined;
  if (owedLink(plan) !== undefined) return { kind: 'SEND_LINK' };
  const endsAtMs = linkEndsAtMs(plan);
  return endsAtMs === undefined ? undefined : { kind: 'PASS_TIME', atMs: endsAtMs };
}

/**
 * The transactions of the swap that must be watched. It is the one that executed it or, after a reorganisation, those
 * that were taken back and may be mined again.
 *
 * @example
 * ```ts
 * import { type Plan, swapTransactions } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * for (const txHash of swapTransactions(plan)) console.log(`look for ${txHash}`);
 * ```
 */
export function swapTransactions(plan: Plan): readonly Hash[] {
  const swap = swapStep(plan);
  const evidence = standingEvidence(swap);
  if (evidence !== undefined) return [evidence.txHash];
  const lost = swap.attempts.filter(({ outcome }) => outcome === 'LOST').map(({ txHash }) => txHash);
  return [...new Set(lost)].filter((txHash) => txHash !== undefined);
}
