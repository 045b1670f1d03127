import { acknowledgementOf } from './acknowledgement.ts';
import { type Amount, amountOf, isLess, unitsOf, ZERO } from './amount.ts';
import { canReissue, isLinkLive } from './collectRules.ts';
import { conversionOf } from './corridor.ts';
import { defined } from './defined.ts';
import { flightsOf } from './flightRules.ts';
import { leftOf, netPaidOf, payableOf, type Unallocated } from './funds.ts';
import { assetsOf, isSameAsset, type Money } from './money.ts';
import { caughtUp } from './movements.ts';
import { paidAboveDue, partsToReview, payer, paymentsToReview } from './payoutReview.ts';
import { isNothingDue, lastStep } from './payoutTurn.ts';
import {
  collectStep,
  depositStep,
  dueStep,
  evidenceOf,
  isReturned,
  owesDelivery,
  swapStep,
} from './planSteps.ts';
import type { MaskedRecipient } from './recipient.ts';
import { refundedBeforeSwap } from './refundRules.ts';
import type { StepId, TimeMs } from './scalars.ts';
import { lostAttempt, openAttempt, owesInstructions } from './swapRules.ts';
import { isTransferOnly } from './transferOnly.ts';
import type {
  AwaitDepositStep,
  CustodianPayoutStep,
  Evidence,
  ExecuteSwapStep,
  PayingStep,
  Plan,
  SendDigitalCollectStep,
  Step,
} from './types.ts';
import { PLAIN_WORDS, type Words } from './words.ts';
import { swapTransactions } from './work.ts';

/** What has to happen next, and who has to do it. */
export type NextAction = {
  readonly stepId: StepId;
  readonly actor: 'INTEGRATOR' | 'RECIPIENT' | 'SERVICE';
  readonly what: NextActionCode;
  /** The same as a sentence. */
  readonly detail: string;
  readonly deadlineMs?: TimeMs;
};

/** The codes of all next actions. */
export const NEXT_ACTIONS = [
  'SEND_DEPOSIT',
  'TOP_UP_DEPOSIT',
  'CONFIRM_DEPOSIT',
  'DERIVE_INSTRUCTIONS',
  'WAIT_FOR_PRICE',
  'EXECUTE_INSTRUCTIONS',
  'WAIT_FOR_EXECUTION',
  'REFRESH_INSTRUCTIONS',
  'FIND_TRANSACTION',
  'CONFIRM_TRANSACTION',
  'PAY_OUT',
  'REVIEW_PAYOUT',
  'SEND_LINK',
  'COLLECT',
  'REISSUE_LINK',
  'SETTLE_DIRECTLY',
  'DELIVER',
  'RETRY_STEP',
  'CATCHING_UP',
  'REPLACE_RECIPIENT',
  'REVIEW_FUNDS',
  'CLOSE_PLAN',
] as const;

/** The code of a next action. */
export type NextActionCode = (typeof NEXT_ACTIONS)[number];

/**
 * When it is asked what has to happen next. `isCatchingUp`: the record of the plan's chain is behind, so that money may
 * have moved that the plan does not show yet.
 */
export type Moment = { readonly nowMs: TimeMs; readonly isCatchingUp?: boolean };

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
  const action = dueAction(plan, { nowMs }, words) ?? reviewAction(plan, words);
  if (!isCatchingUp || action === undefined || !MOVES_MONEY[action.what]) return action;
  const detail =
    'The service reads blocks of the chain that it has missed; what has to happen next is known when it has read them. Move no money before.';
  return { stepId: action.stepId, actor: 'SERVICE', what: 'CATCHING_UP', detail };
}

