import { ZERO } from './amount.ts';
import { onPlanApproved } from './approvalRules.ts';
import { onPaymentRepeated, withoutRepeated } from './repeatedPayment.ts';
import { onPlanClosed } from './closing.ts';
import {
  expireLink,
  linkEndsAtMs,
  onCollectCancelled,
  onCollectSubmitted,
  onLinkMade,
  onLinkMailed,
  onLinkOpened,
  onLinkRequested,
} from './collectRules.ts';
import { onDeliveryEvidenceLost, onDeliveryReported } from './deliveryRules.ts';
import {
  expireDeposit,
  expiresByTime,
  onDepositObserved,
  onDepositReported,
  withDeposit,
} from './depositRules.ts';
import type { Decision, PlanEvent } from './events.ts';
import { onExecutionFound } from './executionRules.ts';
import {
  onExecutionEnded,
  onExecutionSubmitted,
  refuseWhilePending,
  withoutPendingTransactions,
} from './pendingTransactions.ts';
import { onPayoutHeld, withoutEndedHold } from './holdRules.ts';
import { withoutEndedPayouts } from './pendingPayouts.ts';
import { assetsOf } from './money.ts';
import { withLostParts } from './lostParts.ts';
import { onNativeSeen } from './nativeRules.ts';
import { onRecipientReplaced, onReturnRetried } from './payAgain.ts';
import { onPayoutReported } from './payoutReports.ts';
import { onPayoutDone, onPayoutEvidenceLost, onPayoutFailed, onPayoutReturned } from './payoutRules.ts';
import {
  changed,
  collectStep,
  depositStep,
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
} from './planSteps.ts';
import { ADDRESS_LOST } from './depositActions.ts';
import { holdsAddress, isCancelable, planStatus } from './planStatus.ts';
import { isRecounted, recounted } from './recounting.ts';
import { decidedBefore, refuseFailure, refuseOutcome } from './reportRules.ts';
import { withStepMovements } from './stepMovements.ts';
import { onRefundRecorded } from './refundRules.ts';
import { onDepositConfirmed, onTransfersRecorded, withoutTransfers, withReversals } from './recordRules.ts';
import type { TimeMs } from './scalars.ts';
import {
  onInstructionsDerived,
  onInstructionsWithheld,
  onSwapEvidenced,
  onSwapEvidenceLost,
  onSwapFailed,
  refuseAnotherAttempt,
} from './swapRules.ts';
import type { Plan } from './types.ts';
import { PLAIN_WORDS } from './words.ts';

/**
 * Decides what an event does to a plan. Pure and total: every event at every plan has an outcome, and the same events
 * at the same times always give the same plan. Each change raises the revision by one.
 *
 * @example
 * ```ts
 * import { decide, type Plan } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * const decision = decide(plan, { type: 'PLAN_CANCELLED' }, 1_700_000_000_000);
 * if (!decision.ok) console.log(decision.refusal.reason); // 'NOT_CANCELABLE' once money has moved
 * else console.log(decision.outcome, decision.plan.ended); // 'CHANGED', 'CANCELLED'
 * ```
 */
export function decide(plan: Plan, event: PlanEvent, atMs: TimeMs): Decision {
  if ('stepId' in event && stepOf(plan, event.stepId) === undefined)
    return refused({ reason: 'STEP_UNKNOWN' });
  const decision = decidedBefore(plan, event) ?? outcomeOf(plan, event, atMs);
  // If the payment is recorded as made, that refusal says what to do. The plan alone would only say that nothing is
  // due.
  if (!decision.ok) return refuseFailure(plan, event) ?? decision;
  if (decision.outcome === 'UNCHANGED') return decision;
  const moved = withStepMovements(withReadyTime(plan, decision.plan, atMs), event, atMs);
  const counted = isRecounted(event) ? recounted(moved, atMs) : moved;
  const next = withLostParts(plan, withoutEndedPayouts(withoutEndedHold(counted, event), event));
  const updatedAtMs = Math.max(atMs, plan.updatedAtMs);
  const after = { ...next, revision: plan.revision + 1, updatedAtMs };
  return refuseOutcome(plan, event, after) ?? changed(after);
}

