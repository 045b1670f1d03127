import { changed, dueSentence, notOfThisStep, notReady, refused, unchanged } from './plan/rulings.ts';
import type { CommandOf, PlanCommand, PlanCommandType, Refusal, Ruling } from './plan/commands.ts';
import {
  collectStep,
  evidenceOf,
  isReturned,
  lastStep,
  stepOf,
  swapStep,
  without,
  withStep,
} from './plan/steps.ts';
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
import {
  awaitedAgain,
  awaitedRefunds,
  withLostTransactions,
  withoutLost,
} from './deposit/lostTransactions.ts';
import { expireDeposit, expiresByTime, onDepositReported, withDeposit } from './deposit/rules.ts';
import { changesBetween, evolve, type PlanEvent } from './evolve.ts';
import { withKnownReference } from './plan/providerReferences.ts';
import {
  onExecutionEnded,
  onExecutionSubmitted,
  refuseWhilePending,
  withoutFatesBy,
  withoutPendingTransactions,
} from './swap/pendingTransactions.ts';
import { onExecutionFound } from './swap/executionRules.ts';
import { onPayoutHeld, withoutEndedHold } from './payout/holdRules.ts';
import { onPayoutSubmissionEnded, onPayoutSubmitted, withoutEndedPayouts } from './payout/pendingPayouts.ts';
import { withLostParts } from './payout/lostParts.ts';
import { onNativeSeen } from './ending/nativeRules.ts';
import { onRecipientReplaced, onReturnRetried } from './returns/payAgain.ts';
import { onPayoutReported } from './payout/reports.ts';
import { onPayoutDone, onPayoutEvidenceLost, onPayoutFailed, onPayoutReturned } from './payout/rules.ts';
import { ADDRESS_LOST } from './next/depositActions.ts';
import { holdsAddress } from './next/next.ts';
import { decidedBefore, refuseFailure, refuseOutcome } from './reportRules.ts';
import { onRefundRecorded } from './ending/refundRules.ts';
import { onRecordRead, withoutTransfers, withReversals } from './deposit/recordRules.ts';
import type { TimeMs } from './terms/scalars.ts';
import { onInstructed, onSwapEvidenceLost, onSwapFailed, refuseAnotherAttempt } from './swap/rules.ts';
import type { Plan, StepType } from './plan/types.ts';

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
  const [rule, kinds] = RULES[command.type] as RuleOf<PlanCommandType>;
  if ('stepId' in command) {
    const step = stepOf(plan, command.stepId);
    if (step === undefined) return refused({ reason: 'STEP_UNKNOWN' });
    if (kinds !== undefined && !kinds.includes(step.type)) return notOfThisStep(step);
  }
  const ruling = decidedBefore(plan, command) ?? rule(plan, command, atMs);
  // If the payment is recorded as made, that refusal says what to do. The plan alone would only say that nothing is
  // due.
  if (!ruling.ok) return refuseFailure(plan, command) ?? ruling;
  if (ruling.outcome === 'UNCHANGED') return ruling;
  const ready = withReadyTime(plan, ruling.plan, atMs);
  const paid = withLostParts(
    plan,
    withoutEndedPayouts(withoutEndedHold(ready, command, atMs), command),
    command,
  );
  const next = withLostTransactions(plan, paid, command, atMs);
  const updatedAtMs = Math.max(atMs, plan.updatedAtMs);
  const after = { ...next, revision: plan.revision + 1, updatedAtMs };
  return refuseOutcome(plan, command, after) ?? changed(after);
}

type Rule<Type extends PlanCommandType> = (plan: Plan, command: CommandOf<Type>, atMs: TimeMs) => Ruling;

/** The rule of a kind of command, and the kinds of step that it can be about. Absent: any, or no step at all. */
type RuleOf<Type extends PlanCommandType> = readonly [rule: Rule<Type>, kinds?: readonly StepType[]];

