import {
  type Address,
  attemptIdOf,
  type AwaitDepositStep,
  type CollectOptions,
  depositOf,
  evidenceWith,
  executableAttempt,
  NO_DEADLINE_MS,
  paymentsWith,
  payoutOf,
  type PayoutAttempt,
  type Plan,
  standingMovements,
  type Step,
  type Submission as SentTransaction,
  type StepEvidence,
  type SwapAttempt,
  ZERO,
} from '@fairway/plan';
import { defined, durationText } from '@fairway/values';
import type { PaymentPlan, PaymentStep } from '@fairway/wire';
import { holdBody } from '../holds.ts';
import { eip55, timestampOf } from '@fairway/api';
import { type Chains, moneyBody, paymentsBody } from './moneyBody.ts';
import { recipientBody } from './recipientBody.ts';

/** How a plan was executed: what the request chose, and what came back. */
export function executionsOf(plan: Plan, chains: Chains): Required<Pick<PaymentPlan, 'options' | 'returns'>> {
  return {
    options: optionsBody(plan),
    returns: plan.returns.map((returned) => returnBody(plan, returned, chains)),
  };
}

/** How a step was executed and paid. */
export function stepExecutions(plan: Plan, step: Step, chains: Chains): Partial<PaymentStep> {
  const { verification } = step;
  return { ...defined({ verification }), ...kindExecutions(plan, step, chains) };
}

function kindExecutions(plan: Plan, step: Step, chains: Chains): Partial<PaymentStep> {
  switch (step.type) {
    case 'AWAIT_DEPOSIT':
      return { deposit: depositBody(plan, step) };
    case 'EXECUTE_SWAP':
      return {
        ...shownId(plan, step),
        attempts: swapAttempts(plan, step),
        ...evidenceBody(plan, 'SWAP_OUT', step.evidence),
      };
    case 'CUSTODIAN_PAYOUT': {
      const { providerReference, evidence, occurredAtMs, hold } = step;
      return {
        attempts: step.attempts.map((attempt) => payoutAttemptBody(plan, attempt)),
        ...defined({ providerReference, paidAmount: paidIn(plan), hold: hold && holdBody(hold) }),
        ...paymentsBody(plan, chains),
        ...occurred(occurredAtMs),
        ...evidenceBody(plan, 'PAYOUT', evidence),
      };
    }
    case 'SEND_DIGITAL_COLLECT':
      return { ...defined({ hold: step.hold && holdBody(step.hold) }), ...paymentsBody(plan, chains) };
  }
}

type SwapStep = Extract<Step, { type: 'EXECUTE_SWAP' }>;

/**
 * The attempt whose instructions are shown. Without instructions that can be executed, the executed ones are, even if a
 * reorganisation removed their transaction. Failed and replaced instructions have no use, nor have those of a deposit
 * that went back.
 */
export function shownAttempt(plan: Plan, { attempts }: SwapStep): SwapAttempt | undefined {
  return (
    executableAttempt(plan) ??
    attempts.findLast(({ outcome }) => outcome === 'EXECUTED' || outcome === 'LOST')
  );
}

function shownId(plan: Plan, step: SwapStep): Pick<PaymentStep, 'attemptId'> {
  const shown = shownAttempt(plan, step);
  return shown === undefined ? {} : { attemptId: attemptIdOf(plan.planId, step.attempts.indexOf(shown)) };
}

function swapAttempts({ planId }: Plan, { attempts }: SwapStep): NonNullable<PaymentStep['attempts']> {
  return attempts.map((attempt, position) => ({
    attemptId: attemptIdOf(planId, position),
    at: timestampOf(attempt.derivedAtMs),
    outcome: attempt.outcome,
    minAmountOut: attempt.minAmountOut,
    ...defined({
      notAfter: attempt.notAfterMs < NO_DEADLINE_MS ? timestampOf(attempt.notAfterMs) : undefined,
      txHash: attempt.txHash,
      failure: attempt.failure,
      submissions: attempt.submissions?.map(submissionView),
    }),
  }));
}

/** Money that came back. A return that was reported without an amount has the amount of the ledger. */
function returnBody(
  plan: Plan,
  { recordedAtMs, occurredAtMs, ...told }: Plan['returns'][number],
  chains: Chains,
): NonNullable<PaymentPlan['returns']>[number] {
  const row = standingMovements(plan).find(
    ({ kind, providerReference }) => kind === 'RETURN' && providerReference === told.providerReference,
  );
  return {
    ...told,
    ...defined({ amount: told.amount ?? row?.actual, returned: row?.paid && moneyBody(row.paid, chains) }),
    recordedAt: timestampOf(recordedAtMs),
    ...occurred(occurredAtMs),
  };
}

/** The options of the request, with their defaults. */
function optionsBody({ mode, options }: Plan): NonNullable<PaymentPlan['options']> {
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

/** When something happened, as a report told. */
export function occurred(occurredAtMs: number | undefined): { occurredAt?: string } {
  return occurredAtMs === undefined ? {} : { occurredAt: timestampOf(occurredAtMs) };
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
function paidIn(plan: Plan) {
  const { paidOut } = payoutOf(plan);
  return paidOut === ZERO ? undefined : paidOut;
}

function depositBody(plan: Plan, step: AwaitDepositStep): NonNullable<PaymentStep['deposit']> {
  const { received, confirmed, outcome, transfers } = depositOf(plan);
  return {
    expected: step.expected,
    received,
    confirmed,
    ...defined({ outcome }),
    transfers: transfers.map(({ chainId, txHash, logIndex, blockNumber, from, amount }) => ({
      ...{ chainId, txHash, logIndex, blockNumber, amount },
      ...defined({ from: from && eip55(from) }),
    })),
  };
}

/** A transaction that was reported before it was mined. */
export function submissionView({ txHash, sender, nonce, submittedAtMs, fate }: SentTransaction) {
  return {
    txHash,
    at: timestampOf(submittedAtMs),
    ...defined({ sender: shownAddress(sender), nonce, fate }),
  };
}

/** What the chain showed of a step. */
export function evidenceBody(
  plan: Plan,
  kind: 'SWAP_OUT' | 'PAYOUT',
  evidence: StepEvidence | undefined,
): Pick<PaymentStep, 'evidence'> {
  if (evidence === undefined) return {};
  const {
    chainId,
    txHash,
    blockNumber,
    blockHash,
    amount,
    status,
    trust,
    transfers: moves,
  } = evidenceWith(plan, kind, evidence);
  const transfers = moves.map(({ logIndex, from, amount: moved }) => ({
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
