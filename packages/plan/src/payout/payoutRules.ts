import { isLess } from '../terms/amount.ts';
import { wasClosed } from '../book/closings.ts';
import { defined } from '../terms/defined.ts';
import type { Decision, PlanEvent } from '../plan/events.ts';
import { returnedAs } from '../returns/payAgain.ts';
import { isKnownPart, isPart, withPart } from './partPayments.ts';
import { recordEarlierReturn } from '../returns/earlierReturns.ts';
import { endedByReturn } from '../book/payoutPayments.ts';
import { isNothingDue } from '../book/payoutTurn.ts';
import {
  changed,
  dueSentence,
  isReturned,
  isTurnOf,
  lostIsNoEvidence,
  mismatch,
  notOfThisStep,
  notReady,
  unchanged,
  without,
  withStep,
} from '../plan/planSteps.ts';
import { isSameReturn, onReturnReportedAgain } from '../returns/returnedMoney.ts';
import type { TimeMs } from '../terms/scalars.ts';
import { onPayoutUndone } from '../swap/swapRules.ts';
import type { CustodianPayoutStep, Evidence, PayoutAttempt, Plan, Return } from '../plan/types.ts';

type Event<Type extends PlanEvent['type']> = Extract<PlanEvent, { type: Type }>;

function payoutStep(plan: Plan): CustodianPayoutStep | undefined {
  const last = plan.steps.at(-1);
  return last?.type === 'CUSTODIAN_PAYOUT' ? last : undefined;
}

/**
 * Records that the custodian has paid, as its reference or a transaction says. A transaction that paid a part is a
 * movement, and the rest is due then.
 */
export function onPayoutDone(plan: Plan, event: Event<'PAYOUT_DONE'>, atMs: TimeMs): Decision {
  const step = payoutStep(plan);
  if (step?.stepId !== event.stepId) return notOfThisStep(plan, event.stepId);
  if (event.evidence?.status === 'LOST') return lostIsNoEvidence(event.evidence);
  if (isRepeated(step, event) || isKnownPart(plan, event)) return unchanged(plan);
  const refusal = refusePayout(plan, step, event);
  if (refusal !== undefined) return refusal;
  const after = paid(step, event);
  const { evidence } = after;
  if (evidence === undefined || !isPart(plan, step, event)) return changed(withStep(plan, after));
  return changed(withPart(plan, { ...after, status: 'READY' }, evidence, event, atMs));
}

/** Whether the report is known already. A reference that arrives after its transaction is new. */
function isRepeated(step: CustodianPayoutStep, event: Event<'PAYOUT_DONE'>): boolean {
  const { evidence, providerReference } = event;
  if (evidence === undefined) return step.status === 'DONE' && step.providerReference === providerReference;
  const known = standing(step);
  if (known?.txHash !== evidence.txHash) return false;
  if (providerReference !== undefined && step.providerReference === undefined) return false;
  // A final transaction stays final: before it can be confirming again, it must be reported as lost.
  if (known.status === 'FINAL' && evidence.status === 'CONFIRMING') return true;
  return known.status === evidence.status && known.blockHash === evidence.blockHash;
}

function refusePayout(
  plan: Plan,
  step: CustodianPayoutStep,
  event: Event<'PAYOUT_DONE'>,
): Decision | undefined {
  const { evidence, providerReference } = event;
  const known = standing(step);
  const isSame = evidence !== undefined && known?.txHash === evidence.txHash;
  const back = returnedAs(step, defined({ providerReference, txHash: evidence?.txHash }));
  if (back !== undefined && !isSame) return cameBack(back);
  if (step.status === 'DONE') {
    const isLost = step.evidence?.status === 'LOST';
    if (!isSame && !isLost) return notReady(plan, `The payout is DONE already. ${dueSentence(plan)}`);
  } else if (step.status !== 'READY' || !(isTurnOf(plan, step) || (isSame && wasClosed(plan)))) {
    return notReady(plan, dueSentence(plan));
  }
  if (!isSame && isNothingDue(plan)) return notReady(plan, 'Nothing is left to pay out: end the plan.');
  if (known?.status === 'CONFIRMING' && !isSame)
    return notReady(
      plan,
      `The transaction ${known.txHash} paid out and is being confirmed. Wait until it is confirmed, or is no longer on the chain.`,
    );
  // A payment that was enough when it was accepted stays enough, even if the swap was executed anew since.
  if (evidence === undefined || (isSame && known.amount === evidence.amount)) return undefined;
  if (!isLess(evidence.amount, step.asset.amount) || isPart(plan, step, event)) return undefined;
  const detail = `The transaction paid ${evidence.amount} to the recipient, ${step.asset.amount} is due. Report the transaction that paid what is due.`;
  return mismatch(detail);
}

