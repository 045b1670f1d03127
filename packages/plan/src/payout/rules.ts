import { defined } from '@fairway/values';
import type { CommandOf, Ruling } from '../plan/commands.ts';
import {
  cameBack,
  changed,
  dueSentence,
  lostIsNoEvidence,
  nothingLeft,
  notReady,
  unchanged,
} from '../plan/rulings.ts';
import { returnedAs } from '../returns/payAgain.ts';
import {
  isKnownPart,
  isPart,
  isSameTransaction,
  isToldAgain,
  refuseFailed,
  refuseTooLittle,
  refuseWhileConfirming,
  restsAfter,
  standing,
  withoutPaidBy,
  withPaid,
  withRestPaid,
} from './paidByTransaction.ts';
import {
  isReturnKnown,
  onReturnReportedAgain,
  recordEarlierReturn,
  withReturn,
} from '../returns/returnedMoney.ts';
import { endedByReturn, isNothingDue } from '../book/payout.ts';
import { isReturned, isTurnOf, stepAs, without, withStep } from '../plan/steps.ts';
import type { TimeMs } from '../terms/scalars.ts';
import { onPayoutUndone } from '../swap/rules.ts';
import type { CustodianPayoutStep, Plan, StepEvidence } from '../plan/types.ts';

/**
 * Records that the custodian has paid, as its reference or a transaction says. A transaction that paid a part is a
 * movement, and the rest is due then.
 */
export function onPayoutDone(plan: Plan, command: CommandOf<'PAYOUT_DONE'>, atMs: TimeMs): Ruling {
  const step = stepAs(plan, 'CUSTODIAN_PAYOUT');
  if (command.evidence?.status === 'LOST') return lostIsNoEvidence(command.evidence);
  if (isRepeated(step, command) || isKnownPart(plan, command)) return unchanged(plan);
  const refusal = refusePayout(plan, step, command);
  if (refusal !== undefined) return refusal;
  const after = paid(step, command);
  const booked = command.evidence === undefined ? withRestPaid(plan, after, atMs) : plan;
  const next = isPart(plan, command) ? { ...after, status: 'READY' as const } : after;
  return changed(withPaid(booked, step, command, { step: next, told: after }, atMs));
}

function isRepeated(step: CustodianPayoutStep, command: CommandOf<'PAYOUT_DONE'>): boolean {
  const { evidence, providerReference } = command;
  if (evidence === undefined) return step.status === 'DONE' && step.providerReference === providerReference;
  // A reference that arrives after its transaction is new.
  const isNamed = providerReference !== undefined && step.providerReference === undefined;
  return !isNamed && isToldAgain(step, evidence);
}

function refusePayout(
  plan: Plan,
  step: CustodianPayoutStep,
  command: CommandOf<'PAYOUT_DONE'>,
): Ruling | undefined {
  const { evidence, providerReference } = command;
  const isSame = isSameTransaction(step, evidence);
  const back = returnedAs(step, defined({ providerReference, txHash: evidence?.txHash }));
  if (back !== undefined && !isSame) return cameBack(back.txHash ?? back.providerReference);
  if (step.status === 'DONE') {
    const isLost = step.evidence?.status === 'LOST';
    if (!isSame && !isLost) return notReady(plan, `The payout is DONE already. ${dueSentence(plan)}`);
  } else if (step.status !== 'READY' || !(isTurnOf(plan, step) || (isSame && wasClosed(plan)))) {
    return notReady(plan, dueSentence(plan));
  }
  // What the chain shows was paid, although all that was due had gone back before.
  if (evidence === undefined && isNothingDue(plan)) return nothingLeft(plan);
  return refuseWhileConfirming(plan, step, command) ?? refuseTooLittle(plan, step, command);
}

