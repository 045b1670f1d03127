import {
  type Address,
  attemptIdOf,
  type CollectOptions,
  type Closing,
  conversionOf,
  type Delivery,
  endToEndIdOf,
  type Evidence,
  executableAttempt,
  isCancelable,
  type MaskedRecipient,
  nextAction,
  NO_DEADLINE_MS,
  type PayingStep,
  paymentsWith,
  type PayoutAttempt,
  type Plan,
  type PaymentApproval,
  payableNow,
  planStatus,
  type SendDigitalCollectStep,
  standingMovements,
  type Step,
  type Submission as SentTransaction,
  sumOf,
  swapStep,
  defined,
} from '@fairway/plan';
import type { CustodianAction, PaymentPlan, PaymentStep, Quote } from '@fairway/wire';
import { estimateOf } from '../payments/conversion.ts';
import { holdBody } from '../payments/holds.ts';
import type { PaymentParts } from '../payments/paymentParts.ts';
import { planWords } from '../payments/planWords.ts';
import { payoutDeadlineMs } from '../payments/payoutDeadline.ts';
import { durationText } from '../time/duration.ts';
import { eip55 } from '../text/eip55.ts';
import { timestampOf } from '../time/timestamp.ts';
import type { Outcome } from '../problems/problem.ts';
import type { Answer } from './answer.ts';
import { revisionTag } from './entityTag.ts';
import { acknowledgedBody, fundsBody, moneyBody, paymentsBody } from './fundsBody.ts';
import { recipientBody } from './recipientBody.ts';

/**
 * Facts that the form of a plan depends on, apart from the plan: the time, the chains' tokens, how far they were read,
 * and rates.
 */
export type Shown = Pick<PaymentParts, 'chains' | 'nowMs' | 'rateFor'> & {
  readonly moments: Pick<PaymentParts['moments'], 'of'>;
};

/** The answer with a plan and its entity tag, or with the problem of the outcome. */
export function planAnswer(outcome: Outcome<Plan>, shown: Shown): Answer<PaymentPlan> {
  if (!outcome.ok) return outcome;
  const { value: plan } = outcome;
  const headers = { etag: revisionTag(plan.revision) };
  return { ok: true, body: planBody(plan, shown), headers, place: plan.corridor.id };
}

/** A plan in the form of the API, as it is now. */
export function planBody(plan: Plan, shown: Shown): PaymentPlan {
  const { chains, moments, nowMs } = shown;
  const estimate = estimateBody(shown, plan);
  const record = moments.of(plan.corridor.source.chainId);
  const isCatchingUp = record !== undefined && record.state !== 'AT_HEAD';
  const next = nextAction(plan, { nowMs: nowMs(), isCatchingUp }, planWords(chains));
  const quote = swapStep(plan).attempts.at(-1)?.quote;
  return {
    planId: plan.planId,
    clientReference: plan.clientReference,
    corridorId: plan.corridor.id,
    mode: plan.mode,
    status: planStatus(plan),
    revision: plan.revision,
    createdAt: timestampOf(plan.createdAtMs),
    updatedAt: timestampOf(plan.updatedAtMs),
    expiresAt: timestampOf(plan.expiresAtMs),
    cancelable: isCancelable(plan),
    amountIn: plan.amountIn,
    conversion: conversionOf(plan.corridor),
    ...defined({ amountEstimate: estimate }),
    options: optionsBody(plan),
    ...defined({ depositAddress: shownAddress(plan.options.depositAddress) }),
    // A plan keeps the quote as the JSON of the API, so its type is known.
    ...defined({ quote: quote as Quote | undefined }),
    ...(next === undefined
      ? {}
      : {
          nextAction: {
            stepId: next.stepId,
            actor: next.actor,
            what: next.what,
            detail: next.detail,
            ...defined({
              deadline: next.deadlineMs === undefined ? undefined : timestampOf(next.deadlineMs),
            }),
          },
        }),
    recipient: recipientBody(plan.recipient),
    ...defined({
      recipientId: plan.recipient.registeredAs?.recipientId,
      recipientVersion: plan.recipient.registeredAs?.version,
    }),
    metadata: { ...plan.metadata },
    returns: plan.returns.map((returned) => returnBody(plan, returned)),
    funds: fundsBody(plan),
    ...defined({
      closed: plan.closed && closedBody(plan.closed),
      approval: plan.approval && approvalBody(plan.approval),
    }),
    steps: plan.steps.map((step) => stepBody(plan, step, estimate)),
  };
}

