import { type Amount, amountOf, isLess, unitsOf, ZERO } from './amount.ts';
import { canReissue, isLinkLive } from './collectRules.ts';
import { conversionOf } from './corridor.ts';
import { defined } from './defined.ts';
import { flightsOf } from './flightRules.ts';
import { assetsOf } from './money.ts';
import { collectStep, dueStep, owesDelivery, swapStep } from './planSteps.ts';
import type { MaskedRecipient } from './recipient.ts';
import type { StepId, TimeMs } from './scalars.ts';
import { lostAttempt, openAttempt, owesInstructions } from './swapRules.ts';
import { isTransferOnly } from './transferOnly.ts';
import type {
  AwaitDepositStep,
  CustodianPayoutStep,
  Evidence,
  ExecuteSwapStep,
  Plan,
  SendDigitalCollectStep,
  Step,
} from './types.ts';
import { PLAIN_WORDS, type Words } from './words.ts';

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
  'SEND_LINK',
  'COLLECT',
  'REISSUE_LINK',
  'SETTLE_DIRECTLY',
  'DELIVER',
  'RETRY_STEP',
] as const;

/** The code of a next action. */
export type NextActionCode = (typeof NEXT_ACTIONS)[number];

/** When it is asked what has to happen next. */
export type Moment = { readonly nowMs: TimeMs };

/**
 * What has to happen next; undefined when the plan is over. `words`: how the sentence writes amounts and addresses.
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
  { nowMs }: Moment,
  words: Words = PLAIN_WORDS,
): NextAction | undefined {
  if (plan.ended !== undefined) return undefined;
  const step = dueStep(plan);
  if (step === undefined) return deliveryAction(plan, words);
  if (step.type === 'SEND_DIGITAL_COLLECT') return linkAction(step);
  if (step.status === 'FAILED') return retryAction(step);
  switch (step.type) {
    case 'AWAIT_DEPOSIT':
      return depositAction(plan, step, words);
    case 'EXECUTE_SWAP':
      return swapAction(plan, step, nowMs, words);
    case 'CUSTODIAN_PAYOUT':
      return payoutAction(plan, step, words);
  }
}

function retryAction({ stepId, type, failure }: Step): NextAction {
  const code = failure?.code ?? 'FAILED';
  const detail = `${type} failed (${code}); retry the step when the cause is gone.`;
  return { stepId, actor: 'INTEGRATOR', what: 'RETRY_STEP', detail };
}

function depositAction(plan: Plan, step: AwaitDepositStep, words: Words): NextAction {
  const { stepId, expected, received } = step;
  const { source } = assetsOf(plan);
  const deadlineMs = plan.expiresAtMs;
  const place = depositPlace(plan, words);
  if (received === ZERO) {
    const detail = `Send ${words.amount(expected, source)} ${place}.`;
    return { stepId, actor: 'INTEGRATOR', what: 'SEND_DEPOSIT', detail, deadlineMs };
  }
  if (isLess(received, expected)) {
    const missing = amountOf(unitsOf(expected) - unitsOf(received));
    const detail = `${words.amount(received, source)} has arrived; send the missing ${words.amount(missing, source)} ${place}.`;
    return { stepId, actor: 'INTEGRATOR', what: 'TOP_UP_DEPOSIT', detail, deadlineMs };
  }
  const detail = `The deposit is waiting for ${plan.corridor.minConfirmations} confirmations.`;
  return { stepId, actor: 'SERVICE', what: 'CONFIRM_DEPOSIT', detail };
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
  const flight = flightsOf(plan).at(-1);
  if (flight !== undefined) {
    const detail = `The transaction ${flight.txHash} was submitted; report it when it is mined. If another one with its nonce replaced it, report that one; refresh when neither can be mined any more.`;
    return { stepId, actor: 'INTEGRATOR', what: 'WAIT_FOR_EXECUTION', detail };
  }
  if (withheld?.reason === 'PRICE_BELOW_FLOOR')
    return { stepId, actor: 'SERVICE', what: 'WAIT_FOR_PRICE', detail: withheld.detail };
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
  const proof = plan.recipient.type === 'wallet' ? 'the transaction' : "the custodian's reference";
  const detail = `Have ${payer(plan)} pay the recipient from ${payoutAmount(plan, asset.amount, plan.recipient, words)} as custodianAction says, and report ${proof}.`;
  return { stepId, actor: 'INTEGRATOR', what: 'PAY_OUT', detail };
}

function payer({ corridor }: Plan): string {
  return `the custodian (${corridor.target.custodian})`;
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
    if (!canReissue(step)) {
      const detail =
        'No other link can be sent: agree with the recipient and the custodian directly where the money goes.';
      return { stepId, actor: 'INTEGRATOR', what: 'SETTLE_DIRECTLY', detail };
    }
    const detail = `The collect link ended (${failure?.code ?? 'COLLECT_EXPIRED'}); reissue it.`;
    return { stepId, actor: 'INTEGRATOR', what: 'REISSUE_LINK', detail };
  }
  const detail = 'The service sends the recipient a link; where that takes more than a minute, readdress it.';
  return { stepId, actor: 'SERVICE', what: 'SEND_LINK', detail };
}

/** What has to happen when every step is DONE: the recipient has chosen, and is to be paid or asked again. */
function deliveryAction(plan: Plan, words: Words): NextAction | undefined {
  const step = collectStep(plan);
  if (step === undefined || !owesDelivery(step)) return undefined;
  const { stepId, delivery } = step;
  if (delivery?.status === 'FAILED') return linkAction(step);
  if (delivery?.evidence !== undefined) return evidenceAction(stepId, delivery.evidence);
  const swap = swapStep(plan);
  if (swap.evidence?.status === 'LOST') {
    const detail = `The transaction ${swap.evidence.txHash}, which brought the money, is no longer on the chain. Mined again, it counts by itself; report the one that replaced it; have nothing paid out before.`;
    return { stepId: swap.stepId, actor: 'INTEGRATOR', what: 'FIND_TRANSACTION', detail };
  }
  const detail =
    delivery?.status === 'SENT'
      ? 'The custodian has sent the money; report when it has arrived.'
      : `Have ${payer(plan)} pay the recipient's choice from ${payoutAmount(plan, step.asset.amount, step.destination ?? plan.recipient, words)} as custodianAction says, and report how that goes.`;
  return { stepId, actor: 'INTEGRATOR', what: 'DELIVER', detail };
}