/** Whether an action moves money: while money may have moved unseen, it could be moved a second time. */
const MOVES_MONEY: Readonly<Record<NextActionCode, boolean>> = {
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
export function dueAction(plan: Plan, { nowMs }: Moment, words: Words = PLAIN_WORDS): NextAction | undefined {
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

function failedAction(plan: Plan, { stepId, type, failure }: Step): NextAction {
  const flight = type === 'EXECUTE_SWAP' ? flightAction(plan, 'retry the step') : undefined;
  if (flight !== undefined) return flight;
  const code = failure?.code ?? 'FAILED';
  const retry = { stepId, actor: 'INTEGRATOR', what: 'RETRY_STEP' } as const;
  if (type !== 'CUSTODIAN_PAYOUT')
    return {
      ...retry,
      detail: `${type} failed (${code}); retry the step when the cause is gone, or refund what arrived and close the plan.`,
    };
  if (ACCOUNT_FAILURES.has(code)) {
    const detail = `The custodian could not pay this account (${code}): replace the recipient by another account, retry the step when the account can be paid, or close the plan.`;
    return { ...retry, what: 'REPLACE_RECIPIENT', detail };
  }
  const detail = `${type} failed (${code}); retry the step when the cause is gone, replace the recipient by another account, or close the plan.`;
  return { ...retry, detail };
}

/** What has to happen after the newest payment came back. */
function returnedAction(plan: Plan, words: Words): NextAction | undefined {
  const last = lastStep(plan);
  const lostSwap = lostSwapAction(plan);
  if (last === undefined || lostSwap !== undefined) return lostSwap;
  const { stepId } = last;
  const isKnown =
    plan.closed !== undefined && acknowledgementOf(caughtUp(plan, plan.updatedAtMs)).length === 0;
  const left = payableOf(caughtUp(plan, plan.updatedAtMs));
  const by = { stepId, actor: 'INTEGRATOR' } as const;
  if (left === 0n)
    return isKnown
      ? undefined
      : (reviewAction(plan, words) ??
          closeAction(plan, stepId, 'Nothing of the money is left; close the plan.'));
  const amount = words.amount(amountOf(left), assetsOf(plan).target);
  if (last.type === 'SEND_DIGITAL_COLLECT' && canReissue(last)) {
    const detail = `A payment came back, and ${amount} is there: reissue the link, so that the recipient chooses again, or refund it and close the plan.`;
    return { ...by, what: 'REISSUE_LINK', detail };
  }
  if (last.type === 'SEND_DIGITAL_COLLECT') return settleDirectly(stepId);
  const detail = `A payment came back, and ${amount} is there: replace the recipient by another account, retry the step to pay the same account again, or refund it and close the plan.`;
  return { ...by, what: 'REPLACE_RECIPIENT', detail };
}

function settleDirectly(stepId: StepId): NextAction {
  const detail =
    'No other link can be sent: agree with the recipient and the custodian directly where the money goes, then close the plan and say so.';
  return { stepId, actor: 'INTEGRATOR', what: 'SETTLE_DIRECTLY', detail };
}

/** What has to happen after so much was refunded that the plan cannot go on. */
function refundedAction(plan: Plan, words: Words): NextAction | undefined {
  const refunded = refundedBeforeSwap(plan);
  const collect = collectStep(plan);
  const step = dueStep(plan) ?? (collect !== undefined && owesDelivery(collect) ? collect : undefined);
  const isTooLittle = refunded !== ZERO;
  if (step === undefined || (!isTooLittle && !isNothingDue(plan))) return undefined;
  const left = isTooLittle ? unitsOf(depositStep(plan).received) - unitsOf(refunded) : 0n;
  const isGivenOut = isTooLittle && openAttempt(swapStep(plan)) !== undefined;
  const warning = isGivenOut ? ' Execute no instructions any more: they would swap other money.' : '';
  if (left <= 0n) {
    const isPaid = netPaidOf(caughtUp(plan, plan.updatedAtMs)) > 0n;
    const what = isPaid ? 'What the recipient was not paid' : 'All of the money';
    return closeAction(plan, step.stepId, `${what} was refunded; close the plan.${warning}`);
  }
  const amount = words.amount(amountOf(left), assetsOf(plan).source);
  const detail = `A part of the deposit was refunded, and ${amount} is left: refund it, too, and close the plan.${warning}`;
  const review = { stepId: step.stepId, actor: 'INTEGRATOR', what: 'REVIEW_FUNDS', detail } as const;
  return underWayAction(plan) ?? review;
}

/** That the plan is to be closed, or what has to happen before: closing waits for what may still move money. */
function closeAction(plan: Plan, stepId: StepId, detail: string): NextAction {
  return underWayAction(plan) ?? { stepId, actor: 'INTEGRATOR', what: 'CLOSE_PLAN', detail };
}

/** What has to happen about a transaction that keeps a plan from being closed; undefined when there is none. */
function underWayAction(plan: Plan): NextAction | undefined {
  const first = flightAction(plan, 'close the plan') ?? lostSwapAction(plan);
  if (first !== undefined) return first;
  const { stepId, evidence } = swapStep(plan);
  if (evidence?.status === 'CONFIRMING') return evidenceAction(stepId, evidence);
  const [lost] = evidence === undefined ? swapTransactions(plan) : [];
  if (lost !== undefined) {
    const detail = `The transaction ${lost} is no longer on the chain, and may be mined again: then it counts by itself. Report the one that replaced it; close the plan with "force": true only when neither can be mined.`;
    return { stepId, actor: 'INTEGRATOR', what: 'FIND_TRANSACTION', detail };
  }
  const last = lastStep(plan);
  const paid = last && evidenceOf(last);
  return last === undefined || paid === undefined || paid.status === 'FINAL'
    ? undefined
    : evidenceAction(last.stepId, paid);
}

/** What has to happen while a transaction that swaps may be mined, and after that; undefined when there is none. */
function flightAction(plan: Plan, then: string): NextAction | undefined {
  const flight = flightsOf(plan).at(-1);
  if (flight === undefined) return undefined;
  const { stepId } = swapStep(plan);
  const detail = `The transaction ${flight.txHash} was submitted; report it when it is mined. If another one with its nonce replaced it, report that one; ${then} when neither can be mined any more.`;
  return { stepId, actor: 'INTEGRATOR', what: 'WAIT_FOR_EXECUTION', detail };
}

/** What has to happen when the plan is over, and money is left of which nobody has taken notice. */
function reviewAction(plan: Plan, words: Words): NextAction | undefined {
  const whole = caughtUp(plan, plan.updatedAtMs);
  const left = acknowledgementOf(whole);
  const [first] = left;
  const last = lastStep(plan);
  if (first === undefined || last === undefined) return undefined;
  // What was paid out without a swap has its arrival again when the swap's transaction is found.
  const lostSwap = lostSwapAction(plan);
  if (lostSwap !== undefined) return lostSwap;
  const isPayers = !isSameAsset(first.asset, assetsOf(plan).target);
  const { stepId } = isPayers ? depositStep(plan) : last;
  const told = (all: readonly Money[]) =>
    all.map(({ amount, asset }) => words.amount(amount, asset)).join(' and ');
  const there = left.filter(({ direction }) => direction === 'IN');
  const gone = leftOf(whole)
    .flatMap(({ unallocated }) => unallocated)
    .filter(({ direction, acknowledged }) => direction === 'OUT' && !acknowledged);
  const isAbove = ({ reason }: Unallocated) => reason === 'PAID_ABOVE_DUE';
  const above = gone.filter(isAbove);
  const spent = gone.filter((entry) => !isAbove(entry));
  const reopens = plan.ended === 'EXPIRED' && isSameAsset(first.asset, assetsOf(plan).source);
  const remedy = reopens ? 'retry the deposit step to go on with it, refund it' : 'refund it';
  const sentences = [
    there.length > 0 &&
      `The plan has no use for ${told(there)}: ${remedy} and record the refund, or name it when you close the plan.`,
    above.length > 0 && paidAboveDue(whole, told(above)),
    spent.length > 0 &&
      `Of ${told(spent)} that was spent no arrival is on record: find out where it came from, and name it when you close the plan.`,
  ];
  const detail = sentences.filter((sentence) => sentence !== false).join(' ');
  return { stepId, actor: 'INTEGRATOR', what: 'REVIEW_FUNDS', detail };
}

function depositAction(plan: Plan, step: AwaitDepositStep, words: Words): NextAction {
  const { stepId, expected, received } = step;
  const { source } = assetsOf(plan);
  const deadlineMs = plan.expiresAtMs;
  const place = depositPlace(plan, words);
  if (received === ZERO) {
    const detail = [`Send ${words.amount(expected, source)} ${place}.`, ...priceWarning(plan)].join(' ');
    return { stepId, actor: 'INTEGRATOR', what: 'SEND_DEPOSIT', detail, deadlineMs };
  }
  if (isLess(received, expected)) {
    const missing = amountOf(unitsOf(expected) - unitsOf(received));
    const detail = `${words.amount(received, source)} has arrived; send the missing ${words.amount(missing, source)} ${place}.`;
    // Dust is no beginning: the plan is still PENDING.
    const what = step.status === 'PENDING' ? 'SEND_DEPOSIT' : 'TOP_UP_DEPOSIT';
    return { stepId, actor: 'INTEGRATOR', what, detail, deadlineMs };
  }
  const detail = `The deposit is waiting for ${plan.corridor.minConfirmations} confirmations.`;
  return { stepId, actor: 'SERVICE', what: 'CONFIRM_DEPOSIT', detail };
}

/** What to know before money is sent that could not be swapped at today's price. */
function priceWarning(plan: Plan): string[] {
  const { withheld } = swapStep(plan);
  if (withheld?.reason !== 'PRICE_BELOW_FLOOR') return [];
  return [`At the present price the money would wait: ${withheld.detail}`];
}

/** Where the deposit goes, and whether it has to be reported. */
function depositPlace({ options }: Plan, { address }: Words): string {
  const { depositAddress, sender } = options;
  if (depositAddress !== undefined) return `to ${address(depositAddress)}`;
  const account = sender === undefined ? 'the account that will execute the swap' : address(sender);
  return `to ${account}, then report it`;
}

function swapAction(plan: Plan, step: ExecuteSwapStep, nowMs: TimeMs, words: Words): NextAction {
  const { stepId, evidence, withheld } = step;
  const lost = lostAttempt(step);
  if (evidence !== undefined) {
    const detail = `The transaction ${evidence.txHash} is waiting for ${plan.corridor.minConfirmations} confirmations.`;
    return { stepId, actor: 'SERVICE', what: 'CONFIRM_TRANSACTION', detail };
  }
  if (lost !== undefined) {
    const detail = `The transaction ${lost.txHash} is no longer on the chain. Mined again, it counts by itself; report the one that replaced it; refresh only when neither can be.`;
    const told = withheld === undefined ? detail : `${detail} ${withheld.detail}`;
    return { stepId, actor: 'INTEGRATOR', what: 'FIND_TRANSACTION', detail: told };
  }
  const flight = flightAction(plan, 'refresh');
  if (flight !== undefined) return flight;
  if (withheld?.reason === 'PRICE_BELOW_FLOOR')
    return {
      stepId,
      actor: 'SERVICE',
      what: 'WAIT_FOR_PRICE',
      detail: `${withheld.detail} To wait no longer, refund the deposit and close the plan.`,
    };
  const open = openAttempt(step);
  if (owesInstructions(plan) || open === undefined) {
    const detail = withheld?.detail ?? 'The service derives instructions from the current block.';
    return { stepId, actor: 'SERVICE', what: 'DERIVE_INSTRUCTIONS', detail };
  }
  const canExpire = !isTransferOnly(plan.corridor);
  if (canExpire && nowMs >= open.notAfterMs) {
    const detail = 'The instructions have expired; refresh the step for new ones.';
    return { stepId, actor: 'INTEGRATOR', what: 'REFRESH_INSTRUCTIONS', detail };
  }
  const { source, target } = assetsOf(plan);
  const account = words.address(plan.corridor.target.settlementAddress);
  const detail = `Execute the instructions in order: they bring at least ${words.amount(open.minAmountOut, target)} to ${account} for ${words.amount(plan.amountIn, source)}. Report the transaction of the last one.`;
  const deadlineMs = canExpire ? open.notAfterMs : undefined;
  return { stepId, actor: 'INTEGRATOR', what: 'EXECUTE_INSTRUCTIONS', detail, ...defined({ deadlineMs }) };
}

function payoutAction(plan: Plan, step: CustodianPayoutStep, words: Words): NextAction {
  const { stepId, evidence, asset } = step;
  if (evidence !== undefined) return evidenceAction(stepId, evidence);
  const review = reviewPayout(plan, step, words);
  if (review !== undefined) return review;
  const proof = plan.recipient.type === 'wallet' ? 'the transaction' : "the custodian's reference";
  const detail = `Have ${payer(plan)} pay the recipient from ${payoutAmount(plan, asset.amount, plan.recipient, words)} as custodianAction says, and report ${proof}.`;
  return { stepId, actor: 'INTEGRATOR', what: 'PAY_OUT', detail };
}

/** What has to happen when what was paid does not account for all that is due. */
function reviewPayout(plan: Plan, step: PayingStep, words: Words): NextAction | undefined {
  const detail = paymentsToReview(plan, step, words) ?? partsToReview(plan, step, words);
  if (detail === undefined) return undefined;
  return { stepId: step.stepId, actor: 'INTEGRATOR', what: 'REVIEW_PAYOUT', detail };
}

/** What a payout is made from, and who converts it where the recipient is paid in another currency. */
function payoutAmount(
  plan: Plan,
  amount: Amount,
  { type }: Pick<MaskedRecipient, 'type'>,
  words: Words,
): string {
  const text = words.amount(amount, assetsOf(plan).target);
  if (type === 'wallet' || conversionOf(plan.corridor) === 'PEGGED') return text;
  return `${text}, which the custodian converts to ${plan.corridor.target.currency},`;
}

/** What has to happen about the transaction that a payout or a delivery rests on. */
function evidenceAction(stepId: StepId, { status, txHash }: Evidence): NextAction {
  if (status === 'LOST') {
    const detail = `The transaction ${txHash} is no longer on the chain. Mined again, it counts by itself; have the custodian pay anew only when it cannot be.`;
    return { stepId, actor: 'INTEGRATOR', what: 'FIND_TRANSACTION', detail };
  }
  const detail = `The transaction ${txHash} is being confirmed.`;
  return { stepId, actor: 'SERVICE', what: 'CONFIRM_TRANSACTION', detail };
}

function linkAction(step: SendDigitalCollectStep): NextAction {
  const { stepId, status, failure, link } = step;
  if (link !== undefined && isLinkLive(link)) {
    const detail =
      link.mail === 'BOUNCED'
        ? 'The e-mail with the link came back: readdress it, so that the recipient can choose where the money goes.'
        : 'The recipient chooses where the money goes.';
    return { stepId, actor: 'RECIPIENT', what: 'COLLECT', detail, deadlineMs: link.expiresAtMs };
  }
  if (status === 'FAILED' || link?.state === 'EXPIRED') {
    if (!canReissue(step)) return settleDirectly(stepId);
    const detail = `The collect link ended (${failure?.code ?? 'COLLECT_EXPIRED'}); reissue it, or refund the money and close the plan.`;
    return { stepId, actor: 'INTEGRATOR', what: 'REISSUE_LINK', detail };
  }
  const detail = 'The service sends the recipient a link; where that takes more than a minute, readdress it.';
  return { stepId, actor: 'SERVICE', what: 'SEND_LINK', detail };
}

/** What has to happen when the chain took the swap back, and somebody still has to be paid. */
function lostSwapAction(plan: Plan): NextAction | undefined {
  const { stepId, evidence } = swapStep(plan);
  if (evidence?.status !== 'LOST') return undefined;
  const detail = `The transaction ${evidence.txHash}, which brought the money, is no longer on the chain. Mined again, it counts by itself; report the one that replaced it; have nothing paid out before.`;
  return { stepId, actor: 'INTEGRATOR', what: 'FIND_TRANSACTION', detail };
}

/** What has to happen when every step is DONE: the recipient has chosen, and is to be paid or asked again. */
function deliveryAction(plan: Plan, words: Words): NextAction | undefined {
  const step = collectStep(plan);
  if (step === undefined || !owesDelivery(step)) return undefined;
  const { stepId, delivery } = step;
  if (delivery?.status === 'FAILED') return linkAction(step);
  if (delivery?.evidence !== undefined) return evidenceAction(stepId, delivery.evidence);
  const lostSwap = lostSwapAction(plan);
  if (lostSwap !== undefined) return lostSwap;
  const review = delivery?.status === 'SENT' ? undefined : reviewPayout(plan, step, words);
  if (review !== undefined) return review;
  const detail =
    delivery?.status === 'SENT'
      ? 'The custodian has sent the money; report when it has arrived.'
      : `Have ${payer(plan)} pay the recipient's choice from ${payoutAmount(plan, step.asset.amount, step.destination ?? plan.recipient, words)} as custodianAction says, and report how that goes.`;
  return { stepId, actor: 'INTEGRATOR', what: 'DELIVER', detail };
}
