import { defined } from '../terms/defined.ts';
import type { Decision, PlanEvent } from '../plan/events.ts';
import { standingMovements } from '../book/ledger.ts';
import { withSubmission } from '../plan/submissions.ts';
import { begunTurn, lastStep, payingState } from '../book/payoutTurn.ts';
import { changed, dueSentence, evidenceOf, notReady, unchanged, withStep } from '../plan/planSteps.ts';
import type { TimeMs } from '../terms/scalars.ts';
import type { Evidence, Plan, Submission } from '../plan/types.ts';

type Submitted = Extract<PlanEvent, { type: 'EXECUTION_SUBMITTED' }>;

/**
 * The transactions to the wallet of a plan's recipient that were told, and that may still be mined. Nobody is to pay in
 * another way meanwhile.
 *
 * @example
 * ```ts
 * import { pendingPayoutsOf, type Plan } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * const hashes = pendingPayoutsOf(plan).map(({ txHash }) => txHash);
 * ```
 */
export function pendingPayoutsOf(plan: Plan): readonly Submission[] {
  const step = lastStep(plan);
  const { submissions = [] } = step?.payout ?? {};
  if (step === undefined || submissions.length === 0) return [];
  const evidence = evidenceOf(step);
  const paid = new Set(
    standingMovements(plan).flatMap(({ kind, transfer }) =>
      kind === 'PAYOUT' ? (transfer?.txHash ?? []) : [],
    ),
  );
  return submissions.filter(
    (each) =>
      each.fate === undefined &&
      !paid.has(each.txHash) &&
      (evidence === undefined || evidence.status === 'LOST' || !isOfNonce(evidence, each)),
  );
}

/** Whether only one of two transactions can be mined, because they are one or have one nonce. */
function isOfNonce(evidence: Evidence, { txHash, sender, nonce }: Submission): boolean {
  return evidence.txHash === txHash || (evidence.sender === sender && evidence.nonce === nonce);
}

/** Records that a transaction which pays the recipient waits to be mined. It pays nothing before it is mined. */
export function onPayoutSubmitted(plan: Plan, event: Submitted, atMs: TimeMs): Decision {
  const step = lastStep(plan);
  if (step === undefined || plan.ended !== undefined || payingState(step) !== 'DUE')
    return notReady(plan, dueSentence(plan));
  const next = withSubmission(step.payout?.submissions ?? [], event, atMs);
  if ('ok' in next) return next.ok ? unchanged(plan) : next;
  return changed(withStep(plan, { ...step, payout: { ...begunTurn(plan, atMs), submissions: next } }));
}

/**
 * The plan after an event that says what became of its payment. The integrator says that one will not be mined by
 * reporting FAILED, or by closing the plan. A final one has replaced those of its nonce.
 */
export function withoutEndedPayouts(plan: Plan, event: PlanEvent): Plan {
  const step = lastStep(plan);
  const { payout } = step ?? {};
  if (step === undefined || payout?.submissions === undefined) return plan;
  const isGivenUp =
    event.type === 'PAYOUT_FAILED' ||
    event.type === 'PLAN_CLOSED' ||
    (event.type === 'DELIVERY_REPORTED' && event.status === 'FAILED');
  const isPaid = event.type === 'PAYOUT_DONE' || event.type === 'DELIVERY_REPORTED';
  const evidence = isPaid && event.evidence?.status === 'FINAL' ? event.evidence : undefined;
  const fateOf = (each: Submission): Submission['fate'] => {
    if (each.fate !== undefined || isGivenUp) return each.fate ?? 'FORCED';
    const isReplaced = evidence !== undefined && evidence.txHash !== each.txHash && isOfNonce(evidence, each);
    return isReplaced ? 'REPLACED' : undefined;
  };
  const submissions = payout.submissions.map((each) => ({ ...each, ...defined({ fate: fateOf(each) }) }));
  return withStep(plan, { ...step, payout: { ...payout, submissions } });
}