function closedBody({ earlier, ...newest }: NonNullable<Plan['closed']>): PaymentPlan['closed'] {
  return { ...closingBody(newest), ...defined({ earlier: earlier?.map(closingBody) }) };
}

function closingBody({ reason, note, acknowledged, atMs, forced }: Closing) {
  const left = acknowledged.map(acknowledgedBody);
  return { reason, ...defined({ note }), acknowledged: left, at: timestampOf(atMs), forced };
}

function approvalBody({ version, madeBy, approved }: PaymentApproval): PaymentPlan['approval'] {
  if (approved === undefined) return { status: 'PENDING', version, madeBy };
  const { by, atMs } = approved;
  return { status: 'APPROVED', version, madeBy, approvedBy: by, approvedAt: timestampOf(atMs) };
}

/** Money that came back. A return that was reported without an amount has the amount of the ledger. */
function returnBody(
  plan: Plan,
  { recordedAtMs, occurredAtMs, ...told }: Plan['returns'][number],
): PaymentPlan['returns'][number] {
  const row = standingMovements(plan).find(
    ({ kind, providerReference }) => kind === 'RETURN' && providerReference === told.providerReference,
  );
  return {
    ...told,
    ...defined({ amount: told.amount ?? row?.actual, returned: row?.paid && moneyBody(row.paid) }),
    recordedAt: timestampOf(recordedAtMs),
    ...occurred(occurredAtMs),
  };
}

/** The options of the request, with their defaults. */
function optionsBody({ mode, options }: Plan): PaymentPlan['options'] {
  const { sender, depositAddress, slippageBps, minAmountOut, collect, collectLifeMs } = options;
  return {
    mode,
    slippageBps,
    ...defined({
      sender: shownAddress(sender),
      depositAddress: shownAddress(depositAddress),
      minAmountOut,
      collect: mode === 'STANDARD' ? undefined : collectOptionsBody(collect, collectLifeMs),
    }),
  };
}

function collectOptionsBody({ allowedDestinations, ...told }: CollectOptions = {}, lifeMs: number) {
  return {
    expiresIn: durationText(lifeMs / 1000),
    ...told,
    ...defined({ allowedDestinations: allowedDestinations && [...allowedDestinations] }),
  };
}

function shownAddress(address: Address | undefined): string | undefined {
  return address === undefined ? undefined : eip55(address);
}

function occurred(occurredAtMs: number | undefined): { occurredAt?: string } {
  return occurredAtMs === undefined ? {} : { occurredAt: timestampOf(occurredAtMs) };
}

type AmountEstimate = PaymentPlan['amountEstimate'];

function estimateBody(shown: Shown, plan: Plan): AmountEstimate {
  const estimate = estimateOf(shown, plan);
  if (estimate === undefined) return undefined;
  const { currency, asOfMs, ...told } = estimate;
  return { ...told, asset: { currency }, asOf: timestampOf(asOfMs) };
}

function stepBody(plan: Plan, step: Step, estimate: AmountEstimate): PaymentStep {
  const { stepId, type, status, verification, failure } = step;
  return {
    stepId,
    type,
    status,
    ...defined({ verification, failure }),
    ...detailsOf(plan, step, estimate),
  };
}

