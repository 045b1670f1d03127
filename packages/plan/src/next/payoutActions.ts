import { defined } from '@fairway/values';
import type { MaskedRecipient } from '@fairway/recipients';
import { canReissue, canResend, isLinkLive, MOST_RESENDS } from '../collect/rules.ts';
import { conversionOf } from '../terms/corridor.ts';
import { assetsOf } from '../terms/money.ts';
import { partsToReview, payer, paymentsToReview } from '../payout/review.ts';
import { payoutOf } from '../book/payout.ts';
import { collectStep, lastStep, owedDelivery, swapStep } from '../plan/steps.ts';
import { pendingPayoutsOf } from '../payout/pendingPayouts.ts';
import type { StepId } from '../terms/scalars.ts';
import type { CollectLink, CustodianPayoutStep, Hold, Plan, SendDigitalCollectStep } from '../plan/types.ts';
import type { Words } from '../terms/words.ts';
import type { Next } from './codes.ts';
import { evidenceAction, lostSwapAction, undoneSwapAction, unsettledSwapAction } from './swapActions.ts';
import { lostPartsOf } from '../payout/lostParts.ts';

/** What has to happen while the payout is due. */
export function payoutAction(plan: Plan, step: CustodianPayoutStep, words: Words): Next {
  const { stepId, evidence } = step;
  if (evidence !== undefined) return evidenceAction(stepId, evidence);
  const proof = plan.recipient.type === 'wallet' ? 'the transaction' : "the custodian's reference";
  return paymentAction(plan, plan.recipient, ['the recipient', proof], words);
}

/** What has to happen while a recipient is to be paid. `told`: who that is, and what is to be reported. */
function paymentAction(
  plan: Plan,
  { type }: MaskedRecipient,
  [whom, proof]: readonly [string, string],
  words: Words,
): Next {
  const started = lostPartAction(plan) ?? startedAction(plan);
  if (started !== undefined) return started;
  const { stepId } = lastStep(plan);
  const unclear = paymentsToReview(plan, words) ?? partsToReview(plan, words);
  if (unclear !== undefined) return { stepId, why: 'PAYMENT_UNCLEAR', detail: unclear };
  const { currency } = plan.corridor.target;
  const isConverted = type !== 'wallet' && conversionOf(plan.corridor) === 'CUSTODIAN';
  const by = isConverted ? `, which the custodian converts to ${currency},` : '';
  // Later it may be too late to tell what was paid.
  const paid = isConverted
    ? `, and in paid the amount in ${currency} that the recipient got: reconciliation and statements need it`
    : '';
  const amount = words.amount(payoutOf(plan).left, assetsOf(plan).target);
  const detail = `Have ${payer(plan)} pay ${whom} from ${amount}${by} as pay says, and report ${proof}${paid}.`;
  return { stepId, why: 'PAYOUT_DUE', detail };
}

/** What has to happen while the recipient has to choose where the money goes. */
export function linkAction(step: SendDigitalCollectStep): Next {
  const { stepId, status, failure, link } = step;
  const isAsked = link?.requestedAtMs !== undefined;
  if (link !== undefined && isLinkLive(link)) {
    const deadlineMs = link.expiresAtMs;
    if (link.mail === 'BOUNCED' || isAsked) return { ...linkTrouble(link), stepId, deadlineMs };
    if (isUnsent(link)) return { stepId, why: 'SEND_LINK', detail: UNSENT, deadlineMs };
    const detail = 'The recipient chooses where the money goes.';
    return { stepId, why: 'RECIPIENT_CHOOSES', detail, deadlineMs };
  }
  if (status === 'FAILED' || link?.state === 'EXPIRED') {
    if (!canReissue(step)) return settleDirectly(stepId);
    const asked = isAsked ? ', and the recipient asked for a new one' : '';
    const detail = `The collect link ended (${failure?.code ?? 'COLLECT_EXPIRED'})${asked}: send another with POST …/again, or refund the money and end the plan.`;
    return { stepId, why: 'LINK_ENDED', detail };
  }
  const detail =
    'The service sends the recipient a link. Where that takes more than a minute, name the recipient in POST …/again.';
  return { stepId, why: 'SEND_LINK', detail };
}

/** What is wrong with a link that can still be used, and whether another may be sent. */
function linkTrouble(link: CollectLink): Pick<Next, 'why' | 'detail' | 'options'> {
  const isBounced = link.mail === 'BOUNCED';
  const told = isBounced ? 'The e-mail with the link came back' : 'The recipient asked for a new link';
  if (!canResend(link)) {
    const detail = `${told}, and it was sent anew ${MOST_RESENDS} times: wait until it ends, or end the plan.`;
    return { why: 'LINK_FAILED', detail, options: ['end'] };
  }
  const remedy = isBounced
    ? 'name the right address as the recipient in POST …/again.'
    : 'send it with POST …/again.';
  return { why: 'LINK_FAILED', detail: `${told}: ${remedy}` };
}

