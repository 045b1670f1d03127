import { isLess } from '../terms/amount.ts';
import { defined } from '../terms/defined.ts';
import type { Decision, PlanEvent } from '../plan/events.ts';
import { recordEarlierReturn } from '../returns/earlierReturns.ts';
import { isKnownPart, isPart, withPart } from './partPayments.ts';
import { endedByReturn, paymentsOf } from '../book/payoutPayments.ts';
import { withDue } from '../book/payoutTurn.ts';
import {
  changed,
  collectStep,
  dueSentence,
  lostIsNoEvidence,
  mismatch,
  notOfThisStep,
  notReady,
  swapStep,
  unchanged,
  without,
  withStep,
} from '../plan/planSteps.ts';
import { isSameReturn, onReturnReportedAgain } from '../returns/returnedMoney.ts';
import type { TimeMs } from '../terms/scalars.ts';
import { withEstimate } from '../swap/swapRules.ts';
import type {
  CollectRound,
  Delivery,
  Evidence,
  Plan,
  Return,
  SendDigitalCollectStep,
} from '../plan/types.ts';

type Report = Extract<PlanEvent, { type: 'DELIVERY_REPORTED' }>;

/** Records a report about the payment to the destination that the recipient chose. */
export function onDeliveryReported(plan: Plan, event: Report, atMs: TimeMs): Decision {
  const step = collectStep(plan);
  if (step?.stepId !== event.stepId) return notOfThisStep(plan, event.stepId);
  const { delivery } = step;
  if (event.evidence?.status === 'LOST') return lostIsNoEvidence(event.evidence);
  // A return of any round that is reported again, with facts that were missing.
  if (event.returned !== undefined && plan.returns.some((known) => isSameReturn(known, event)))
    return onReturnReportedAgain(plan, event, atMs);
  if (delivery === undefined)
    return notReady(plan, `The recipient has not chosen where the money goes. ${dueSentence(plan)}`);
  const isReportOfKnown =
    event.evidence !== undefined && event.evidence.txHash === standing(delivery)?.txHash;
  if (plan.ended !== undefined && event.status !== 'RETURNED' && !isReportOfKnown)
    return notReady(plan, dueSentence(plan));
  const ended = ofEndedRound(plan, step, event);
  if (ended !== undefined) return ended;
  if (event.status === 'FAILED') return onFailed(plan, step, delivery, event, atMs);
  if (event.status === 'RETURNED') return onReturned(plan, step, delivery, event, atMs);
  // A report that a held payment is on its way again is new, although the payment was reported as sent before.
  const isReleased = step.hold !== undefined && event.status === 'SENT' && event.evidence === undefined;
  if ((isRepeated(delivery, event) && !isReleased) || isKnownPart(plan, event)) return unchanged(plan);
  const refusal = refusePaid(plan, step, delivery, event);
  if (refusal !== undefined) return refusal;
  const after = { ...step, delivery: paid(delivery, event) };
  const { evidence } = after.delivery;
  if (evidence === undefined || !isPart(plan, step, event)) return changed(withStep(plan, after));
  return changed(withPart(plan, after, evidence, event, atMs));
}

/**
 * Why a payment to an account, reported with its amounts, does not belong to the delivery; undefined when it does.
 */
export function refuseDelivery(
  plan: Plan,
  stepId: SendDigitalCollectStep['stepId'],
  providerReference: string,
  atMs: TimeMs,
): Decision | undefined {
  const told = { stepId, status: 'DELIVERED', verification: 'REPORTED', providerReference } as const;
  const decision = onDeliveryReported(plan, { type: 'DELIVERY_REPORTED', ...told }, atMs);
  return decision.ok ? undefined : decision;
}

/**
 * A report about a reference that failed in an earlier round does not change the present round, however late it comes.
 */
function ofEndedRound(plan: Plan, { rounds }: SendDigitalCollectStep, event: Report): Decision | undefined {
  const { providerReference, status, evidence } = event;
  const isEnded = rounds.some(
    ({ delivery }) => providerReference !== undefined && delivery?.providerReference === providerReference,
  );
  if (!isEnded) return undefined;
  if (status === 'RETURNED' && plan.returns.some((known) => isSameReturn(known, event)))
    return unchanged(plan);
  if (status === 'FAILED' || (status === 'SENT' && evidence === undefined)) return unchanged(plan);
  return notReady(
    plan,
    `The delivery ${providerReference} failed, and the recipient is asked again. Wait until the recipient has chosen.`,
  );
}

