import { hasRefundable } from '../book/equations.ts';
import { collectStep, depositStep, dueStep, isReturned } from '../plan/steps.ts';
import type { StepId, TimeMs } from '../terms/scalars.ts';
import type { Plan, PlanStatus, Step } from '../plan/types.ts';
import { PLAIN_WORDS, type Words } from '../terms/words.ts';
import { type Moment, NEXT, type Next } from './codes.ts';
import { depositAction } from './depositActions.ts';
import { refundedAction, returnedAction, reviewAction, withUnasked } from './endActions.ts';
import { deliveryAction, linkAction, payoutAction } from './payoutActions.ts';
import { lostPartsOf } from '../payout/lostParts.ts';
import { payer } from '../payout/review.ts';
import { endToEndIdOf } from '../book/payoutTurn.ts';
import { pendingTransactionAction, secondAction, swapAction } from './swapActions.ts';
import { awaitedRefunds, lostRefundsOf } from '../deposit/lostTransactions.ts';
import { needsApproval } from '../plan/approvalRules.ts';
import { hasPaidOut } from '../book/payout.ts';
import { hasMoneyMoved } from '../book/deposit.ts';

/**
 * What has to happen next; undefined when the plan is over and no money is left. `words`: how the sentence writes amounts
 * and addresses.
 *
 * @example
 * ```ts
 * import { NEXT, nextOf, type Plan } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * const next = nextOf(plan, { nowMs: 1_700_000_000_000 });
 * if (next !== undefined) console.log(NEXT[next.why].do, next.detail); // such as 'SEND'
 * ```
 */
export function nextOf(
  plan: Plan,
  { nowMs, isCatchingUp = false }: Moment,
  words: Words = PLAIN_WORDS,
): Next | undefined {
  const due = dueAction(plan, { nowMs }, words) ?? afterRefunds(plan, restAction(plan, nowMs, words));
  const action =
    due === undefined
      ? undefined
      : withForgottenRefund(plan, withRefunds(plan, withUnasked(plan, due, words)));
  if (!isCatchingUp || action === undefined || NEXT[action.why].money === 'STAYS') return action;
  const detail =
    'The service reads blocks of the chain that it has missed; what has to happen next is known when it has read them. Move no money before.';
  return { stepId: action.stepId, why: 'CATCHING_UP', detail };
}

/** An action without the option to refund where nothing is there to go back. A refund answers DEPOSIT_UNCLEAR all the same. */
function withRefunds(plan: Plan, action: Next): Next {
  const options = action.options ?? NEXT[action.why].options;
  if (!options?.includes('refunds') || action.why === 'DEPOSIT_UNCLEAR' || hasRefundable(plan)) return action;
  return { ...action, options: options.filter((option) => option !== 'refunds') };
}

/** What there is to know once nothing is due: money that is left, and a transaction that may move it. */
function restAction(plan: Plan, nowMs: TimeMs, words: Words): Next | undefined {
  const [review, second] = [reviewAction(plan, words), secondAction(plan, nowMs)];
  if (review === undefined || second === undefined) return review ?? second;
  // What is left may be what a lost part pays when it is mined again: it is not to be refunded before.
  if (lostPartsOf(plan).length > 0) return { ...review, detail: `${second.detail} Then: ${review.detail}` };
  return { ...review, detail: `${review.detail} Besides: ${second.detail}` };
}

/** What has to happen next for the plan to go on; undefined when it is over and did not end with a return. */
function dueAction(plan: Plan, moment: Moment, words: Words = PLAIN_WORDS): Next | undefined {
  return afterApproval(plan, afterRefunds(plan, approvedAction(plan, moment, words)));
}

/** An action, or the wait for a lost refund in place of one that moves money or that the service takes. */
function afterRefunds(plan: Plan, action: Next | undefined): Next | undefined {
  if (action === undefined) return undefined;
  const { money, by } = NEXT[action.why];
  if (money === 'STAYS' && by !== 'SERVICE') return action;
  return lostRefundAction(plan, action.stepId) ?? action;
}

