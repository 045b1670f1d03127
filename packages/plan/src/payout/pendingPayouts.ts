import { type CommandOf, isGivenUp, type PlanCommand, type Ruling } from '../plan/commands.ts';
import { changed, dueSentence, notReady, unchanged } from '../plan/rulings.ts';
import { minedAs, transfersOf } from '../book/ledger.ts';
import { isOfNonce, onFate, onSubmission, type Submissions } from '../plan/submissions.ts';
import { begunTurn } from '../book/payoutTurn.ts';
import { evidenceOf, lastStep, payingState, standingEvidence, swapStep, withStep } from '../plan/steps.ts';
import type { TimeMs } from '../terms/scalars.ts';
import type { Plan, Submission } from '../plan/types.ts';
import { type Amount, ZERO } from '../terms/amount.ts';
import { awaitedRefunds } from '../deposit/lostTransactions.ts';
import { needsApproval } from '../plan/approvalRules.ts';
import { lostPartsOf } from './lostParts.ts';
import { amountToPayOf } from '../book/payout.ts';
import { unexplainedDeposits } from '../deposit/sentBack.ts';

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
  const evidence = standingEvidence(step);
  const paid = new Set(transfersOf(plan, 'PAYOUT').map(({ txHash }) => txHash));
  return submissions.filter(
    (each) =>
      each.fate === undefined &&
      !paid.has(each.txHash) &&
      (evidence === undefined || !isOfNonce(evidence, each)),
  );
}

/** Records that a transaction which pays the recipient waits to be mined. It pays nothing before it is mined. */
export function onPayoutSubmitted(plan: Plan, command: Submitted, atMs: TimeMs): Ruling {
  const step = lastStep(plan);
  if (plan.ended !== undefined || payingState(step) !== 'DUE') return notReady(plan, dueSentence(plan));
  return onSubmission(submissionsOf(plan), command, atMs);
}

function submissionsOf(plan: Plan): Submissions {
  const turn = begunTurn(plan);
  return {
    plan,
    submissions: turn.submissions ?? [],
    withSubmissions: (submissions) => withStep(plan, { ...lastStep(plan), payout: { ...turn, submissions } }),
  };
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
  const ruling = onFate(submissionsOf(plan), command);
  return isLost && !(ruling.ok && ruling.outcome === 'CHANGED') ? changed(plan) : ruling;
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

/**
 * What the custodian may pay now. It is nothing before the swap is final and the payment approved, and after the payment
 * failed. It is nothing while a transaction that had paid all or a part is lost: it may be mined again. It is nothing while
 * one that pays waits to be mined, or while the money may have come to the deposit address.
 *
 * @example
 * ```ts
 * import { payableNow, type Plan } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * const units = BigInt(payableNow(plan));
 * ```
 */
export function payableNow(plan: Plan): Amount {
  const step = lastStep(plan);
  if (payingState(step) !== 'DUE' || needsApproval(plan)) return ZERO;
  if (unexplainedDeposits(plan).length > 0 || awaitedRefunds(plan) !== undefined) return ZERO;
  // What a recipient has chosen stays due while the swap is lost, and while it is confirmed anew.
  if (swapStep(plan).evidence?.status !== 'FINAL') return ZERO;
  const isLost = evidenceOf(step)?.status === 'LOST' || lostPartsOf(plan).length > 0;
  return isLost || pendingPayoutsOf(plan).length > 0 ? ZERO : amountToPayOf(plan);
}