function outcomeOf(plan: Plan, event: PlanEvent, atMs: TimeMs): Decision {
  switch (event.type) {
    case 'DEPOSIT_OBSERVED':
    case 'DEPOSIT_REPORTED':
    case 'DEPOSIT_CONFIRMED':
    case 'DEPOSIT_ADDRESS_LOST':
      return outcomeOfDeposit(plan, event);
    case 'INSTRUCTIONS_DERIVED':
      return onInstructionsDerived(plan, event, atMs);
    case 'INSTRUCTIONS_WITHHELD':
      return onInstructionsWithheld(plan, event, atMs);
    case 'SWAP_EVIDENCED':
      return onSwapEvidenced(plan, event);
    case 'SWAP_FAILED':
      return onSwapFailed(plan, event);
    case 'PAYOUT_DONE':
      return onPayoutDone(plan, event, atMs);
    case 'PAYOUT_REPORTED':
      return onPayoutReported(plan, event, atMs);
    case 'PAYOUT_FAILED':
      return onPayoutFailed(plan, event, atMs);
    case 'PAYOUT_RETURNED':
      return onPayoutReturned(plan, event, atMs);
    case 'PAYOUT_HELD':
      return onPayoutHeld(plan, event, atMs);
    case 'LINK_MADE':
    case 'LINK_MAILED':
    case 'LINK_OPENED':
    case 'LINK_REQUESTED':
    case 'COLLECT_SUBMITTED':
    case 'COLLECT_CANCELLED':
      return outcomeOfLink(plan, event, atMs);
    case 'DELIVERY_REPORTED':
      return onDeliveryReported(plan, event, atMs);
    case 'EVIDENCE_LOST':
      return onEvidenceLost(plan, event, atMs);
    case 'TRANSFERS_RECORDED':
      return onTransfersRecorded(plan, event, atMs);
    case 'EXECUTION_FOUND':
      return onExecutionFound(plan, event, atMs);
    case 'EXECUTION_SUBMITTED':
      return onExecutionSubmitted(plan, event, atMs);
    case 'EXECUTION_ENDED':
      return onExecutionEnded(plan, event);
    case 'STEP_RETRIED':
      return onStepRetried(plan, event, atMs);
    case 'RECIPIENT_REPLACED':
      return onRecipientReplaced(plan, event, atMs);
    case 'PAYMENT_REPEATED':
      return onPaymentRepeated(plan, event, atMs);
    case 'NATIVE_SEEN':
      return onNativeSeen(plan, event, atMs);
    case 'REFUND_RECORDED':
      return onRefundRecorded(plan, event, atMs);
    case 'PLAN_APPROVED':
      return onPlanApproved(plan, event, atMs);
    case 'PLAN_CANCELLED':
      return onPlanCancelled(plan);
    case 'PLAN_CLOSED':
      return onPlanClosed(plan, event, atMs);
    case 'TIME_PASSED':
      return onTimePassed(plan, atMs);
    case 'RECIPIENT_REVEALED':
      return changed(plan);
  }
}

type DepositEvent = Event<
  'DEPOSIT_OBSERVED' | 'DEPOSIT_REPORTED' | 'DEPOSIT_CONFIRMED' | 'DEPOSIT_ADDRESS_LOST'
>;

function outcomeOfDeposit(plan: Plan, event: DepositEvent): Decision {
  switch (event.type) {
    case 'DEPOSIT_OBSERVED':
      return onDepositObserved(plan, event);
    case 'DEPOSIT_REPORTED':
      return onDepositReported(plan, event);
    case 'DEPOSIT_CONFIRMED':
      return onDepositConfirmed(plan, event);
    case 'DEPOSIT_ADDRESS_LOST':
      return holdsAddress(plan) ? changed({ ...plan, addressLostFrom: event.fromBlock }) : unchanged(plan);
  }
}

type LinkEvent = Event<
  'LINK_MADE' | 'LINK_MAILED' | 'LINK_OPENED' | 'LINK_REQUESTED' | 'COLLECT_SUBMITTED' | 'COLLECT_CANCELLED'
>;

function outcomeOfLink(plan: Plan, event: LinkEvent, atMs: TimeMs): Decision {
  switch (event.type) {
    case 'LINK_MADE':
      return onLinkMade(plan, event, atMs);
    case 'LINK_MAILED':
      return onLinkMailed(plan, event);
    case 'LINK_OPENED':
      return onLinkOpened(plan, event, atMs);
    case 'LINK_REQUESTED':
      return onLinkRequested(plan, event, atMs);
    case 'COLLECT_SUBMITTED':
      return onCollectSubmitted(plan, event, atMs);
    case 'COLLECT_CANCELLED':
      return onCollectCancelled(plan, event);
  }
}

type Event<Type extends PlanEvent['type']> = Extract<PlanEvent, { type: Type }>;

function onEvidenceLost(plan: Plan, event: Event<'EVIDENCE_LOST'>, atMs: TimeMs): Decision {
  return event.gone === undefined ? withoutEvidence(plan, event, atMs) : onTransfersGone(plan, event, atMs);
}