/** What has to happen next, of a payment that is approved or needs no approval. */
function approvedAction(plan: Plan, { nowMs }: Moment, words: Words): Next | undefined {
  if (plan.ended !== undefined) return undefined;
  const step = dueStep(plan);
  if (isReturned(plan)) return returnedAction(plan, words);
  const refunded = refundedAction(plan, words);
  if (refunded !== undefined) return refunded;
  if (step === undefined) return deliveryAction(plan, words);
  if (step.type === 'SEND_DIGITAL_COLLECT') return linkAction(step);
  if (step.status === 'FAILED') return failedAction(plan, step);
  switch (step.type) {
    case 'AWAIT_DEPOSIT':
      return depositAction(plan, step, words);
    case 'EXECUTE_SWAP':
      return swapAction(plan, step, nowMs, words);
    case 'CUSTODIAN_PAYOUT':
      return payoutAction(plan, step, words);
  }
}

/** The failures of a payout that another attempt to the same account cannot mend. */
const ACCOUNT_FAILURES: ReadonlySet<string> = new Set([
  'ACCOUNT_NOT_FOUND',
  'ACCOUNT_CLOSED',
  'NAME_MISMATCH',
]);

function failedAction(plan: Plan, step: Step): Next {
  const { stepId, type, failure } = step;
  const pending = type === 'EXECUTE_SWAP' ? pendingTransactionAction(plan) : undefined;
  if (pending !== undefined) return pending;
  const code = failure?.code ?? 'FAILED';
  if (type !== 'CUSTODIAN_PAYOUT')
    return {
      stepId,
      why: 'STEP_FAILED',
      detail: `${type} failed (${code}). ${causeOf(step, code)}, or refund what arrived and end the plan.`,
    };
  if (ACCOUNT_FAILURES.has(code)) {
    const detail = `The custodian could not pay this account (${code}): name another recipient in POST …/again, send it without one when the account can be paid, or end the plan.`;
    return { stepId, why: 'ACCOUNT_REFUSED', detail };
  }
  const detail = `${type} failed (${code}). Ask ${payer(plan)} for the cause, with the endToEndId ${endToEndIdOf(plan)}; send POST …/again when it can pay, or with another recipient, or end the plan.`;
  return { stepId, why: 'STEP_FAILED', detail };
}

function causeOf(step: Step, code: string): string {
  if (step.type === 'AWAIT_DEPOSIT')
    return 'Not all of the deposit came in time: send POST …/again to wait for the rest';
  const { txHash } = step.type === 'EXECUTE_SWAP' ? (step.attempts.at(-1) ?? {}) : {};
  if (code === 'REVERTED')
    return `Look up why the transaction${txHash === undefined ? '' : ` ${txHash}`} was reverted (too little balance, no approval, or a price that moved): send POST …/again for new instructions when that is mended`;
  if (code === 'INSTRUCTIONS_EXPIRED')
    return 'Nobody executed the instructions in time: send POST …/again for new ones';
  return 'The failure of the step says what was reported: send POST …/again when that is mended';
}

/** That a refund is waited for which a reorganisation took back; undefined when none is. `stepId`: what waits for it. */
function lostRefundAction(plan: Plan, stepId: StepId): Next | undefined {
  const lost = awaitedRefunds(plan);
  if (lost === undefined) return undefined;
  const [first, ...more] = lost.txHashes;
  const others = more.length === 0 ? '' : ` (${more.length} more like it)`;
  const detail = `The transaction ${first}${others}, which sent money back to the payer, is no longer on the chain. Such a transaction is mostly mined again, and then counts by itself: move none of the money before. If it is not there by the deadline, next says what to do.`;
  return { stepId, why: 'REFUND_LOST', detail, deadlineMs: lost.untilMs };
}

/** An action with what is to be known of a lost refund that nobody waits for any more. */
function withForgottenRefund(plan: Plan, action: Next): Next {
  const [first] = awaitedRefunds(plan) === undefined ? lostRefundsOf(plan) : [];
  if (first === undefined) return action;
  const detail = `${action.detail} The refund in the transaction ${first.transfer.txHash} is no longer on the chain, so it does not count. If it is mined after all, report it once more by its txHash.`;
  return { ...action, detail };
}

