import { lastStep } from './book/payoutTurn.ts';
import { onPlanApproved } from './plan/approvalRules.ts';
import { onPaymentRepeated, withoutRepeated } from './payout/repeatedPayment.ts';
import { onPlanEnded } from './ending/closing.ts';
import {
  expireLink,
  linkEndsAtMs,
  onCollectSubmitted,
  onLinkMade,
  onLinkMailed,
  onLinkOpened,
  onLinkRequested,
} from './collect/rules.ts';
import { onDeliveryEvidenceLost, onDeliveryReported } from './payout/deliveryRules.ts';
import { awaitedAgain, withLostDeposits, withoutLost } from './deposit/lostDeposits.ts';
import { expireDeposit, expiresByTime, onDepositReported, withDeposit } from './deposit/rules.ts';
import { changesBetween } from './plan/changes.ts';
import { withKnownReference } from './plan/providerReferences.ts';
import type { CommandOf, PlanCommand, Refusal, Ruling } from './plan/commands.ts';
import { evolve, type PlanEvent } from './evolve.ts';
import { withoutFatesBy } from './swap/lostFates.ts';
import { onExecutionFound } from './swap/executionRules.ts';
import {
  onExecutionEnded,
  onExecutionSubmitted,
  refuseWhilePending,
  withoutPendingTransactions,
} from './swap/pendingTransactions.ts';
import { onPayoutHeld, withoutEndedHold } from './payout/holdRules.ts';
import { onPayoutSubmissionEnded, onPayoutSubmitted, withoutEndedPayouts } from './payout/pendingPayouts.ts';
import { withLostParts } from './payout/lostParts.ts';
import { onNativeSeen } from './ending/nativeRules.ts';
import { onRecipientReplaced, onReturnRetried } from './returns/payAgain.ts';
import { onPayoutReported } from './payout/reports.ts';
import { onPayoutDone, onPayoutEvidenceLost, onPayoutFailed, onPayoutReturned } from './payout/rules.ts';
import {
  changed,
  collectStep,
  dueSentence,
  evidenceOf,
  isReturned,
  notOfThisStep,
  notReady,
  refused,
  stepOf,
  swapStep,
  unchanged,
  without,
  withStep,
} from './plan/steps.ts';
import { ADDRESS_LOST } from './next/depositActions.ts';
import { holdsAddress } from './next/planStatus.ts';
import { decidedBefore, refuseFailure, refuseOutcome } from './reportRules.ts';
import { onRefundRecorded } from './ending/refundRules.ts';
import { onRecordRead, withoutTransfers, withReversals } from './deposit/recordRules.ts';
import type { TimeMs } from './terms/scalars.ts';
import { onInstructed, onSwapEvidenceLost, onSwapFailed, refuseAnotherAttempt } from './swap/rules.ts';
import type { Plan } from './plan/types.ts';

/**
 * What a command leads to. UNCHANGED: it is known already, and nothing is recorded. `plan` is what `evolve` makes of the
 * event.
 */
export type Decision =
  | { readonly ok: true; readonly outcome: 'CHANGED'; readonly event: PlanEvent; readonly plan: Plan }
  | { readonly ok: true; readonly outcome: 'UNCHANGED'; readonly plan: Plan }
  | { readonly ok: false; readonly refusal: Refusal };

/**
 * Decides what a command does to a plan. It holds every rule, and is pure and total: every command at every plan has an
 * outcome. The same command at the same time always has the same one. Each event raises the revision by one.
 *
 * @example
 * ```ts
 * import { decide, type Plan } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * const decision = decide(plan, { type: 'PLAN_ENDED', force: false }, 1_700_000_000_000);
 * if (!decision.ok) console.log(decision.refusal.reason); // 'REASON_MISSING' once money has moved
 * else console.log(decision.outcome, decision.plan.ended?.reason); // 'CHANGED', 'CANCELLED'
 * ```
 */
export function decide(plan: Plan, given: PlanCommand, atMs: TimeMs): Decision {
  const command = withKnownReference(plan, given);
  const ruling = ruled(plan, command, atMs);
  if (!ruling.ok || ruling.outcome === 'UNCHANGED')
    return ruling.ok ? { ok: true, outcome: 'UNCHANGED', plan } : ruling;
  const event = { command, changes: changesBetween(plan, ruling.plan) };
  return { ok: true, outcome: 'CHANGED', event, plan: evolve(plan, event) };
}

