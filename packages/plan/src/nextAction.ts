import { afterApproval } from './approvalRules.ts';
import { dueStep, isReturned } from './planSteps.ts';
import type { Plan, Step } from './types.ts';
import { PLAIN_WORDS, type Words } from './words.ts';
import type { Moment, NextAction, NextActionCode } from './nextActionCodes.ts';
import { depositAction } from './depositActions.ts';
import { refundedAction, returnedAction, reviewAction, withUnasked } from './endActions.ts';
import { deliveryAction, linkAction, payoutAction } from './payoutActions.ts';
import { payer } from './payoutReview.ts';
import { endToEndIdOf } from './payoutTurn.ts';
import { pendingTransactionAction, swapAction } from './swapActions.ts';

/**
 * What has to happen next; undefined when the plan is over and no money is left. `words`: how the sentence writes amounts
 * and addresses.
 *
 * @example
 * ```ts
 * import { nextAction, type Plan } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * const action = nextAction(plan, { nowMs: 1_700_000_000_000 });
 * if (action?.actor === 'INTEGRATOR') console.log(action.what, action.detail); // such as 'SEND_DEPOSIT'
 * ```
 */
export function nextAction(
  plan: Plan,
  { nowMs, isCatchingUp = false }: Moment,
  words: Words = PLAIN_WORDS,
): NextAction | undefined {
  const due = dueAction(plan, { nowMs }, words) ?? reviewAction(plan, words);
  const action = due === undefined ? undefined : withUnasked(plan, due, words);
  if (!isCatchingUp || action === undefined || !MOVES_MONEY[action.what]) return action;
  const detail =
    'The service reads blocks of the chain that it has missed; what has to happen next is known when it has read them. Move no money before.';
  return { stepId: action.stepId, actor: 'SERVICE', what: 'CATCHING_UP', detail };
}

/** Whether an action moves money: while money may have moved unseen, it could be moved a second time. */
const MOVES_MONEY: Readonly<Record<NextActionCode, boolean>> = {
  APPROVE_PAYMENT: false,
  SEND_DEPOSIT: true,
  TOP_UP_DEPOSIT: true,
  CONFIRM_DEPOSIT: false,
  DERIVE_INSTRUCTIONS: true,
  WAIT_FOR_PRICE: false,
  EXECUTE_INSTRUCTIONS: true,
  WAIT_FOR_EXECUTION: false,
  REFRESH_INSTRUCTIONS: true,
  FIND_TRANSACTION: true,
  CONFIRM_TRANSACTION: false,
  PAY_OUT: true,
  RESOLVE_HOLD: false,
  REVIEW_PAYOUT: true,
  SEND_LINK: false,
  COLLECT: false,
  REISSUE_LINK: true,
  SETTLE_DIRECTLY: true,
  DELIVER: true,
  RETRY_STEP: true,
  CATCHING_UP: false,
  REPLACE_RECIPIENT: true,
  REVIEW_FUNDS: true,
  CLOSE_PLAN: true,
};

/** What has to happen next for the plan to go on; undefined when it is over and did not end with a return. */
export function dueAction(plan: Plan, moment: Moment, words: Words = PLAIN_WORDS): NextAction | undefined {
  return afterApproval(plan, approvedAction(plan, moment, words));
}

/** What has to happen next, of a payment that is approved or needs no approval. */
function approvedAction(plan: Plan, { nowMs }: Moment, words: Words): NextAction | undefined {
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

function failedAction(plan: Plan, step: Step): NextAction {
  const { stepId, type, failure } = step;
  const pending = type === 'EXECUTE_SWAP' ? pendingTransactionAction(plan, 'retry the step') : undefined;
  if (pending !== undefined) return pending;
  const code = failure?.code ?? 'FAILED';
  const retry = { stepId, actor: 'INTEGRATOR', what: 'RETRY_STEP' } as const;
  if (type !== 'CUSTODIAN_PAYOUT')
    return {
      ...retry,
      detail: `${type} failed (${code}). ${causeOf(step, code)}, or refund what arrived and close the plan.`,
    };
  if (ACCOUNT_FAILURES.has(code)) {
    const detail = `The custodian could not pay this account (${code}): replace the recipient by another account, retry the step when the account can be paid, or close the plan.`;
    return { ...retry, what: 'REPLACE_RECIPIENT', detail };
  }
  const detail = `${type} failed (${code}). Ask ${payer(plan)} for the cause, with the endToEndId ${endToEndIdOf(plan)}; retry the step when it can pay, replace the recipient by another account, or close the plan.`;
  return { ...retry, detail };
}

/** How the cause of a failure before the payout is found, and when another try helps. */
function causeOf(step: Step, code: string): string {
  if (step.type === 'AWAIT_DEPOSIT')
    return 'Not all of the deposit came in time: retry the step to wait for the rest';
  const { txHash } = step.type === 'EXECUTE_SWAP' ? (step.attempts.at(-1) ?? {}) : {};
  if (code === 'REVERTED')
    return `Look up why the transaction${txHash === undefined ? '' : ` ${txHash}`} was reverted (too little balance, no approval, or a price that moved): retry the step for new instructions when that is mended`;
  if (code === 'INSTRUCTIONS_EXPIRED')
    return 'Nobody executed the instructions in time: retry the step for new ones';
  return 'The failure of the step says what was reported: retry the step when that is mended';
}