function paid(step: CustodianPayoutStep, command: CommandOf<'PAYOUT_DONE'>): CustodianPayoutStep {
  const { providerReference, verification, occurredAtMs, evidence: told } = command;
  // Details of another payment do not belong to this one.
  const before = isSameTransaction(step, told)
    ? step
    : without(step, 'providerReference', 'occurredAtMs', 'evidence');
  const evidence = restsAfter(step, told);
  const isFinal = evidence === undefined || evidence.status === 'FINAL';
  return {
    ...before,
    status: isFinal || step.status === 'DONE' ? 'DONE' : 'READY',
    verification,
    ...defined({ providerReference, occurredAtMs, evidence }),
  };
}

/** Records that the custodian could not pay. */
export function onPayoutFailed(plan: Plan, command: CommandOf<'PAYOUT_FAILED'>, atMs: TimeMs): Ruling {
  const step = stepAs(plan, 'CUSTODIAN_PAYOUT');
  const { failure, providerReference } = command;
  if (isKnownFailure(step, command)) return unchanged(plan);
  const back = returnedAs(step, defined({ providerReference }));
  if (back !== undefined) return cameBack(back.txHash ?? back.providerReference);
  const attempts = [...step.attempts, defined({ failedAtMs: atMs, failure, providerReference })];
  if (step.status !== 'READY' || !isTurnOf(plan, step)) return notReady(plan, dueSentence(plan));
  const paidBy = refuseFailed(step);
  if (paidBy !== undefined) return paidBy;
  const failed = { ...without(step, 'evidence'), status: 'FAILED' as const, failure, attempts };
  return changed(withStep(plan, { ...failed, verification: 'REPORTED' }));
}

/** A reference fails once, even when it is reported again after a retry. Without a reference the code is compared. */
function isKnownFailure(
  step: CustodianPayoutStep,
  { failure, providerReference }: CommandOf<'PAYOUT_FAILED'>,
): boolean {
  if (providerReference === undefined) return step.status === 'FAILED' && step.failure?.code === failure.code;
  return step.attempts.some(
    (known) =>
      known.outcome === undefined &&
      known.providerReference === providerReference &&
      known.failure.code === failure.code,
  );
}

/** Records money that came back after it was paid out. The step stays as it is, or is DONE when it was paid in part. */
export function onPayoutReturned(plan: Plan, command: CommandOf<'PAYOUT_RETURNED'>, atMs: TimeMs): Ruling {
  const step = stepAs(plan, 'CUSTODIAN_PAYOUT');
  const { type: _type, returned: money, ...told } = command;
  if (isReturnKnown(plan, told)) return onReturnReportedAgain(plan, command, atMs);
  const next = withReturn(plan, told, money, atMs);
  if (step.status === 'DONE') return changed(next);
  const over = step.status === 'READY' ? endedByReturn(plan) : undefined;
  if (over !== undefined) return changed(withStep(next, { ...step, status: 'DONE', ...over }));
  const earlier = recordEarlierReturn(plan, told, money, atMs);
  return earlier ?? notReady(plan, `Only a payout that is DONE can be returned. ${dueSentence(plan)}`);
}

/**
 * Records that the chain took the payout's transaction back: the step waits again, because no step comes after it. The
 * transaction is kept: it may be mined again, and paying anew would then pay twice.
 */
export function onPayoutEvidenceLost(plan: Plan, step: CustodianPayoutStep, atMs: TimeMs): Plan {
  const known = standing(step);
  if (known === undefined) return plan;
  const evidence: StepEvidence = { ...known, status: 'LOST' };
  // Returned money was paid out before, even if the chain has lost the transaction since.
  if (isReturned(plan)) return withStep(plan, { ...step, evidence });
  const told = without(step, 'verification', 'providerReference', 'occurredAtMs');
  const status = step.status === 'DONE' ? 'READY' : step.status;
  const lost = withStep(withoutPaidBy(plan, known, atMs), { ...told, status, evidence });
  return onPayoutUndone(lost, atMs);
}

/** Whether a person has ended the plan although money had moved, or for a reason. */
export function wasClosed({ ended }: Plan): boolean {
  return ended !== undefined && ended.reason !== 'EXPIRED' && ended.reason !== 'CANCELLED';
}