function paid(step: CustodianPayoutStep, event: Event<'PAYOUT_DONE'>): CustodianPayoutStep {
  const { providerReference, verification, amount, occurredAtMs } = event;
  const known = standing(step);
  const isSame = event.evidence !== undefined && known?.txHash === event.evidence.txHash;
  // Details of another payment do not belong to this one.
  const before = isSame ? step : without(step, 'providerReference', 'occurredAtMs', 'paidAmount', 'evidence');
  const isDowngrade = isSame && known.status === 'FINAL' && event.evidence?.status === 'CONFIRMING';
  const evidence = isDowngrade ? known : event.evidence;
  const paidAmount = evidence?.amount ?? amount;
  const isFinal = evidence === undefined || evidence.status === 'FINAL';
  return {
    ...before,
    status: isFinal || step.status === 'DONE' ? 'DONE' : 'READY',
    verification,
    ...defined({ providerReference, occurredAtMs, paidAmount, evidence }),
  };
}

/** The transaction that the payout rests on, unless the chain took it back. */
function standing({ evidence }: CustodianPayoutStep): Evidence | undefined {
  return evidence?.status === 'LOST' ? undefined : evidence;
}

/** The refusal of a payment that was made, and that came back. */
function cameBack({ providerReference, txHash }: PayoutAttempt): Decision {
  const detail = `The payment ${txHash ?? providerReference} came back, so it does not settle this payout. Report the payment that was made after it.`;
  return mismatch(detail);
}

/** Records that the custodian could not pay. */
export function onPayoutFailed(plan: Plan, event: Event<'PAYOUT_FAILED'>, atMs: TimeMs): Decision {
  const step = payoutStep(plan);
  if (step?.stepId !== event.stepId) return notOfThisStep(plan, event.stepId);
  const { failure, providerReference } = event;
  if (isKnownFailure(step, event)) return unchanged(plan);
  const back = returnedAs(step, defined({ providerReference }));
  if (back !== undefined) return cameBack(back);
  if (step.status !== 'READY' || !isTurnOf(plan, step)) return notReady(plan, dueSentence(plan));
  const known = standing(step);
  if (known !== undefined) {
    const detail = `The transaction ${known.txHash} paid the recipient, so the payout has not failed. Report what comes back of it as RETURNED.`;
    return mismatch(detail);
  }
  const attempts = [...step.attempts, defined({ failedAtMs: atMs, failure, providerReference })];
  const failed = { ...without(step, 'evidence'), status: 'FAILED' as const, failure, attempts };
  return changed(withStep(plan, { ...failed, verification: 'REPORTED' }));
}

/** A reference fails once, even when it is reported again after a retry. Without a reference the code is compared. */
function isKnownFailure(
  step: CustodianPayoutStep,
  { failure, providerReference }: Event<'PAYOUT_FAILED'>,
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
export function onPayoutReturned(plan: Plan, event: Event<'PAYOUT_RETURNED'>, atMs: TimeMs): Decision {
  const step = payoutStep(plan);
  if (step?.stepId !== event.stepId) return notOfThisStep(plan, event.stepId);
  const { type: _type, returned: money, ...told } = event;
  if (plan.returns.some((known) => isSameReturn(known, told)))
    return onReturnReportedAgain(plan, event, atMs);
  const returned: Return = { ...told, recordedAtMs: atMs };
  const next = { ...plan, returns: [...plan.returns, returned] };
  if (step.status === 'DONE') return changed(next);
  const over = step.status === 'READY' ? endedByReturn(plan, step) : undefined;
  if (over !== undefined) return changed(withStep(next, { ...step, status: 'DONE', ...over }));
  const earlier = recordEarlierReturn(plan, told, money, atMs);
  return earlier ?? notReady(plan, `Only a payout that is DONE can be returned. ${dueSentence(plan)}`);
}

/**
 * Records that the chain took the payout's transaction back: the step waits again, because no step comes after it. The
 * transaction is kept: it may be mined again, and paying anew would then pay twice.
 */
export function onPayoutEvidenceLost(plan: Plan, step: CustodianPayoutStep): Plan {
  const known = standing(step);
  if (known === undefined) return plan;
  const evidence: Evidence = { ...known, status: 'LOST' };
  if (isReturned(plan)) return withStep(plan, { ...step, evidence });
  const told = without(step, 'verification', 'providerReference', 'occurredAtMs', 'paidAmount');
  const status = step.status === 'DONE' ? 'READY' : step.status;
  return onPayoutUndone(withStep(plan, { ...told, status, evidence }));
}
