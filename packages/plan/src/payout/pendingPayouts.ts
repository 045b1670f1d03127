import type { CommandOf, PlanCommand, Ruling } from '../plan/commands.ts';
import { transfersOf } from '../book/ledger.ts';
import { isOfNonce, withFate, withSubmission } from '../plan/submissions.ts';
import { begunTurn, lastStep, payingState } from '../book/payoutTurn.ts';
import { changed, dueSentence, evidenceOf, notReady, unchanged, withStep } from '../plan/steps.ts';
import type { TimeMs } from '../terms/scalars.ts';
import type { Evidence, MinedTransaction, Plan, Submission } from '../plan/types.ts';

type Submitted = CommandOf<'EXECUTION_SUBMITTED'>;
type Ended = CommandOf<'EXECUTION_ENDED'>;

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
  const { submissions = [] } = step.payout ?? {};
  if (submissions.length === 0) return [];
  const evidence = evidenceOf(step);
  const paid = new Set(transfersOf(plan, 'PAYOUT').map(({ txHash }) => txHash));
  return submissions.filter(
    (each) =>
      each.fate === undefined &&
      !paid.has(each.txHash) &&
      (evidence === undefined || evidence.status === 'LOST' || !isOfNonce(evidence, each)),
  );
}

/** Records that a transaction which pays the recipient waits to be mined. It pays nothing before it is mined. */
export function onPayoutSubmitted(plan: Plan, command: Submitted, atMs: TimeMs): Ruling {
  const step = lastStep(plan);
  if (plan.ended !== undefined || payingState(step) !== 'DUE') return notReady(plan, dueSentence(plan));
  const next = withSubmission(step.payout?.submissions ?? [], command, atMs);
  if ('ok' in next) return next.ok ? unchanged(plan) : next;
  return changed(withStep(plan, { ...step, payout: { ...begunTurn(plan), submissions: next } }));
}

/** Records that a transaction which was to pay the recipient will not: what it was to pay is due again. */
export function onPayoutSubmissionEnded(plan: Plan, command: Ended): Ruling {
  const step = lastStep(plan);
  if (step.payout === undefined) return notReady(plan, dueSentence(plan));
  const { submissions = [] } = step.payout;
  const isKnown = submissions.some(({ txHash }) => txHash === command.txHash);
  const isPending = pendingPayoutsOf(plan).some(({ txHash }) => txHash === command.txHash);
  // A part that is lost is waited for, whether or not it was told before it was mined.
  const isLost = step.payout.lost?.some(({ txHash }) => txHash === command.txHash) === true;
  if (isKnown && !isPending && !isLost) return unchanged(plan);
  const next = withFate(submissions, command);
  if (!('ok' in next))
    return changed(withStep(plan, { ...step, payout: { ...step.payout, submissions: next } }));
  if (isLost) return changed(plan);
  return next.ok ? unchanged(plan) : next;
}

/**
 * The plan after a command that says what became of its payment. The integrator says that one will not be mined by
 * reporting FAILED, or by closing the plan. A final one has replaced those of its nonce.
 */
export function withoutEndedPayouts(plan: Plan, command: PlanCommand): Plan {
  const step = lastStep(plan);
  const { payout } = step;
  if (payout?.submissions === undefined) return plan;
  const isGone = isGivenUp(command);
  const isPaid = command.type === 'PAYOUT_DONE' || command.type === 'DELIVERY_REPORTED';
  const evidence = isPaid && command.evidence?.status === 'FINAL' ? command.evidence : undefined;
  const submissions = payout.submissions.map((each): Submission => {
    if (each.fate !== undefined) return each;
    if (isGone) return { ...each, fate: 'FORCED' };
    const isReplaced = evidence !== undefined && evidence.txHash !== each.txHash && isOfNonce(evidence, each);
    return isReplaced ? { ...each, fate: 'REPLACED', shownBy: minedAs(evidence) } : each;
  });
  return withStep(plan, { ...step, payout: { ...payout, submissions } });
}

/** Whether a command says that no transaction of the payment will be mined: it has failed, or a person ends the plan. */
export function isGivenUp(command: PlanCommand): boolean {
  return isFailure(command) || (command.type === 'PLAN_ENDED' && command.reason !== undefined);
}

/**
 * Whether a command says that the payment has failed.
 *
 * @example
 * ```ts
 * import { isFailure, type PlanCommand } from '@fairway/plan';
 *
 * declare const command: PlanCommand;
 * const code = isFailure(command) ? command.failure?.code : undefined;
 * ```
 */
export function isFailure(command: PlanCommand): command is CommandOf<'PAYOUT_FAILED' | 'DELIVERY_REPORTED'> {
  return (
    command.type === 'PAYOUT_FAILED' || (command.type === 'DELIVERY_REPORTED' && command.status === 'FAILED')
  );
}

function minedAs({ chainId, txHash, blockNumber, blockHash }: Evidence): MinedTransaction {
  return { chainId, txHash, blockNumber, blockHash };
}
