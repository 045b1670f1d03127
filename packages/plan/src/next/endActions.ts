import { depositOf, refundedBeforeSwap } from '../book/deposit.ts';
import { acknowledgementOf, isOnlyDust, isUnknown } from '../book/acknowledgement.ts';
import { amountOf, unitsIn, unitsOf, ZERO } from '../terms/amount.ts';
import { canReissue } from '../collect/rules.ts';
import { leftOf, netPaidOf, payableOf, type Unallocated, unaskedIn } from '../book/equations.ts';
import { lostPartAction, settleDirectly, startedAction } from './payoutActions.ts';
import { assetsOf, isSameAsset, type Money } from '../terms/money.ts';
import { paidAboveDue } from '../payout/review.ts';
import { depositStep, dueStep, evidenceOf, lastStep, owedDelivery, swapStep } from '../plan/steps.ts';
import { isNothingDue } from '../book/payout.ts';
import type { StepId } from '../terms/scalars.ts';
import { depositQuestion } from '../deposit/sentBack.ts';
import { openAttempt } from '../swap/rules.ts';
import type { Plan } from '../plan/types.ts';
import type { Words } from '../terms/words.ts';
import { swapTransactions } from './work.ts';
import { NEXT, type Next, type NextOption } from './codes.ts';
import { lostDepositAction } from './depositActions.ts';
import {
  evidenceAction,
  lostSwapAction,
  pendingTransactionAction,
  unsettledSwapAction,
} from './swapActions.ts';

/** What has to happen after the newest payment came back. */
export function returnedAction(plan: Plan, words: Words): Next | undefined {
  const last = lastStep(plan);
  const unsettled = unsettledSwapAction(plan);
  if (unsettled !== undefined) return unsettled;
  const { stepId } = last;
  const isKnown = plan.closed !== undefined && acknowledgementOf(plan).length === 0;
  const left = payableOf(plan);
  if (left === 0n)
    return isKnown
      ? undefined
      : (reviewAction(plan, words) ?? endAction(plan, stepId, 'Nothing of the money is left: end the plan.'));
  const amount = words.amount(amountOf(left), assetsOf(plan).target);
  if (last.type === 'SEND_DIGITAL_COLLECT' && canReissue(last)) {
    const detail = `A payment came back, and ${amount} is there: send POST …/again, so that the recipient chooses again, or refund it and end the plan.`;
    return { stepId, why: 'MONEY_RETURNED', detail };
  }
  if (last.type === 'SEND_DIGITAL_COLLECT') return settleDirectly(stepId);
  // A registered recipient may have been erased since, with the account. Then only another account can be paid.
  const unlessErased = plan.recipient.registeredAs === undefined ? '' : ', unless the recipient was erased';
  const detail = `A payment came back, and ${amount} is there: name another recipient in POST …/again, send it without one to pay the same account again${unlessErased}, or refund it and end the plan.`;
  return { stepId, why: 'MONEY_RETURNED', detail };
}

/** What has to happen after so much was refunded that the plan cannot go on. */
export function refundedAction(plan: Plan, words: Words): Next | undefined {
  const refunded = refundedBeforeSwap(plan);
  const step = dueStep(plan) ?? owedDelivery(plan);
  const isTooLittle = refunded !== ZERO;
  if (step === undefined || (!isTooLittle && !isNothingDue(plan))) return undefined;
  const left = isTooLittle ? unitsOf(depositOf(plan).received) - unitsOf(refunded) : 0n;
  const isGivenOut = isTooLittle && openAttempt(swapStep(plan)) !== undefined;
  const warning = isGivenOut ? ' Execute no instructions any more: they would swap other money.' : '';
  if (left <= 0n) {
    const above = hasPaidAbove(plan) ? reviewAction(plan, words) : undefined;
    if (above !== undefined)
      return underWayAction(plan) ?? { ...above, stepId: step.stepId, detail: `${above.detail}${warning}` };
    const isPaid = netPaidOf(plan) > 0n;
    const what = isPaid ? 'What the recipient was not paid' : 'All of the money';
    return endAction(plan, step.stepId, `${what} was refunded: end the plan.${warning}`);
  }
  const amount = words.amount(amountOf(left), assetsOf(plan).source);
  const detail = `A part of the deposit was refunded, and ${amount} is left: refund it, too, and end the plan.${warning}`;
  const review = { stepId: step.stepId, why: 'MONEY_UNEXPLAINED', detail } as const;
  return underWayAction(plan) ?? review;
}

function hasPaidAbove(plan: Plan): boolean {
  return leftOf(plan).some(({ unallocated }) =>
    unallocated.some((entry) => entry.reason === 'PAID_ABOVE_DUE' && isUnknown(plan, entry)),
  );
}

/** That the plan is to be ended, or what has to happen before: its end waits for all that may still move money. */
function endAction(plan: Plan, stepId: StepId, detail: string): Next {
  return underWayAction(plan) ?? { stepId, why: 'NOTHING_LEFT', detail };
}