function withoutEvidence(plan: Plan, { stepId, txHash }: Event<'EVIDENCE_LOST'>, atMs: TimeMs): Decision {
  const step = stepOf(plan, stepId);
  if (step === undefined || step.type === 'AWAIT_DEPOSIT') return notOfThisStep(plan, stepId);
  const evidence = evidenceOf(step);
  if (evidence?.txHash !== txHash || evidence.status === 'LOST') return unchanged(plan);
  if (step.type === 'EXECUTE_SWAP') return changed(onSwapEvidenceLost(plan, step));
  const alone = withoutRepeated(plan, atMs);
  if (step.type === 'CUSTODIAN_PAYOUT') return changed(onPayoutEvidenceLost(alone, step));
  return changed(onDeliveryEvidenceLost(alone, step));
}

function onStepRetried(plan: Plan, event: Event<'STEP_RETRIED'>, atMs: TimeMs): Decision {
  const { stepId, force, endToEndId } = event;
  const step = stepOf(plan, stepId);
  if (step?.type === 'AWAIT_DEPOSIT' && plan.addressLostFrom !== undefined)
    return notReady(plan, ADDRESS_LOST);
  const isClosed = plan.ended !== undefined && plan.closed !== undefined;
  if (plan.ended === 'CANCELLED' || isClosed) return notReady(plan, dueSentence(plan));
  if (step?.type === 'CUSTODIAN_PAYOUT' && endToEndId !== undefined && isReturned(plan))
    return onReturnRetried(plan, step, endToEndId, atMs);
  if (step?.status !== 'FAILED')
    return notReady(plan, `Only a step that FAILED can be retried. ${dueSentence(plan)}`);
  if (step.type === 'AWAIT_DEPOSIT') {
    const revived = { ...without(plan, 'ended'), expiresAtMs: atMs + plan.lifeMs };
    return changed(withDeposit(revived, without(step, 'failure')));
  }
  if (step.type === 'SEND_DIGITAL_COLLECT')
    return notReady(plan, 'A collect link that ended is replaced by a new one, not retried.');
  if (step.type !== 'EXECUTE_SWAP')
    return changed(withStep(plan, { ...without(step, 'failure', 'verification'), status: 'READY' }));
  const refusal = refuseAnotherAttempt(step, atMs) ?? (force ? undefined : refuseWhilePending(plan));
  if (refusal !== undefined) return refusal;
  const freed = force ? withoutPendingTransactions(plan) : plan;
  const again = { ...without(swapStep(freed), 'failure', 'verification'), status: 'READY' as const };
  return changed(withStep(freed, again));
}

function onPlanCancelled(plan: Plan): Decision {
  if (plan.ended === 'CANCELLED') return unchanged(plan);
  if (isCancelable(plan)) return changed({ ...plan, ended: 'CANCELLED' });
  const status = planStatus(plan);
  const { received } = depositStep(plan);
  const arrived = PLAIN_WORDS.amount(received, assetsOf(plan).source);
  const moved = received === ZERO ? 'Money has been paid out' : `${arrived} of the deposit has arrived`;
  const detail =
    plan.ended === undefined
      ? `${moved}; a plan can be cancelled while no money has moved.`
      : `The plan is ${status}; there is nothing to cancel.`;
  return refused({ reason: 'NOT_CANCELABLE', status, detail });
}

function onTimePassed(plan: Plan, atMs: TimeMs): Decision {
  if (expiresByTime(plan, atMs)) return changed(expireDeposit(plan));
  const step = collectStep(plan);
  if (step?.link === undefined || atMs < (linkEndsAtMs(plan) ?? Infinity)) return unchanged(plan);
  return changed(expireLink(plan, step, step.link));
}

/**
 * Takes back what a block brought that is no longer on the chain, in the ledger and in the step that it counted for.
 */
function onTransfersGone(plan: Plan, event: Event<'EVIDENCE_LOST'>, atMs: TimeMs): Decision {
  const { stepId, txHash, gone = [] } = event;
  const reversed = withReversals(plan, stepId, gone, atMs);
  const step = stepOf(reversed, stepId);
  if (step?.type === 'AWAIT_DEPOSIT') {
    const left = withoutTransfers(reversed, step, gone);
    return left === plan ? unchanged(plan) : changed(left);
  }
  const evidence = step && evidenceOf(step);
  const isGone = gone.some(({ blockHash }) => blockHash === evidence?.blockHash);
  if (isGone && evidence?.txHash === txHash && evidence.status !== 'LOST')
    return withoutEvidence(reversed, event, atMs);
  return reversed === plan ? unchanged(plan) : changed(reversed);
}

/** Records when the last step became due: the deadlines of custodians and recipients count from then. */
function withReadyTime(before: Plan, after: Plan, atMs: TimeMs): Plan {
  const last = after.steps.at(-1);
  if (last?.status !== 'READY' || before.steps.at(-1)?.status !== 'PENDING') return after;
  if (last.type !== 'CUSTODIAN_PAYOUT' && last.type !== 'SEND_DIGITAL_COLLECT') return after;
  return withStep(after, { ...last, readyAtMs: atMs });
}
