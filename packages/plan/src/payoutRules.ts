import { isLess } from './amount.ts';
import type { Decision, PlanEvent } from './events.ts';
import {
  changed,
  dueSentence,
  dueStep,
  notReady,
  refused,
  unchanged,
  without,
  withStep,
} from './planSteps.ts';
import type { CustodianPayoutStep, Plan, Return, TimeMs } from './types.ts';

type Event<Type extends PlanEvent['type']> = Extract<PlanEvent, { type: Type }>;

function payoutStep(plan: Plan): CustodianPayoutStep | undefined {
  const last = plan.steps.at(-1);
  return last?.type === 'CUSTODIAN_PAYOUT' ? last : undefined;
}

/** The custodian has paid, by its reference or by a transaction. */
export function onPayoutDone(plan: Plan, event: Event<'PAYOUT_DONE'>): Decision {
  const step = payoutStep(plan);
  if (step?.stepId !== event.stepId)
    return refused({ reason: 'NOT_OF_THIS_STEP', stepType: 'CUSTODIAN_PAYOUT' });
  const { evidence, providerReference, verification, amount, occurredAtMs } = event;
  if (isRepeated(step, event)) return unchanged(plan);
  const isSameTransaction = evidence !== undefined && step.evidence?.txHash === evidence.txHash;
  const isLost = step.evidence?.status === 'LOST';
  if (step.status === 'DONE' && !isSameTransaction && !isLost)
    return notReady(plan, `The payout is DONE already. ${dueSentence(plan)}`);
  if (step.status !== 'DONE' && !isTurnOf(plan, step)) return notReady(plan, dueSentence(plan));
  if (step.evidence?.status === 'CONFIRMING' && !isSameTransaction)
    return notReady(plan, `The transaction ${step.evidence.txHash} paid out and is being confirmed.`);
  if (evidence !== undefined && isLess(evidence.amount, step.asset.amount)) {
    const detail = `The transaction paid ${evidence.amount} to the recipient, ${step.asset.amount} is due.`;
    return refused({ reason: 'EVIDENCE_MISMATCH', detail });
  }
  const paidAmount = evidence?.amount ?? amount;
  const paid: CustodianPayoutStep = {
    ...without(step, 'failure'),
    status:
      evidence === undefined || evidence.status === 'FINAL' || step.status === 'DONE' ? 'DONE' : 'READY',
    verification,
    ...(providerReference === undefined ? {} : { providerReference }),
    ...(occurredAtMs === undefined ? {} : { occurredAtMs }),
    ...(paidAmount === undefined ? {} : { paidAmount }),
    ...(evidence === undefined ? {} : { evidence }),
  };
  return changed(withStep(plan, paid));
}

function isRepeated(step: CustodianPayoutStep, event: Event<'PAYOUT_DONE'>): boolean {
  const { evidence, providerReference } = event;
  if (evidence === undefined) return step.status === 'DONE' && step.providerReference === providerReference;
  const known = step.evidence;
  if (known === undefined || known.txHash !== evidence.txHash || known.blockHash !== evidence.blockHash)
    return false;
  return known.status === evidence.status || known.status === 'FINAL';
}

/** The custodian could not pay. */
export function onPayoutFailed(plan: Plan, event: Event<'PAYOUT_FAILED'>, atMs: TimeMs): Decision {
  const step = payoutStep(plan);
  if (step?.stepId !== event.stepId)
    return refused({ reason: 'NOT_OF_THIS_STEP', stepType: 'CUSTODIAN_PAYOUT' });
  const { failure, providerReference } = event;
  const last = step.attempts.at(-1);
  if (
    step.status === 'FAILED' &&
    last?.failure.code === failure.code &&
    last.providerReference === providerReference
  )
    return unchanged(plan);
  if (step.status !== 'READY' || !isTurnOf(plan, step)) return notReady(plan, dueSentence(plan));
  if (step.evidence !== undefined) {
    const detail = `The transaction ${step.evidence.txHash} paid the recipient, so the payout has not failed.`;
    return refused({ reason: 'EVIDENCE_MISMATCH', detail });
  }
  const reference = providerReference === undefined ? {} : { providerReference };
  const attempts = [...step.attempts, { failedAtMs: atMs, failure, ...reference }];
  return changed(withStep(plan, { ...step, status: 'FAILED', failure, verification: 'REPORTED', attempts }));
}

/** Money that was paid out came back. What was done stays DONE. */
export function onPayoutReturned(plan: Plan, event: Event<'PAYOUT_RETURNED'>, atMs: TimeMs): Decision {
  const step = payoutStep(plan);
  if (step?.stepId !== event.stepId)
    return refused({ reason: 'NOT_OF_THIS_STEP', stepType: 'CUSTODIAN_PAYOUT' });
  const { type: _type, ...told } = event;
  if (plan.returns.some((known) => known.providerReference === told.providerReference))
    return unchanged(plan);
  if (step.status !== 'DONE')
    return notReady(plan, `Only a payout that is DONE can be returned. ${dueSentence(plan)}`);
  const returned: Return = { ...told, recordedAtMs: atMs };
  return changed({ ...plan, returns: [...plan.returns, returned] });
}

/** The chain took the payout's transaction back: the step waits again, as nothing comes after it. */
export function onPayoutEvidenceLost(plan: Plan, step: CustodianPayoutStep): Plan {
  if (plan.returns.length > 0 && step.evidence !== undefined)
    return withStep(plan, { ...step, evidence: { ...step.evidence, status: 'LOST' } });
  return withStep(plan, { ...without(step, 'evidence', 'verification', 'paidAmount'), status: 'READY' });
}

function isTurnOf(plan: Plan, { stepId }: CustodianPayoutStep): boolean {
  return plan.ended === undefined && dueStep(plan)?.stepId === stepId;
}