/** What has to happen about a transaction that keeps a plan from being closed; undefined when there is none. */
function underWayAction(plan: Plan): Next | undefined {
  const first = lostDepositAction(plan) ?? pendingTransactionAction(plan) ?? unsettledSwapAction(plan);
  if (first !== undefined) return first;
  const { stepId, evidence } = swapStep(plan);
  const [lost] = evidence === undefined ? swapTransactions(plan) : [];
  if (lost !== undefined) {
    const detail = `The transaction ${lost} is no longer on the chain, and may be mined again: then it counts by itself. Report the one that replaced it; end the plan with "force": true only when neither can be mined.`;
    return { stepId, why: 'TRANSACTION_LOST', detail };
  }
  const last = lastStep(plan);
  const paid = evidenceOf(last);
  if (paid !== undefined && paid.status !== 'FINAL') return evidenceAction(last.stepId, paid);
  return lostPartAction(plan) ?? startedAction(plan);
}

/**
 * An action of a plan, with what has to be done besides: money came that nobody asked for. Money that was named when
 * the plan was closed needs nothing more. While money may be in two places, it is asked where it is before it is spent.
 */
export function withUnasked(plan: Plan, action: Next, words: Words): Next {
  const question = depositQuestion(plan, words);
  if (question !== undefined) {
    const { stepId } = action;
    if (NEXT[action.why].money === 'SPENDS') return { stepId, why: 'DEPOSIT_UNCLEAR', detail: question };
    return { ...action, detail: `${action.detail} Besides, ${question}` };
  }
  if (action.why === 'MONEY_UNEXPLAINED' || action.why === 'NOTHING_LEFT') return action;
  const unasked = leftOf(plan).flatMap((left) => {
    const units = unitsIn(unaskedIn(left).filter(({ acknowledged }) => !acknowledged));
    return units === 0n ? [] : [words.amount(amountOf(units), left.asset)];
  });
  if (unasked.length === 0) return action;
  const detail = `${action.detail} Besides, ${unasked.join(' and ')} came that the plan has no use for: ${unasked.length > 1 ? 'refund each and record each refund' : 'refund it and record the refund'}, now or when all else is done.`;
  return { ...action, detail };
}

/** An end is offered only where nothing else is due: it would end a payment that goes on. */
const REFUND_IT = 'refund it and record the refund, or end the plan: then you have seen it.';
const REFUND_EACH = 'refund each and record each refund, or end the plan: then you have seen them.';

/** What has to happen when the plan is over, and money is left that nobody has acknowledged. */
export function reviewAction(plan: Plan, words: Words): Next | undefined {
  const left = acknowledgementOf(plan);
  const [first] = left;
  const last = lastStep(plan);
  if (first === undefined || isOnlyDust(plan)) return undefined;
  // Money that was paid out without a swap gets a recorded arrival when the swap's transaction is found.
  const lostSwap = lostSwapAction(plan);
  if (lostSwap !== undefined) return lostSwap;
  const isPayers = !isSameAsset(first.asset, assetsOf(plan).target);
  const { stepId } = isPayers ? depositStep(plan) : last;
  const told = (all: readonly Money[]) =>
    all.map(({ amount, asset }) => words.amount(amount, asset)).join(' and ');
  const there = left.filter(({ direction }) => direction === 'IN');
  const isGone = (entry: Unallocated) => entry.direction === 'OUT' && isUnknown(plan, entry);
  const [ofPayer = [], ...others] = leftOf(plan).map(({ unallocated }) => unallocated.filter(isGone));
  const gone = [...ofPayer, ...others.flat()];
  const excess = gone.filter(({ reason }) => reason === 'PAID_ABOVE_DUE');
  // Where nobody else was paid, it was a refund.
  const back = netPaidOf(plan) > 0n ? excess.filter((entry) => ofPayer.includes(entry)) : excess;
  const above = excess.filter((entry) => !back.includes(entry));
  const second = gone.filter(({ reason }) => reason === 'SECOND_EXECUTION');
  const spent = gone.filter((entry) => !excess.includes(entry) && !second.includes(entry));
  const isExpired = plan.ended?.reason === 'EXPIRED' && plan.closed === undefined;
  const reopens = isExpired && isSameAsset(first.asset, assetsOf(plan).source);
  const reopened = reopens ? 'send POST …/again to go on with it, ' : '';
  const sentences = [
    there.length > 0 &&
      `The plan has no use for ${told(there)}: ${reopened}${there.length > 1 ? REFUND_EACH : REFUND_IT}`,
    above.length > 0 && paidAboveDue(plan, told(above)),
    back.length > 0 &&
      `${told(back)} more went back to the payer than came: find out whose money it was, and end the plan.`,
    second.length > 0 &&
      `A second execution spent ${told(second)}, which is set off against no deposit: look at what the deposit address holds, refund no more than that, and end the plan.`,
    spent.length > 0 &&
      `Of ${told(spent)} that was spent no arrival is on record: find out where it came from, and end the plan.`,
  ];
  const detail = sentences.filter((sentence) => sentence !== false).join(' ');
  const options: readonly NextOption[] = [
    ...(reopens && there.length > 0 ? (['again'] as const) : []),
    ...(above.length + spent.length > 0 ? (['reports'] as const) : []),
    'refunds',
    'end',
  ];
  return { stepId, why: 'MONEY_UNEXPLAINED', detail, options };
}
