import {
  decide,
  dueStep,
  isLess,
  judgeDeposit,
  judgePayout,
  judgeRevertedSwap,
  judgeSwap,
  openAttempt,
  type Hash,
  type Plan,
  type PlanEvent,
  type Step,
  sumOf,
  type TransactionFacts,
  amountOf,
  defined,
} from '@fairway/plan';
import type { FieldError } from '@fairway/wire';
import { done, invalidFields, type Outcome, type ProblemFacts, refuse } from '../problems/problem.ts';
import type { Report } from './stepReport.ts';
import { timestampOf } from '../time/timestamp.ts';
import { observeDeposit, readTransactionFacts, readSwapFacts } from './chainFacts.ts';
import type { PaymentParts } from './paymentParts.ts';
import { chainAway, eventRefused, mismatch } from './planProblems.ts';

type StepOf<Type extends Step['type']> = Extract<Step, { type: Type }>;

/**
 * The event that a report claims happened to a step. Where the claim is about the chain, it is checked there; a claim
 * that the chain contradicts is a problem. `ignored`: transfers that do not count for this plan, by `transferName`.
 */
export async function claimEvent(
  parts: PaymentParts,
  plan: Plan,
  step: Step,
  report: Report,
  ignored: ReadonlySet<string>,
): Promise<Outcome<PlanEvent>> {
  const early = outOfTurn(plan, step, parts.nowMs());
  if (early !== undefined) return refuse(early);
  switch (step.type) {
    case 'AWAIT_DEPOSIT':
      return depositEvent(parts, plan, step, report, ignored);
    case 'EXECUTE_SWAP':
      return swapEvent(parts, plan, step, report);
    case 'CUSTODIAN_PAYOUT':
      return payoutEvent(parts, plan, step, report);
    case 'SEND_DIGITAL_COLLECT': {
      const detail =
        'The recipient completes this step by choosing where the money goes; it takes no reports.';
      return refuse({ code: 'step-not-ready', detail });
    }
  }
}

/** Why the step takes no report now; undefined when it takes one. The plan alone decides this, so no chain is read. */
function outOfTurn(plan: Plan, step: Step, nowMs: number): ProblemFacts | undefined {
  if (step.status === 'DONE' || step.type === 'SEND_DIGITAL_COLLECT') return undefined;
  const isDue = plan.ended === undefined && dueStep(plan)?.stepId === step.stepId;
  // A swap or a payout that FAILED takes another report; a deposit that FAILED because it came late needs a retry
  // first.
  if (isDue && (step.type !== 'AWAIT_DEPOSIT' || step.status !== 'FAILED')) return undefined;
  const decision = decide(plan, attemptAt(step), nowMs);
  return decision.ok ? undefined : eventRefused(decision.refusal);
}

/** An event that a step accepts only when it is due: trying it tells why the step takes no report now. */
function attemptAt(step: Exclude<Step, StepOf<'SEND_DIGITAL_COLLECT'>>): PlanEvent {
  const { stepId } = step;
  const failed = { stepId, failure: { code: 'OTHER' } } as const;
  switch (step.type) {
    case 'AWAIT_DEPOSIT':
      return {
        type: 'DEPOSIT_REPORTED',
        stepId,
        amount: step.expected,
        verification: 'REPORTED',
        transfers: [],
      };
    case 'EXECUTE_SWAP':
      return { type: 'SWAP_FAILED', ...failed, verification: 'REPORTED' };
    case 'CUSTODIAN_PAYOUT':
      return { type: 'PAYOUT_FAILED', ...failed };
  }
}

