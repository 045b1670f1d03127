import {
  type Amount,
  assetsOf,
  amountToPayOf,
  collectRequestIdOf,
  collectRequestsOf,
  conversionOf,
  endToEndIdOf,
  isOver,
  type MaskedRecipient,
  type PayingStep,
  type PaymentApproval,
  payingState,
  type Plan,
  type PlanEnd,
  planStatus,
  type Step,
  swapStep,
  payoutDeadlineMs,
  payoutOf,
} from '@fairway/plan';
import { defined } from '@fairway/values';
import type { CustodianAction, Expansion, PaymentPlan, PaymentStep, Quote } from '@fairway/wire';
import { estimateOf } from './conversion.ts';
import { type Answer, type Outcome, revisionTag, timestampOf } from '@fairway/api';
import { executionsOf, shownAttempt, stepExecutions, submissionView } from './executionsBody.ts';
import { type Chains, fundsBody, moneyOf, planToken } from './moneyBody.ts';
import { nextBody, peggedAmount, type Shown } from './nextBody.ts';
import { inWords } from '../planWords.ts';
import { recipientBody } from './recipientBody.ts';
import { roundsOf } from './roundsBody.ts';

export type { Shown };

/** The answer with a plan and its entity tag, or with the problem of the outcome. `expand`: what it shows beside. */
export function planAnswer(
  outcome: Outcome<Plan>,
  shown: Shown,
  expand: readonly Expansion[],
): Answer<PaymentPlan> {
  if (!outcome.ok) return { ...outcome, problem: inWords(shown.chains, outcome.problem) };
  const { value: plan } = outcome;
  const headers = { etag: revisionTag(plan.revision) };
  return { ok: true, body: planBody(plan, shown, expand), headers, place: plan.corridor.id };
}

/** A plan in the form of the API, as it is now. `expand`: what it shows beside. */
export function planBody(plan: Plan, shown: Shown, expand: readonly Expansion[] = []): PaymentPlan {
  const round = collectRequestsOf(plan).at(-1)?.round;
  const { registeredAs } = plan.recipient;
  return {
    planId: plan.planId,
    clientReference: plan.clientReference,
    corridorId: plan.corridor.id,
    mode: plan.mode,
    status: planStatus(plan),
    ...defined({ next: nextBody(plan, shown) }),
    money: moneyOf(plan, shown.chains),
    amountIn: plan.amountIn,
    ...defined({ quote: quoteOf(plan, expand.includes('executions')) }),
    recipient: recipientBody(plan.recipient),
    ...defined({ recipientId: registeredAs?.recipientId, recipientVersion: registeredAs?.version }),
    revision: plan.revision,
    createdAt: timestampOf(plan.createdAtMs),
    updatedAt: timestampOf(plan.updatedAtMs),
    expiresAt: timestampOf(plan.expiresAtMs),
    endToEndId: endToEndIdOf(plan),
    ...defined({
      collectRequestId: round === undefined ? undefined : collectRequestIdOf(plan.planId, round),
      ended: plan.ended && endBody(plan.ended),
      approval: plan.approval && approvalBody(plan.approval),
    }),
    metadata: { ...plan.metadata },
    ...(expand.includes('custody') ? { funds: fundsBody(plan, shown.chains) } : {}),
    ...(expand.includes('executions') ? executionsOf(plan, shown.chains) : {}),
    steps: plan.steps.map((step) => stepBody(plan, step, shown, expand)),
  };
}

/** The newest quote. `isWhole`: with its fees and its route. */
function quoteOf(plan: Plan, isWhole: boolean): Quote | undefined {
  // A plan keeps the quote as the JSON of the API, so its type is known.
  const quote = swapStep(plan).attempts.at(-1)?.quote as Quote | undefined;
  if (quote === undefined || isWhole) return quote;
  const { fees: _fees, route: _route, ...exact } = quote;
  return exact;
}

function endBody({ reason, atMs, note }: PlanEnd): PaymentPlan['ended'] {
  return { reason, at: timestampOf(atMs), ...defined({ note }) };
}

function approvalBody({ version, madeBy, approved }: PaymentApproval): PaymentPlan['approval'] {
  if (approved === undefined) return { status: 'PENDING', version, madeBy };
  const { by, atMs } = approved;
  return { status: 'APPROVED', version, madeBy, approvedBy: by, approvedAt: timestampOf(atMs) };
}