/** Records that the custodian could not pay the destination: the round is over, and the recipient is asked again. */
function onFailed(
  plan: Plan,
  step: SendDigitalCollectStep,
  delivery: Delivery,
  event: Report,
  atMs: TimeMs,
): Decision {
  const { verification, providerReference, occurredAtMs, failure } = event;
  if (delivery.status === 'FAILED') {
    const isSame = providerReference === undefined && delivery.failure?.code === failure?.code;
    return isSame ? unchanged(plan) : notReady(plan, ASKED_AGAIN);
  }
  if (delivery.status !== 'PENDING' && delivery.status !== 'SENT')
    return notReady(plan, `The delivery is ${delivery.status}; what comes back of it is told as RETURNED.`);
  const known = standing(delivery);
  if (known !== undefined) {
    const detail = `The transaction ${known.txHash} paid the recipient, so the delivery has not failed. Report what comes back of it as RETURNED.`;
    return mismatch(detail);
  }
  if (isAnother(delivery, event)) return notReady(plan, anotherReference(delivery, event));
  const failed: Delivery = {
    ...without(delivery, 'paidAmount'),
    status: 'FAILED',
    verification,
    ...defined({ providerReference, occurredAtMs, failure }),
  };
  const { link, destination, submittedAtMs, rounds } = step;
  const version = link?.version ?? 0;
  const round: CollectRound = defined({ version, destination, submittedAtMs, delivery: failed });
  const next = withStep(plan, { ...step, delivery: failed, rounds: [...rounds, round] });
  const { payouts, left } = paymentsOf(plan, step);
  // The recipient is asked where the rest goes, after a part was paid.
  return changed(payouts.length === 0 ? next : withDue(next, left, atMs));
}

/** Records money that came back after it was delivered. */
function onReturned(
  plan: Plan,
  step: SendDigitalCollectStep,
  delivery: Delivery,
  event: Report,
  atMs: TimeMs,
): Decision {
  const { type: _type, status: _status, verification: _verification, evidence: _evidence, ...all } = event;
  const { returned: money, ...told } = all;
  if (plan.returns.some((known) => isSameReturn(known, told))) return unchanged(plan);
  const over = delivery.status === 'PENDING' ? endedByReturn(plan, step) : undefined;
  if (over === undefined && delivery.status !== 'DELIVERED' && delivery.status !== 'RETURNED')
    return (
      recordEarlierReturn(plan, told, money, atMs) ??
      notReady(
        plan,
        `Only what was DELIVERED can be returned; the delivery is ${delivery.status}. Report it as DELIVERED first.`,
      )
    );
  const returned: Return = { ...told, recordedAtMs: atMs };
  const next = withStep(plan, { ...step, delivery: { ...delivery, ...over, status: 'RETURNED' } });
  return changed({ ...next, returns: [...plan.returns, returned] });
}

/** Whether the report is known already. A reference that arrives after its transaction is new. */
function isRepeated(delivery: Delivery, { status, evidence, providerReference }: Report): boolean {
  const isReportOf = providerReference === undefined || providerReference === delivery.providerReference;
  if (evidence === undefined) {
    const passed = status === 'SENT' ? ['SENT', 'DELIVERED', 'RETURNED'] : ['DELIVERED', 'RETURNED'];
    return isReportOf && passed.includes(delivery.status);
  }
  const known = standing(delivery);
  if (known?.txHash !== evidence.txHash) return false;
  if (!isReportOf && delivery.providerReference === undefined) return false;
  // A final transaction stays final: before it can be confirming again, it must be reported as lost.
  if (known.status === 'FINAL' && evidence.status === 'CONFIRMING') return true;
  return known.status === evidence.status && known.blockHash === evidence.blockHash;
}

function refusePaid(
  plan: Plan,
  step: SendDigitalCollectStep,
  delivery: Delivery,
  event: Report,
): Decision | undefined {
  const { evidence } = event;
  const known = standing(delivery);
  const isSame = evidence !== undefined && known?.txHash === evidence.txHash;
  if (delivery.status === 'FAILED') return notReady(plan, ASKED_AGAIN);
  if (delivery.status === 'DELIVERED' || delivery.status === 'RETURNED') {
    const isFound = evidence !== undefined && delivery.evidence?.status === 'LOST';
    if (!isSame && !isFound)
      return notReady(
        plan,
        `The delivery is ${delivery.status} already. Report what comes back of it as RETURNED.`,
      );
  }
  if (evidence !== undefined && paymentsOf(plan, step).payouts.length > 0)
    return mismatch(
      'Payments to an account are recorded, so no transaction pays this delivery. Report the rest with its providerReference.',
    );
  if (known?.status === 'CONFIRMING' && !isSame)
    return notReady(
      plan,
      `The transaction ${known.txHash} paid the recipient and is being confirmed. Wait until it is confirmed, or is no longer on the chain.`,
    );
  if (isAnother(delivery, event)) return notReady(plan, anotherReference(delivery, event));
  // A payment that was enough when it was accepted stays enough, even if the swap was executed anew since.
  if (evidence === undefined || (isSame && known.amount === evidence.amount)) return undefined;
  if (!isLess(evidence.amount, step.asset.amount) || isPart(plan, step, event)) return undefined;
  const detail = `The transaction paid ${evidence.amount} to the recipient, ${step.asset.amount} is due. Report the transaction that paid what is due.`;
  return mismatch(detail);
}