/** The problem of a report that lacks a field the step needs, or has one that the step does not take. */
function unfit(
  step: Step,
  { outcome, ...given }: Report,
  outcomes: readonly string[],
  needed: readonly (keyof Report)[],
  unused: readonly (keyof Report)[],
): { readonly ok: false; readonly problem: ReturnType<typeof invalidFields> } | undefined {
  const errors: FieldError[] = [];
  if (!outcomes.includes(outcome)) {
    const detail = `outcome must be ${outcomes.join(' or ')} for a step of the kind ${step.type}; given ${outcome}.`;
    errors.push({ pointer: '/outcome', detail });
  }
  for (const name of needed) {
    if ((given as Partial<Report>)[name] !== undefined) continue;
    errors.push({
      pointer: `/${name}`,
      detail: `${name} is missing; ${step.type} needs it with outcome ${outcome}.`,
    });
  }
  for (const name of unused) {
    if ((given as Partial<Report>)[name] === undefined) continue;
    errors.push({ pointer: `/${name}`, detail: `${name} says nothing of ${step.type}; leave it out.` });
  }
  return errors.length === 0 ? undefined : refuse(invalidFields(errors));
}

/**
 * The facts about a transaction that was mined after the plan was made, or why it cannot be the evidence of a report.
 */
export async function minedFacts(
  parts: PaymentParts,
  plan: Plan,
  txHash: Hash,
  read: typeof readTransactionFacts = readTransactionFacts,
): Promise<Outcome<TransactionFacts>> {
  const { chainId } = plan.corridor.source;
  const reading = await read(parts.chains.get(chainId), txHash);
  switch (reading.outcome) {
    case 'MINED':
      if (reading.facts.blockNumber < plan.watchFromBlock)
        return refuse(mismatch(`The transaction ${txHash} was mined before the plan was made.`));
      return done(reading.facts);
    case 'PENDING':
      return refuse(mismatch(`The transaction ${txHash} is not mined yet; report it when it is.`));
    case 'NONE':
      return refuse(
        mismatch(
          `The chain ${chainId} has no transaction ${txHash}. If another one replaced it, report that one's hash.`,
        ),
      );
    case 'UNREACHABLE':
    case 'CONTRADICTED':
      return refuse(chainAway(reading.outcome, chainId));
  }
}

async function depositEvent(
  parts: PaymentParts,
  plan: Plan,
  step: StepOf<'AWAIT_DEPOSIT'>,
  report: Report,
  ignored: ReadonlySet<string>,
): Promise<Outcome<PlanEvent>> {
  const wrong = unfit(step, report, ['DONE'], [], ['failure']);
  if (wrong !== undefined) return wrong;
  if (plan.options.depositAddress !== undefined) return observedDeposit(parts, plan, report, ignored);
  const { txHash, amount = step.expected, occurredAtMs } = report;
  const told = {
    type: 'DEPOSIT_REPORTED',
    stepId: step.stepId,
    ...defined({ occurredAtMs }),
  } as const;
  if (txHash === undefined) return done({ ...told, amount, verification: 'REPORTED', transfers: [] });
  const mined = await minedFacts(parts, plan, txHash);
  if (!mined.ok) return mined;
  const { sender } = plan.options;
  if (sender === undefined) return unaddressedDeposit(plan, mined.value, { ...told, amount });
  const judged = judgeDeposit(plan, mined.value, sender);
  if (!judged.ok) return refuse(mismatch(judged.detail));
  if (!judged.isFinal) return refuse(mismatch(tooFew(plan, mined.value)));
  const received = sumOf(judged.transfers.map((transfer) => transfer.amount));
  if (report.amount !== undefined && report.amount !== received)
    return refuse(mismatch(`The transaction ${txHash} brought ${received}, not ${report.amount}.`));
  const { transfers } = judged;
  return done({ ...told, amount: received, verification: 'VERIFIED', transfers });
}

function tooFew({ corridor }: Plan, { txHash, confirmations }: TransactionFacts): string {
  return `The transaction ${txHash} has ${confirmations} of ${corridor.minConfirmations} confirmations; report it when it has them.`;
}

/**
 * A reported deposit of a plan with neither a deposit address nor a sender. No transfer can be assigned to such a plan,
 * so only this is checked: that the transaction moved enough of the source token.
 */
