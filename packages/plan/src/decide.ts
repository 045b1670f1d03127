import { acknowledgementOf } from './book/acknowledgement.ts';
import { ZERO } from './terms/amount.ts';
import { lastStep } from './book/payoutTurn.ts';
import { onPlanApproved } from './plan/approvalRules.ts';
import { onPaymentRepeated, withoutRepeated } from './payout/repeatedPayment.ts';
import { onPlanClosed } from './ending/closing.ts';
import {
  expireLink,
  linkEndsAtMs,
  onCollectSubmitted,
  onLinkMade,
  onLinkMailed,
  onLinkOpened,
  onLinkRequested,
} from './collect/collectRules.ts';
import { onDeliveryEvidenceLost, onDeliveryReported } from './payout/deliveryRules.ts';
import {
  expireDeposit,
  expiresByTime,
  onDepositObserved,
  onDepositReported,
  withDeposit,
} from './deposit/depositRules.ts';
import type { Decision, PlanEvent } from './plan/events.ts';
import { onExecutionFound } from './swap/executionRules.ts';
import {
  onExecutionEnded,
  onExecutionSubmitted,
  refuseWhilePending,
  withoutPendingTransactions,
} from './swap/pendingTransactions.ts';
import { onPayoutHeld, withoutEndedHold } from './payout/holdRules.ts';
import { onPayoutSubmitted, withoutEndedPayouts } from './payout/pendingPayouts.ts';
import { assetsOf } from './terms/money.ts';
import { withLostParts } from './payout/lostParts.ts';
import { onNativeSeen } from './ending/nativeRules.ts';
import { onRecipientReplaced, onReturnRetried } from './returns/payAgain.ts';
import { onPayoutReported } from './payout/payoutReports.ts';
import {
  onPayoutDone,
  onPayoutEvidenceLost,
  onPayoutFailed,
  onPayoutReturned,
} from './payout/payoutRules.ts';
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
} from './plan/planSteps.ts';
import { ADDRESS_LOST } from './next/depositActions.ts';
import { holdsAddress, isCancelable, planStatus } from './next/planStatus.ts';
import { isRecounted, recounted } from './ending/recounting.ts';
import { decidedBefore, refuseFailure, refuseOutcome } from './reportRules.ts';
import { withStepMovements } from './book/stepMovements.ts';
import { onRefundRecorded } from './ending/refundRules.ts';
import {
  onDepositConfirmed,
  onTransfersRecorded,
  withoutTransfers,
  withReversals,
} from './deposit/recordRules.ts';
import type { TimeMs } from './terms/scalars.ts';
import {
  onInstructionsDerived,
  onInstructionsWithheld,
  onSwapEvidenced,
  onSwapEvidenceLost,
  onSwapFailed,
  refuseAnotherAttempt,
} from './swap/swapRules.ts';
import type { Plan } from './plan/types.ts';
import { PLAIN_WORDS } from './terms/words.ts';

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
 * if (!decision.ok) console.log(decision.refusal.reason); // 'REASON_MISSING' once money has moved
 * else console.log(decision.outcome, decision.plan.ended?.reason); // 'CHANGED', 'CANCELLED'
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
      return onSubmitted(plan, event, atMs);
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
      return onPlanCancelled(plan, atMs);
    case 'PLAN_CLOSED':
      return onPlanClosed(plan, event, atMs);
    case 'TIME_PASSED':
      return onTimePassed(plan, atMs);
    case 'RECIPIENT_REVEALED':
      return changed(plan);
  }
}

/** A transaction without an attempt pays the recipient; any other one swaps. */
function onSubmitted(plan: Plan, event: Event<'EXECUTION_SUBMITTED'>, atMs: TimeMs): Decision {
  const isPayout = event.position === undefined && lastStep(plan)?.stepId === event.stepId;
  return isPayout ? onPayoutSubmitted(plan, event, atMs) : onExecutionSubmitted(plan, event, atMs);
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

type LinkEvent = Event<'LINK_MADE' | 'LINK_MAILED' | 'LINK_OPENED' | 'LINK_REQUESTED' | 'COLLECT_SUBMITTED'>;

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
  if (plan.ended?.reason === 'CANCELLED' || isClosed) return notReady(plan, dueSentence(plan));
  if (step?.type === 'CUSTODIAN_PAYOUT' && endToEndId !== undefined && isReturned(plan))
    return onReturnRetried(plan, step, endToEndId, atMs);
  if (step?.status !== 'FAILED')
    return notReady(plan, `Nothing can be done once more now. ${dueSentence(plan)}`);
  if (step.type === 'AWAIT_DEPOSIT') {
    const revived = { ...without(plan, 'ended'), expiresAtMs: atMs + plan.lifeMs };
    return changed(withDeposit(revived, without(step, 'failure')));
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

function onPlanCancelled(plan: Plan, atMs: TimeMs): Decision {
  if (isCancelable(plan)) return changed({ ...plan, ended: { reason: 'CANCELLED', atMs } });
  if (acknowledgementOf(plan).length > 0 && (plan.ended !== undefined || planStatus(plan) === 'COMPLETED'))
    return refused({ reason: 'REASON_MISSING', detail: 'Money is left: say in reason why the plan ends.' });
  if (plan.ended?.reason === 'CANCELLED') return unchanged(plan);
  if (plan.ended !== undefined || planStatus(plan) === 'COMPLETED') return notReady(plan, dueSentence(plan));
  const { received } = depositStep(plan);
  const arrived = PLAIN_WORDS.amount(received, assetsOf(plan).source);
  const moved = received === ZERO ? 'Money has been paid out' : `${arrived} of the deposit has arrived`;
  const detail = `${moved}: say in reason why the plan ends.`;
  return refused({ reason: 'REASON_MISSING', detail });
}

function onTimePassed(plan: Plan, atMs: TimeMs): Decision {
  if (expiresByTime(plan, atMs)) return changed(expireDeposit(plan, atMs));
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