/** Whether no mail server has taken the link's e-mail. It may have arrived all the same where the recipient has opened it. */
function isUnsent({ mail, state }: CollectLink): boolean {
  return mail === 'QUEUED' && state === 'WAITING';
}

const UNSENT =
  'The service sends the recipient an e-mail with a link, which no mail server has taken yet. It tries again by itself; the log of the service says why where it fails.';

const HELD_WHY: Readonly<Record<Hold['reason'], string>> = {
  COMPLIANCE_REVIEW: 'for a compliance review',
  INFORMATION_REQUIRED: 'because it lacks information',
  BANK_DELAY: 'because a bank is late',
  OTHER: 'for a reason of its own',
};

function holdAction(plan: Plan): Next | undefined {
  const step = lastStep(plan);
  if (step.hold === undefined) return undefined;
  const { reason, needs, untilMs } = step.hold;
  const needed =
    needs.length === 0
      ? 'The custodian decides what comes next: ask it'
      : `Give it what it needs: ${needs.join('; ')}`;
  const detail = `The payment is held by ${payer(plan)} ${HELD_WHY[reason]}. ${needed}. Report DONE when it has paid, or FAILED when it gives the payment up; have nothing paid in another way before.${swapTakenBack(plan)}`;
  const action = { stepId: step.stepId, why: 'PAYOUT_HELD', detail } as const;
  return { ...action, ...defined({ deadlineMs: untilMs }) };
}

/** What there is to know of a swap that the chain took back while its money is to be paid. */
function swapTakenBack(plan: Plan): string {
  const { evidence } = swapStep(plan);
  if (evidence?.status !== 'LOST') return '';
  return ` The chain took back the transaction ${evidence.txHash}, which brought the money.`;
}

function pendingPayoutAction(plan: Plan): Next | undefined {
  const step = lastStep(plan);
  const pending = pendingPayoutsOf(plan).at(-1);
  if (pending === undefined) return undefined;
  const detail = `The transaction ${pending.txHash}, which pays the recipient, waits to be mined; have nothing paid in another way before. When it is mined it counts by itself, and so does one with its nonce that replaced it; one that pays the recipient nothing makes the payment due again. Name it by logIndex if it pays another amount than is due. If it was for another plan, report it there: then this payment is due again. Report FAILED when neither can be mined any more.`;
  return { stepId: step.stepId, why: 'TRANSACTION_PENDING', detail };
}

/**
 * What has to happen about a payment that is held or waits to be mined, or about a delivery that is on its way. Undefined
 * when there is none.
 */
export function startedAction(plan: Plan): Next | undefined {
  const held = holdAction(plan);
  const pending = held ?? pendingPayoutAction(plan);
  if (pending !== undefined) return pending;
  const step = collectStep(plan);
  if (step?.delivery?.status !== 'SENT') return undefined;
  const detail = 'The custodian has sent the money: report DONE when it has arrived.';
  return { stepId: step.stepId, why: 'PAYMENT_SENT', detail };
}

/** What has to happen when the recipient cannot be asked any more. */
export function settleDirectly(stepId: StepId): Next {
  const detail =
    "No other link can be sent: agree with the recipient and the custodian directly where the money goes. When it is paid, end the plan with the reason SETTLED_ELSEWHERE and the custodian's reference in note. Or refund it and end the plan.";
  return { stepId, why: 'LINKS_USED_UP', detail };
}

/** What has to happen when every step is DONE: the recipient has chosen, and is to be paid or asked again. */
export function deliveryAction(plan: Plan, words: Words): Next | undefined {
  const step = owedDelivery(plan);
  if (step === undefined) return undefined;
  const { stepId, delivery } = step;
  const isFailed = delivery?.status === 'FAILED';
  if (!isFailed && delivery?.evidence !== undefined) return evidenceAction(stepId, delivery.evidence);
  const unsettled = undoneSwapAction(plan) ?? (isFailed ? lostSwapAction(plan) : unsettledSwapAction(plan));
  if (unsettled !== undefined) return unsettled;
  if (isFailed) return linkAction(step);
  const choice = step.destination ?? plan.recipient;
  return paymentAction(plan, choice, ["the recipient's choice", 'how that goes'], words);
}

/** What has to happen while a part is lost; undefined when none is. */
export function lostPartAction(plan: Plan): Next | undefined {
  const [part] = lostPartsOf(plan);
  if (part === undefined) return undefined;
  const detail = `The transaction ${part.txHash}, which paid a part, is no longer on the chain. Mined again, it counts by itself, and so does one with its nonce that replaced it; report FAILED when neither can be mined: only then have the custodian pay anew.`;
  return { stepId: lastStep(plan).stepId, why: 'TRANSACTION_LOST', detail };
}