function unaddressedDeposit(
  { corridor }: Plan,
  { transfers, outcome, txHash }: TransactionFacts,
  told: Omit<Extract<PlanEvent, { type: 'DEPOSIT_REPORTED' }>, 'verification' | 'transfers'>,
): Outcome<PlanEvent> {
  if (outcome === 'REVERTED') return refuse(mismatch(`The transaction ${txHash} was reverted.`));
  const moved = transfers.filter(({ token }) => token === corridor.source.token);
  const sum = amountOf(moved.reduce((total, { amount }) => total + amount, 0n));
  if (isLess(sum, told.amount))
    return refuse(
      mismatch(`The transaction ${txHash} moves ${sum} of the source token, not ${told.amount}.`),
    );
  return done({ ...told, verification: 'UNVERIFIABLE', transfers: [] });
}

/** A reported deposit of a plan whose deposit address the service watches: the transfers on the chain decide. */
async function observedDeposit(
  parts: PaymentParts,
  plan: Plan,
  { txHash, amount }: Report,
  ignored: ReadonlySet<string>,
): Promise<Outcome<PlanEvent>> {
  const { chainId } = plan.corridor.source;
  const event = await observeDeposit(parts.chains.get(chainId), plan, ignored);
  if (typeof event === 'string') return refuse(chainAway(event, chainId));
  const { received, transfers, headNumber } = event;
  const named = transfers.filter((transfer) => transfer.txHash === txHash);
  if (txHash !== undefined && named.length === 0) return notAmong(parts, plan, txHash, headNumber);
  const brought = txHash === undefined ? received : sumOf(named.map((transfer) => transfer.amount));
  if (amount !== undefined && amount !== brought)
    return refuse(mismatch(`The deposit address has received ${brought}, not ${amount}.`));
  if (isLess(received, plan.amountIn))
    return refuse(mismatch(`The deposit address has received ${received} of ${plan.amountIn}.`));
  return done(event);
}

/** Why a reported transaction is not among the deposits up to a block: it may be in a newer one, or in none. */
async function notAmong(
  parts: PaymentParts,
  plan: Plan,
  txHash: Hash,
  headNumber: number | undefined,
): Promise<Outcome<never>> {
  const mined = await minedFacts(parts, plan, txHash);
  if (!mined.ok) return mined;
  const { blockNumber } = mined.value;
  const isNewer = headNumber !== undefined && blockNumber > headNumber;
  return refuse(
    mismatch(
      isNewer
        ? `The transaction ${txHash} was not mined yet when the deposits were read; report it again.`
        : `The transaction ${txHash} brought nothing to the deposit address.`,
    ),
  );
}

async function swapEvent(
  parts: PaymentParts,
  plan: Plan,
  step: StepOf<'EXECUTE_SWAP'>,
  report: Report,
): Promise<Outcome<PlanEvent>> {
  const { outcome, txHash, failure, amount } = report;
  const needed = outcome === 'DONE' || failure?.code === 'REVERTED' ? (['txHash'] as const) : [];
  const wrong = unfit(step, report, ['DONE', 'FAILED'], needed, ['providerReference']) ?? unfitCode(failure);
  if (wrong !== undefined) return wrong;
  const { stepId } = step;
  if (outcome === 'FAILED' && failure !== undefined) {
    if (txHash === undefined) return failedWithoutTransaction(parts, step, failure);
    const mined = await minedFacts(parts, plan, txHash);
    if (!mined.ok) return mined;
    const judged = judgeRevertedSwap(plan, mined.value);
    if (!judged.ok) return refuse(mismatch(judged.detail));
    return done({ type: 'SWAP_FAILED', stepId, failure, verification: 'VERIFIED', txHash });
  }
  if (txHash === undefined)
    throw new Error('A report that a swap is DONE has no txHash, which was checked before.');
  const mined = await minedFacts(parts, plan, txHash, (chain, hash) => readSwapFacts(chain, plan, hash));
  if (!mined.ok) return mined;
  const judged = judgeSwap(plan, mined.value);
  if (!judged.ok) return refuse(mismatch(judged.detail));
  const { attemptIndex, evidence } = judged;
  if (amount !== undefined && amount !== evidence.amount)
    return refuse(mismatch(`The transaction ${txHash} brought ${evidence.amount}, not ${amount}.`));
  return done({ type: 'SWAP_EVIDENCED', stepId, attemptIndex, evidence });
}