function stepBody(plan: Plan, step: Step, shown: Shown, expand: readonly Expansion[]): PaymentStep {
  const { stepId, type, status, failure } = step;
  return {
    stepId,
    type,
    status,
    ...defined({ failure }),
    ...actionOf(plan, step, shown, expand.includes('custody')),
    ...(expand.includes('executions') ? stepExecutions(plan, step, shown.chains) : {}),
    ...(expand.includes('rounds') && step.type === 'SEND_DIGITAL_COLLECT' ? roundsOf(plan, step) : {}),
  };
}

/** What a step has somebody do. */
function actionOf(plan: Plan, step: Step, shown: Shown, isWhole: boolean): Partial<PaymentStep> {
  switch (step.type) {
    case 'AWAIT_DEPOSIT':
      return {};
    case 'EXECUTE_SWAP':
      // Who executes instructions of the past pays twice.
      return {
        instructions:
          step.status === 'DONE' || isOver(plan) ? [] : [...(shownAttempt(plan, step)?.instructions ?? [])],
      };
    case 'CUSTODIAN_PAYOUT': {
      const action = custodianAction(plan, step, plan.recipient, shown.chains);
      const custody = isWhole ? custodyOf(plan, step, plan.recipient, step.readyAtMs, shown) : {};
      return { custodianAction: { ...action, ...custody } };
    }
    case 'SEND_DIGITAL_COLLECT': {
      const { destination, delivery, submittedAtMs } = step;
      // After a failed delivery the custodian must not pay to this destination: the recipient chooses a new one.
      if (destination === undefined || delivery?.status === 'FAILED') return {};
      const action = custodianAction(plan, step, destination, shown.chains);
      const custody = isWhole ? custodyOf(plan, step, destination, submittedAtMs, shown) : {};
      return { custodianAction: { ...action, ...custody } };
    }
  }
}

const ACTIONS = { bank: 'PAYOUT_BANK', emoney: 'PAYOUT_EMONEY', wallet: 'TRANSFER_ONCHAIN' } as const;

/**
 * What the custodian is to pay, or has paid. Once a part was paid it is the rest, and so is the end-to-end id: they are one payment.
 */
function amountOfStep(plan: Plan, step: PayingStep): Amount {
  return payingState(step) === 'DUE' ? amountToPayOf(plan) : payoutOf(plan).due;
}

/** What the custodian is to do for a beneficiary. */
function custodianAction(
  plan: Plan,
  step: PayingStep,
  beneficiary: MaskedRecipient,
  chains: Chains,
): CustodianAction {
  const submissions = step.payout?.submissions?.map(submissionView);
  if (beneficiary.type === 'email') throw new Error('A custodian cannot pay to a recipient of type email.');
  return {
    action: ACTIONS[beneficiary.type],
    asset: planToken(assetsOf(plan).target, chains),
    amount: amountOfStep(plan, step),
    beneficiary: recipientBody(beneficiary),
    endToEndId: endToEndIdOf(plan),
    ...defined({ submissions }),
  };
}

/** What a custodian needs beside. `dueSinceMs`: when the payout became due. */
function custodyOf(
  plan: Plan,
  step: PayingStep,
  beneficiary: MaskedRecipient,
  dueSinceMs: number | undefined,
  shown: Shown,
): Partial<CustodianAction> {
  const { currency, custodian, rail } = plan.corridor.target;
  const isFinal = step.status !== 'PENDING';
  const pegged = isFinal
    ? peggedAmount(plan, amountOfStep(plan, step), beneficiary, shown.chains)
    : undefined;
  return {
    custodian,
    ...defined({ rail }),
    isFinal,
    target: {
      ...{ currency, conversion: conversionOf(plan.corridor) },
      ...defined({ amount: pegged, amountEstimate: estimateBody(shown, plan) }),
    },
    remittanceInfo: plan.clientReference,
    ...defined({
      notAfter: dueSinceMs === undefined ? undefined : timestampOf(payoutDeadlineMs(plan, dueSinceMs)),
    }),
    requiredEvidence: [beneficiary.type === 'wallet' ? 'txHash' : 'providerReference'],
  };
}

type AmountEstimate = NonNullable<CustodianAction['target']>['amountEstimate'];

function estimateBody(shown: Shown, plan: Plan): AmountEstimate {
  const estimate = estimateOf(shown, plan);
  if (estimate === undefined) return undefined;
  const { currency, asOfMs, ...told } = estimate;
  return { ...told, asset: { currency }, asOf: timestampOf(asOfMs) };
}