function ruled(plan: Plan, command: PlanCommand, atMs: TimeMs): Ruling {
  if ('stepId' in command && stepOf(plan, command.stepId) === undefined)
    return refused({ reason: 'STEP_UNKNOWN' });
  const ruling = decidedBefore(plan, command) ?? outcomeOf(plan, command, atMs);
  // If the payment is recorded as made, that refusal says what to do. The plan alone would only say that nothing is
  // due.
  if (!ruling.ok) return refuseFailure(plan, command) ?? ruling;
  if (ruling.outcome === 'UNCHANGED') return ruling;
  const ready = withReadyTime(plan, ruling.plan, atMs);
  const paid = withLostParts(plan, withoutEndedPayouts(withoutEndedHold(ready, command), command), command);
  const next = withLostDeposits(plan, paid, command, atMs);
  const updatedAtMs = Math.max(atMs, plan.updatedAtMs);
  const after = { ...next, revision: plan.revision + 1, updatedAtMs };
  return refuseOutcome(plan, command, after) ?? changed(after);
}

function outcomeOf(plan: Plan, command: PlanCommand, atMs: TimeMs): Ruling {
  switch (command.type) {
    case 'RECORD_READ':
      return onRecordRead(plan, command, atMs);
    case 'DEPOSIT_REPORTED':
      return onDepositReported(plan, command, atMs);
    case 'DEPOSIT_ADDRESS_LOST':
      return holdsAddress(plan) ? changed({ ...plan, addressLostFrom: command.fromBlock }) : unchanged(plan);
    case 'INSTRUCTED':
      return onInstructed(plan, command, atMs);
    case 'SWAP_FAILED':
      return onSwapFailed(plan, command);
    case 'PAYOUT_DONE':
      return onPayoutDone(plan, command, atMs);
    case 'PAYOUT_REPORTED':
      return onPayoutReported(plan, command, atMs);
    case 'PAYOUT_FAILED':
      return onPayoutFailed(plan, command, atMs);
    case 'PAYOUT_RETURNED':
      return onPayoutReturned(plan, command, atMs);
    case 'PAYOUT_HELD':
      return onPayoutHeld(plan, command, atMs);
    case 'LINK_MADE':
    case 'LINK_MAILED':
    case 'LINK_OPENED':
    case 'LINK_REQUESTED':
    case 'COLLECT_SUBMITTED':
      return outcomeOfLink(plan, command, atMs);
    case 'DELIVERY_REPORTED':
      return onDeliveryReported(plan, command, atMs);
    case 'EVIDENCE_LOST':
      return onEvidenceLost(plan, command, atMs);
    case 'EXECUTION_FOUND':
      return onExecutionFound(plan, command, atMs);
    case 'EXECUTION_SUBMITTED':
      return onSubmitted(plan, command, atMs);
    case 'EXECUTION_ENDED':
      return onEnded(plan, command);
    case 'STEP_RETRIED':
      return onStepRetried(plan, command, atMs);
    case 'RECIPIENT_REPLACED':
      return onRecipientReplaced(plan, command);
    case 'PAYMENT_REPEATED':
      return onPaymentRepeated(plan, command, atMs);
    case 'NATIVE_SEEN':
      return onNativeSeen(plan, command, atMs);
    case 'REFUND_RECORDED':
      return onRefundRecorded(plan, command, atMs);
    case 'PLAN_APPROVED':
      return onPlanApproved(plan, command, atMs);
    case 'PLAN_ENDED':
      return onPlanEnded(plan, command, atMs);
    case 'TIME_PASSED':
      return onTimePassed(plan, atMs);
    case 'RECIPIENT_REVEALED':
      return changed(plan);
  }
}

function onSubmitted(plan: Plan, command: CommandOf<'EXECUTION_SUBMITTED'>, atMs: TimeMs): Ruling {
  return isOfPayout(plan, command)
    ? onPayoutSubmitted(plan, command, atMs)
    : onExecutionSubmitted(plan, command, atMs);
}

function onEnded(plan: Plan, command: CommandOf<'EXECUTION_ENDED'>): Ruling {
  return isOfPayout(plan, command) ? onPayoutSubmissionEnded(plan, command) : onExecutionEnded(plan, command);
}

/** A transaction without an attempt pays the recipient; any other one swaps. */
function isOfPayout(
  plan: Plan,
  { position, stepId }: CommandOf<'EXECUTION_SUBMITTED' | 'EXECUTION_ENDED'>,
): boolean {
  return position === undefined && lastStep(plan).stepId === stepId;
}

type LinkCommand = CommandOf<
  'LINK_MADE' | 'LINK_MAILED' | 'LINK_OPENED' | 'LINK_REQUESTED' | 'COLLECT_SUBMITTED'
>;

function outcomeOfLink(plan: Plan, command: LinkCommand, atMs: TimeMs): Ruling {
  switch (command.type) {
    case 'LINK_MADE':
      return onLinkMade(plan, command, atMs);
    case 'LINK_MAILED':
      return onLinkMailed(plan, command);
    case 'LINK_OPENED':
      return onLinkOpened(plan, command, atMs);
    case 'LINK_REQUESTED':
      return onLinkRequested(plan, command, atMs);
    case 'COLLECT_SUBMITTED':
      return onCollectSubmitted(plan, command, atMs);
  }
}