function detailsOf(
  plan: Plan,
  step: Step,
  estimate: AmountEstimate,
): Omit<PaymentStep, 'stepId' | 'type' | 'status'> {
  switch (step.type) {
    case 'AWAIT_DEPOSIT':
      return { deposit: depositBody(step) };
    case 'EXECUTE_SWAP':
      return swapBody(plan, step);
    case 'CUSTODIAN_PAYOUT': {
      const { providerReference, evidence, occurredAtMs, hold } = step;
      return {
        custodianAction: custodianAction(plan, step, plan.recipient, step.readyAtMs, estimate),
        attempts: step.attempts.map((attempt) => payoutAttemptBody(plan, attempt)),
        ...defined({ providerReference, paidAmount: paidIn(step), hold: hold && holdBody(hold) }),
        ...paymentsBody(plan, step),
        ...occurred(occurredAtMs),
        ...evidenceBody(evidence),
      };
    }
    case 'SEND_DIGITAL_COLLECT':
      return {
        collect: collectBody(step),
        ...defined({ hold: step.hold && holdBody(step.hold) }),
        ...paymentsBody(plan, step),
        // After a failed delivery the custodian must not pay to this destination: the recipient chooses a new one.
        ...(step.destination === undefined || step.delivery?.status === 'FAILED'
          ? {}
          : { custodianAction: custodianAction(plan, step, step.destination, step.submittedAtMs, estimate) }),
      };
  }
}

/** An attempt to pay that ended. One that came back names the movements of all its payments. */
function payoutAttemptBody(
  plan: Plan,
  { failedAtMs, recipient, earlierIds = [], ...attempt }: PayoutAttempt,
): NonNullable<PaymentStep['attempts']>[number] {
  const { outcome = 'FAILED', endToEndId } = attempt;
  const isBack = outcome === 'RETURNED' && endToEndId !== undefined;
  const paid = isBack
    ? paymentsWith(plan, [...earlierIds, endToEndId]).map(({ movementId }) => movementId)
    : undefined;
  const beneficiary = recipient && recipientBody(recipient);
  return {
    ...attempt,
    outcome,
    at: timestampOf(failedAtMs),
    ...defined({ beneficiary, movementIds: paid }),
  };
}

/** The amount that was paid in total: by the last transaction, and in parts by earlier ones. */
function paidIn({ paidAmount, payout }: Extract<Step, { type: 'CUSTODIAN_PAYOUT' }>) {
  const parts = [payout?.paid, paidAmount].filter((amount) => amount !== undefined);
  return parts.length === 0 ? undefined : sumOf(parts);
}

function depositBody(step: Extract<Step, { type: 'AWAIT_DEPOSIT' }>): NonNullable<PaymentStep['deposit']> {
  const { expected, received, confirmed, outcome, transfers } = step;
  return {
    expected,
    received,
    confirmed,
    ...defined({ outcome }),
    transfers: transfers.map(({ chainId, txHash, logIndex, blockNumber, from, amount }) => ({
      ...{ chainId, txHash, logIndex, blockNumber, amount },
      ...defined({ from: from && eip55(from) }),
    })),
  };
}

function swapBody(
  plan: Plan,
  step: Extract<Step, { type: 'EXECUTE_SWAP' }>,
): Omit<PaymentStep, 'stepId' | 'type' | 'status'> {
  // Without instructions that can be executed, the executed ones are shown, even if a reorganisation removed their
  // transaction. Failed and replaced instructions have no use, nor have those of a deposit that went back.
  const shown =
    executableAttempt(plan) ??
    step.attempts.findLast(({ outcome }) => outcome === 'EXECUTED' || outcome === 'LOST');
  return {
    instructions: [...(shown?.instructions ?? [])],
    ...(shown === undefined ? {} : { attemptId: attemptIdOf(plan.planId, step.attempts.indexOf(shown)) }),
    attempts: step.attempts.map((attempt, position) => ({
      attemptId: attemptIdOf(plan.planId, position),
      at: timestampOf(attempt.derivedAtMs),
      outcome: attempt.outcome,
      minAmountOut: attempt.minAmountOut,
      ...defined({
        notAfter: attempt.notAfterMs < NO_DEADLINE_MS ? timestampOf(attempt.notAfterMs) : undefined,
        txHash: attempt.txHash,
        failure: attempt.failure,
        submissions: attempt.submissions?.map(submissionView),
      }),
    })),
    ...evidenceBody(step.evidence),
  };
}