const DEPOSIT = ['AWAIT_DEPOSIT'] as const;
const SWAP = ['EXECUTE_SWAP'] as const;
const PAYOUT = ['CUSTODIAN_PAYOUT'] as const;
const COLLECT = ['SEND_DIGITAL_COLLECT'] as const;
const LAST = [...PAYOUT, ...COLLECT];

const RULES: { readonly [Type in PlanCommandType]: RuleOf<Type> } = {
  RECORD_READ: [onRecordRead, DEPOSIT],
  DEPOSIT_REPORTED: [onDepositReported, DEPOSIT],
  DEPOSIT_ADDRESS_LOST: [onAddressLost],
  NATIVE_SEEN: [onNativeSeen, DEPOSIT],
  INSTRUCTED: [onInstructed, SWAP],
  SWAP_FAILED: [onSwapFailed, SWAP],
  EXECUTION_FOUND: [onExecutionFound, SWAP],
  EXECUTION_SUBMITTED: [ofAttempt(onExecutionSubmitted, onPayoutSubmitted), [...SWAP, ...LAST]],
  EXECUTION_ENDED: [ofAttempt(onExecutionEnded, onPayoutSubmissionEnded), [...SWAP, ...LAST]],
  PAYOUT_DONE: [onPayoutDone, PAYOUT],
  PAYOUT_FAILED: [onPayoutFailed, PAYOUT],
  PAYOUT_RETURNED: [onPayoutReturned, PAYOUT],
  PAYOUT_REPORTED: [onPayoutReported, LAST],
  PAYOUT_HELD: [onPayoutHeld, LAST],
  PAYMENT_REPEATED: [onPaymentRepeated, LAST],
  RECIPIENT_REPLACED: [onRecipientReplaced, LAST],
  LINK_MADE: [onLinkMade, COLLECT],
  LINK_MAILED: [onLinkMailed, COLLECT],
  LINK_OPENED: [onLinkOpened, COLLECT],
  LINK_REQUESTED: [onLinkRequested, COLLECT],
  COLLECT_SUBMITTED: [onCollectSubmitted, COLLECT],
  DELIVERY_REPORTED: [onDeliveryReported, COLLECT],
  EVIDENCE_LOST: [onEvidenceLost],
  STEP_RETRIED: [onStepRetried],
  REFUND_RECORDED: [onRefundRecorded],
  PLAN_APPROVED: [onPlanApproved],
  PLAN_ENDED: [onPlanEnded],
  TIME_PASSED: [onTimePassed],
  RECIPIENT_REVEALED: [changed],
};

function onAddressLost(plan: Plan, { fromBlock }: CommandOf<'DEPOSIT_ADDRESS_LOST'>): Ruling {
  return holdsAddress(plan) ? changed({ ...plan, addressLostFrom: fromBlock }) : unchanged(plan);
}

/** A transaction without an attempt pays the recipient; any other one swaps. */
function ofAttempt<Type extends 'EXECUTION_SUBMITTED' | 'EXECUTION_ENDED'>(
  swaps: Rule<Type>,
  pays: Rule<Type>,
): Rule<Type> {
  return (plan, command, atMs) => {
    const [swap, last] = [swapStep(plan), lastStep(plan)];
    const [rule, meant, other] = command.position === undefined ? [pays, last, swap] : [swaps, swap, last];
    return meant.stepId === command.stepId ? rule(plan, command, atMs) : notOfThisStep(other);
  };
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
  if (step === undefined) return unchanged(plan);
  if (step.type === 'AWAIT_DEPOSIT') return notOfThisStep(step);
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

function onTimePassed(plan: Plan, _command: CommandOf<'TIME_PASSED'>, atMs: TimeMs): Ruling {
  if (expiresByTime(plan, atMs)) return changed(expireDeposit(plan, atMs));
  if (atMs >= (awaitedAgain(plan)?.untilMs ?? Infinity)) return changed(withoutLost(plan, 'lost'));
  if (atMs >= (awaitedRefunds(plan)?.untilMs ?? Infinity)) return changed(withoutLost(plan, 'lostRefunds'));
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