/** An action of a plan, or in its place that the payment has to be approved first. */
function afterApproval(plan: Plan, action: Next | undefined): Next | undefined {
  const { approval } = plan;
  if (approval === undefined || action === undefined || !needsApproval(plan)) return action;
  const held = NEXT[action.why].approval;
  if (held === undefined) return action;
  const besides = held === 'BEFORE' ? ` The deposit may come before that. ${action.detail}` : '';
  const detail = `Look at the recipient and the amount, and approve version ${approval.version} of this payment with another credential than the one that made it; until then no instructions are given out and nothing is to be paid.${besides}`;
  // The deadline of what is held back is none of the approval.
  return { stepId: action.stepId, why: 'NOT_APPROVED', detail };
}

/**
 * Whether the plan can be ended without a reason: it has not ended, and no money has moved.
 *
 * @example
 * ```ts
 * import { isCancelable, type Plan } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * const isHarmless = isCancelable(plan); // ending it leaves no money behind
 * ```
 */
export function isCancelable(plan: Plan): boolean {
  return plan.ended === undefined && !hasMoneyMoved(plan);
}

/**
 * Whether a plan waits for its first money. Dust does not count.
 *
 * @example
 * ```ts
 * import { isUnfunded, type Plan } from '@fairway/plan';
 *
 * declare const plans: readonly Plan[];
 * const waitingCount = plans.filter(isUnfunded).length;
 * ```
 */
export function isUnfunded(plan: Plan): boolean {
  return plan.ended === undefined && depositStep(plan).status === 'PENDING';
}

/**
 * The status of the plan as a whole.
 *
 * @example
 * ```ts
 * import { type Plan, planStatus } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * const isWaiting = planStatus(plan) === 'ACTION_REQUIRED';
 * ```
 */
export function planStatus(plan: Plan): PlanStatus {
  if (plan.ended !== undefined) return 'ENDED';
  if (isReturned(plan)) return 'RETURNED';
  // The integrator has to know of a failed delivery, even while the service makes the next link.
  if (collectStep(plan)?.delivery?.status === 'FAILED') return 'ACTION_REQUIRED';
  // Instructions that have expired ask the integrator, as instructions do, so any time will do here.
  const next = dueAction(plan, { nowMs: 0 });
  if (next === undefined) return 'COMPLETED';
  const { by } = NEXT[next.why];
  return by === 'SERVICE' || by === 'CHAIN' ? 'IN_PROGRESS' : 'ACTION_REQUIRED';
}

/**
 * The statuses of plans that are over.
 *
 * @example
 * ```ts
 * import { OVER_STATUSES } from '@fairway/plan';
 *
 * const list = OVER_STATUSES.join(', '); // for a log line
 * ```
 */
export const OVER_STATUSES = ['COMPLETED', 'RETURNED', 'ENDED'] as const;

/**
 * Whether the plan is over: it needs nothing more to end. Money that is left can be looked at all the same.
 *
 * @example
 * ```ts
 * import { isOver, type Plan } from '@fairway/plan';
 *
 * declare const plans: readonly Plan[];
 * const open = plans.filter((plan) => !isOver(plan));
 * ```
 */
export function isOver(plan: Plan): boolean {
  return (OVER_STATUSES as readonly PlanStatus[]).includes(planStatus(plan));
}

/**
 * Whether the deposit address is this plan's alone. A plan that has paid out once has no use for deposits, so its
 * address is free. It stays free although a correction, a return or a reorganisation opens the plan again. It may be
 * another plan's by then. The address is not this plan's either once another organisation has proven that it owns it.
 *
 * @example
 * ```ts
 * import { holdsAddress, type Plan } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * const mayBeUsed = !holdsAddress(plan);
 * ```
 */
export function holdsAddress(plan: Plan): boolean {
  return plan.addressLostFrom === undefined && !isOver(plan) && !hasPaidOut(plan);
}