function submissionView({ txHash, sender, nonce, submittedAtMs, fate }: SentTransaction) {
  return {
    txHash,
    at: timestampOf(submittedAtMs),
    ...defined({ sender: shownAddress(sender), nonce, fate }),
  };
}

function evidenceBody(evidence: Evidence | undefined): Pick<PaymentStep, 'evidence'> {
  if (evidence === undefined) return {};
  const { chainId, txHash, blockNumber, blockHash, amount, status, trust } = evidence;
  const transfers = evidence.transfers.map(({ logIndex, from, amount: moved }) => ({
    ...{ logIndex, amount: moved },
    ...defined({ from: from && eip55(from) }),
  }));
  return {
    evidence: {
      ...{ chainId, txHash, blockNumber, blockHash, amount, transfers, status },
      ...defined({ trust }),
    },
  };
}

const ACTIONS = { bank: 'PAYOUT_BANK', emoney: 'PAYOUT_EMONEY', wallet: 'TRANSFER_ONCHAIN' } as const;

/** What the custodian must do to pay a beneficiary. `dueSinceMs`: when the payout became due. */
function custodianAction(
  plan: Plan,
  step: PayingStep,
  beneficiary: MaskedRecipient,
  dueSinceMs: number | undefined,
  estimate: AmountEstimate,
): CustodianAction {
  const { corridor, clientReference } = plan;
  const { chainId, token, custodian, rail, currency } = corridor.target;
  if (beneficiary.type === 'email') throw new Error('A custodian cannot pay to a recipient of type email.');
  const submissions = step.payout?.submissions?.map(submissionView);
  return {
    action: ACTIONS[beneficiary.type],
    custodian,
    ...defined({ rail }),
    asset: { chainId, token: eip55(token), ...step.asset },
    amountToPay: payableNow(plan),
    target: { currency, conversion: conversionOf(corridor), ...defined({ amountEstimate: estimate }) },
    beneficiary: recipientBody(beneficiary),
    endToEndId: endToEndIdOf(plan),
    remittanceInfo: clientReference,
    ...defined({
      submissions,
      notAfter: dueSinceMs === undefined ? undefined : timestampOf(payoutDeadlineMs(plan, dueSinceMs)),
    }),
    requiredEvidence: [beneficiary.type === 'wallet' ? 'txHash' : 'providerReference'],
  };
}

function collectBody(step: SendDigitalCollectStep): NonNullable<PaymentStep['collect']> {
  const { link, rounds, ...current } = step;
  return {
    ...(link === undefined
      ? {}
      : {
          link: {
            version: link.version,
            state: link.state,
            mail: link.mail,
            madeAt: timestampOf(link.madeAtMs),
            expiresAt: timestampOf(link.expiresAtMs),
            ...defined({
              openedAt: link.openedAtMs === undefined ? undefined : timestampOf(link.openedAtMs),
              requestedAt: link.requestedAtMs === undefined ? undefined : timestampOf(link.requestedAtMs),
            }),
            resends: link.resends,
          },
        }),
    ...(current.destination === undefined || current.destination.type === 'email'
      ? {}
      : { destinationType: current.destination.type }),
    ...submissionBody(current),
    rounds: rounds.map((round) => ({ version: round.version, ...submissionBody(round) })),
  };
}

type Submission = Pick<SendDigitalCollectStep, 'destination' | 'submittedAtMs' | 'delivery' | 'hold'>;

function submissionBody({ destination, submittedAtMs, delivery, hold }: Submission) {
  return {
    ...defined({
      destination: destination === undefined ? undefined : recipientBody(destination),
      submittedAt: submittedAtMs === undefined ? undefined : timestampOf(submittedAtMs),
      delivery: delivery === undefined ? undefined : deliveryBody(delivery, hold),
    }),
  };
}

function deliveryBody({ evidence, occurredAtMs, ...delivery }: Delivery, hold: Submission['hold']) {
  const held = defined({ hold: hold && holdBody(hold) });
  return { ...delivery, ...held, ...occurred(occurredAtMs), ...evidenceBody(evidence) };
}
