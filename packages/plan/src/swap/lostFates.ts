import { lastStep } from '../book/payoutTurn.ts';
import { withoutFatesOf } from '../plan/submissions.ts';
import { swapStep, withStep } from '../plan/steps.ts';
import type { Hash, StepId } from '../terms/scalars.ts';
import type { MinedTransaction, Plan, Submission } from '../plan/types.ts';

/** A mined transaction by which a step knows that a submitted one will do nothing. */
export type FateProof = MinedTransaction & { readonly stepId: StepId };

/**
 * The mined transactions by which a plan knows that submitted ones will do nothing, each once for a step. When a reorganisation takes
 * one back, those that it had replaced may be mined after all.
 *
 * @example
 * ```ts
 * import { fateProofs, type Plan } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * const blocks = fateProofs(plan).map(({ blockNumber }) => blockNumber);
 * ```
 */
export function fateProofs(plan: Plan): readonly FateProof[] {
  const { stepId, attempts } = swapStep(plan);
  const swaps = proofsIn(
    stepId,
    attempts.flatMap(({ submissions = [] }) => submissions),
  );
  const last = lastStep(plan);
  return [...swaps, ...proofsIn(last.stepId, last.payout?.submissions ?? [])];
}

function proofsIn(stepId: StepId, submissions: readonly Submission[]): readonly FateProof[] {
  const shown = submissions.flatMap(({ shownBy }) => shownBy ?? []);
  return [...new Map(shown.map((each) => [each.txHash, { ...each, stepId }])).values()];
}

/** The plan whose submitted transactions wait again that a transaction had replaced, which the chain has no longer. */
export function withoutFatesBy(plan: Plan, txHash: Hash): Plan {
  if (!fateProofs(plan).some((each) => each.txHash === txHash)) return plan;
  const swap = swapStep(plan);
  const attempts = swap.attempts.map((attempt) =>
    attempt.submissions === undefined
      ? attempt
      : { ...attempt, submissions: withoutFatesOf(attempt.submissions, txHash) },
  );
  const next = withStep(plan, { ...swap, attempts });
  const last = lastStep(next);
  const { payout } = last;
  if (payout?.submissions === undefined) return next;
  const submissions = withoutFatesOf(payout.submissions, txHash);
  return withStep(next, { ...last, payout: { ...payout, submissions } });
}