function onEvidenceLost(plan: Plan, command: CommandOf<'EVIDENCE_LOST'>, atMs: TimeMs): Ruling {
  // The transactions that it had replaced may be mined after all.
  const freed = command.cause === 'REORGANISED' ? withoutFatesBy(plan, command.txHash) : plan;
  const ruling =
    command.gone === undefined
      ? withoutEvidence(freed, command, atMs)
      : onTransfersGone(freed, command, atMs);
  const isKnown = ruling.ok && ruling.outcome === 'UNCHANGED';
  return isKnown && freed !== plan ? changed(freed) : ruling;
}

function withoutEvidence(plan: Plan, { stepId, txHash }: CommandOf<'EVIDENCE_LOST'>, atMs: TimeMs): Ruling {
  const step = stepOf(plan, stepId);
  if (step === undefined || step.type === 'AWAIT_DEPOSIT') return notOfThisStep(plan, stepId);
  const evidence = evidenceOf(step);
  if (evidence?.txHash !== txHash || evidence.status === 'LOST') return unchanged(plan);
  if (step.type === 'EXECUTE_SWAP') return changed(onSwapEvidenceLost(plan, atMs));
  const alone = withoutRepeated(plan, atMs);
  if (step.type === 'CUSTODIAN_PAYOUT') return changed(onPayoutEvidenceLost(alone, step, atMs));
  return changed(onDeliveryEvidenceLost(alone, step, atMs));
}

function onStepRetried(plan: Plan, command: CommandOf<'STEP_RETRIED'>, atMs: TimeMs): Ruling {
  const { stepId, force, endToEndId } = command;
  const step = stepOf(plan, stepId);
  if (step?.type === 'AWAIT_DEPOSIT' && plan.addressLostFrom !== undefined)
    return notReady(plan, ADDRESS_LOST);
  const isClosed = plan.ended !== undefined && plan.closed !== undefined;
  if (plan.ended?.reason === 'CANCELLED' || isClosed) return notReady(plan, dueSentence(plan));
  if (step?.type === 'CUSTODIAN_PAYOUT' && endToEndId !== undefined && isReturned(plan))
    return onReturnRetried(plan, step, endToEndId);
  if (step?.status !== 'FAILED')
    return notReady(
      plan,
      `Nothing failed, ended or came back, so nothing can be done once more. ${dueSentence(plan)}`,
    );
  if (step.type === 'AWAIT_DEPOSIT') {
    const revived = { ...without(plan, 'ended'), expiresAtMs: atMs + plan.lifeMs };
    return changed(withDeposit(revived));
  }
  if (step.type === 'SEND_DIGITAL_COLLECT')
    return notReady(plan, 'The recipient needs another link: send POST …/again.');
  if (step.type !== 'EXECUTE_SWAP')
    return changed(withStep(plan, { ...without(step, 'failure', 'verification'), status: 'READY' }));
  const refusal = refuseAnotherAttempt(step, atMs) ?? (force ? undefined : refuseWhilePending(plan));
  if (refusal !== undefined) return refusal;
  const freed = force ? withoutPendingTransactions(plan) : plan;
  const again = { ...without(swapStep(freed), 'failure', 'verification'), status: 'READY' as const };
  return changed(withStep(freed, again));
}

function onTimePassed(plan: Plan, atMs: TimeMs): Ruling {
  if (expiresByTime(plan, atMs)) return changed(expireDeposit(plan, atMs));
  if (atMs >= (awaitedAgain(plan)?.untilMs ?? Infinity)) return changed(withoutLost(plan));
  const step = collectStep(plan);
  if (step?.link === undefined || atMs < (linkEndsAtMs(plan) ?? Infinity)) return unchanged(plan);
  return changed(expireLink(plan, step, step.link));
}

/**
 * Takes back what a block brought that is no longer on the chain, in the ledger and in the step that it counted for.
 */
function onTransfersGone(plan: Plan, command: CommandOf<'EVIDENCE_LOST'>, atMs: TimeMs): Ruling {
  const { stepId, txHash, gone = [] } = command;
  const reversed = withReversals(plan, stepId, gone, atMs);
  const step = stepOf(reversed, stepId);
  if (step?.type === 'AWAIT_DEPOSIT') {
    return reversed === plan ? unchanged(plan) : changed(withoutTransfers(plan, reversed));
  }
  const evidence = step && evidenceOf(step);
  const isGone = gone.some(({ blockHash }) => blockHash === evidence?.blockHash);
  if (isGone && evidence?.txHash === txHash && evidence.status !== 'LOST')
    return withoutEvidence(reversed, command, atMs);
  return reversed === plan ? unchanged(plan) : changed(reversed);
}

/** Records when the last step became due: the deadlines of custodians and recipients count from then. */
function withReadyTime(before: Plan, after: Plan, atMs: TimeMs): Plan {
  const last = lastStep(after);
  if (last.status !== 'READY' || lastStep(before).status !== 'PENDING') return after;
  return withStep(after, { ...last, readyAtMs: atMs });
}