function unfitCode(failure: Report['failure']) {
  if (failure === undefined || ['REVERTED', 'INSTRUCTIONS_EXPIRED', 'OTHER'].includes(failure.code))
    return undefined;
  const detail = `code must be REVERTED, INSTRUCTIONS_EXPIRED or OTHER for EXECUTE_SWAP; given ${failure.code}.`;
  return refuse(invalidFields([{ pointer: '/failure/code', detail }]));
}

/**
 * A failure without a transaction. INSTRUCTIONS_EXPIRED is refused while the instructions can still be executed: new
 * instructions beside them could lead to a second swap.
 */
function failedWithoutTransaction(
  { nowMs }: PaymentParts,
  step: StepOf<'EXECUTE_SWAP'>,
  failure: NonNullable<Report['failure']>,
): Outcome<PlanEvent> {
  const open = openAttempt(step);
  if (failure.code === 'INSTRUCTIONS_EXPIRED' && open !== undefined && nowMs() < open.notAfterMs)
    return refuse(mismatch(`The instructions can be executed until ${timestampOf(open.notAfterMs)}.`));
  const { stepId } = step;
  return done({ type: 'SWAP_FAILED', stepId, failure, verification: 'REPORTED' });
}

async function payoutEvent(
  parts: PaymentParts,
  plan: Plan,
  step: StepOf<'CUSTODIAN_PAYOUT'>,
  report: Report,
): Promise<Outcome<PlanEvent>> {
  const { recipient } = plan;
  const { outcome, providerReference, failure, txHash, amount, occurredAtMs } = report;
  const onChain = recipient.type === 'wallet' && outcome === 'DONE';
  const reference = outcome === 'FAILED' ? [] : [onChain ? 'txHash' : 'providerReference'];
  const wrong =
    unfit(
      step,
      report,
      ['DONE', 'FAILED', 'RETURNED'],
      reference as (keyof Report)[],
      onChain ? ['failure'] : outcome === 'DONE' ? ['txHash', 'failure'] : ['txHash'],
    ) ?? unfitPayoutCode(failure);
  if (wrong !== undefined) return wrong;
  const told = {
    stepId: step.stepId,
    ...defined({ providerReference }),
  };
  if (outcome === 'FAILED' && failure !== undefined) return done({ type: 'PAYOUT_FAILED', ...told, failure });
  const facts = {
    ...told,
    ...defined({ amount, occurredAtMs }),
  };
  if (outcome === 'RETURNED') return done({ type: 'PAYOUT_RETURNED', ...facts, ...defined({ failure }) });
  if (recipient.type !== 'wallet' || txHash === undefined)
    return done({ type: 'PAYOUT_DONE', ...facts, verification: 'REPORTED' });
  const mined = await minedFacts(parts, plan, txHash);
  if (!mined.ok) return mined;
  const judged = judgePayout(plan, mined.value, recipient.address);
  if (!judged.ok) return refuse(mismatch(judged.detail));
  const { evidence } = judged;
  if (amount !== undefined && amount !== evidence.amount)
    return refuse(mismatch(`The transaction ${txHash} paid ${evidence.amount}, not ${amount}.`));
  return done({ type: 'PAYOUT_DONE', ...facts, verification: 'VERIFIED', evidence });
}

function unfitPayoutCode(failure: Report['failure']) {
  if (failure === undefined || !['REVERTED', 'INSTRUCTIONS_EXPIRED'].includes(failure.code)) return undefined;
  const detail = `code must be one of a payout's for CUSTODIAN_PAYOUT, such as ACCOUNT_NOT_FOUND; given ${failure.code}.`;
  return refuse(invalidFields([{ pointer: '/failure/code', detail }]));
}