const ASKED_AGAIN =
  'The delivery failed, and the recipient is asked again where the money goes. Wait until the recipient has chosen.';

/** Whether a report names another reference. Two references would be two payments, unless the first one's was lost. */
function isAnother({ providerReference, evidence }: Delivery, event: Report): boolean {
  if (providerReference === undefined || event.providerReference === undefined) return false;
  return evidence?.status !== 'LOST' && providerReference !== event.providerReference;
}

function anotherReference({ providerReference }: Delivery, event: Report): string {
  return `The delivery is on its way as ${providerReference}, not as ${event.providerReference}. Report what becomes of the first before another.`;
}

function paid(delivery: Delivery, event: Report): Delivery {
  const { status, verification, providerReference, amount, occurredAtMs } = event;
  const known = standing(delivery);
  const isSame = event.evidence !== undefined && known?.txHash === event.evidence.txHash;
  // A report without a transaction does not give up a lost one, which may be mined again.
  const isKept = isSame || (event.evidence === undefined && status === 'SENT');
  const before = isKept ? delivery : without(delivery, 'evidence');
  const isDowngrade = isSame && known.status === 'FINAL' && event.evidence?.status === 'CONFIRMING';
  const evidence = isDowngrade ? known : event.evidence;
  const paidAmount = evidence?.amount ?? amount;
  const isOver = delivery.status === 'DELIVERED' || delivery.status === 'RETURNED';
  return {
    ...before,
    status: isOver ? delivery.status : statusSaid(status, evidence),
    verification,
    ...defined({ providerReference, occurredAtMs, paidAmount, evidence }),
  };
}

/** The status of a delivery: a transaction decides it by its confirmations, else the report does. */
function statusSaid(status: Report['status'], evidence: Evidence | undefined): Delivery['status'] {
  if (evidence === undefined) return status;
  return evidence.status === 'FINAL' ? 'DELIVERED' : 'SENT';
}

/** The transaction that the delivery rests on, unless the chain took it back. */
function standing({ evidence }: Delivery): Evidence | undefined {
  return evidence?.status === 'LOST' ? undefined : evidence;
}

/** Records that the chain took the delivery's transaction back: the money is on its way again. */
export function onDeliveryEvidenceLost(plan: Plan, step: SendDigitalCollectStep): Plan {
  const { delivery } = step;
  const known = delivery === undefined ? undefined : standing(delivery);
  if (delivery === undefined || known === undefined) return plan;
  const evidence: Evidence = { ...known, status: 'LOST' };
  if (delivery.status === 'RETURNED') return withStep(plan, { ...step, delivery: { ...delivery, evidence } });
  const told = without(delivery, 'verification', 'providerReference', 'occurredAtMs', 'paidAmount');
  return withPresentDue(withStep(plan, { ...step, delivery: { ...told, status: 'SENT', evidence } }));
}

/**
 * The plan whose due amount is what the swap brought in its present block: the swap may have been mined again since.
 */
function withPresentDue(plan: Plan): Plan {
  const swap = swapStep(plan).evidence;
  return swap === undefined || swap.status === 'LOST' ? plan : withEstimate(plan, swap.amount, true);
}

/** What the payments to an account tell of a delivery when they account for all that is due. */
type Paid = Pick<Delivery, 'verification' | 'providerReference' | 'paidAmount' | 'occurredAtMs'>;

/**
 * The plan after a report told the amounts of a payment to an account. The delivery is DELIVERED when all that is due
 * is accounted for. Otherwise it is PENDING, unless another payment was sent and is on its way.
 */
export function withDeliveryPaid(
  plan: Plan,
  step: SendDigitalCollectStep,
  paidAll: Paid | undefined,
  providerReference: string,
): Plan {
  const { delivery } = step;
  const id = defined({ endToEndId: delivery?.endToEndId });
  if (paidAll !== undefined)
    return withStep(plan, { ...step, delivery: { ...id, status: 'DELIVERED', ...paidAll } });
  const sent = delivery?.status === 'SENT' ? delivery.providerReference : undefined;
  if (sent !== undefined && sent !== providerReference) return plan;
  const open = withStep(plan, { ...step, delivery: { ...id, status: 'PENDING' } });
  return delivery?.status === 'DELIVERED' ? withPresentDue(open) : open;
}
