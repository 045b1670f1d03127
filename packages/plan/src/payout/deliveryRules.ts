import { defined } from '@fairway/values';
import type { CommandOf, Ruling } from '../plan/commands.ts';
import { changed, dueSentence, lostIsNoEvidence, mismatch, notReady, unchanged } from '../plan/rulings.ts';
import {
  isReturnKnown,
  onReturnReportedAgain,
  recordEarlierReturn,
  withReturn,
} from '../returns/returnedMoney.ts';
import {
  isKnownPart,
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
import { endedByReturn, payoutOf } from '../book/payout.ts';
import { withTurn } from '../book/payoutTurn.ts';
import { stepAs, without, withStep } from '../plan/steps.ts';
import type { TimeMs } from '../terms/scalars.ts';
import type { CollectRound, Delivery, Plan, SendDigitalCollectStep, StepEvidence } from '../plan/types.ts';

type Report = CommandOf<'DELIVERY_REPORTED'>;

/** Records a report about the payment to the destination that the recipient chose. */
export function onDeliveryReported(plan: Plan, command: Report, atMs: TimeMs): Ruling {
  const step = stepAs(plan, 'SEND_DIGITAL_COLLECT');
  const { delivery } = step;
  if (command.evidence?.status === 'LOST') return lostIsNoEvidence(command.evidence);
  // A return of any round that is reported again, with facts that were missing.
  if (command.returned !== undefined && isReturnKnown(plan, command))
    return onReturnReportedAgain(plan, command, atMs);
  if (delivery === undefined)
    return notReady(plan, `The recipient has not chosen where the money goes. ${dueSentence(plan)}`);
  const isReportOfKnown = isSameTransaction(delivery, command.evidence);
  if (plan.ended !== undefined && command.status !== 'RETURNED' && !isReportOfKnown)
    return notReady(plan, dueSentence(plan));
  const ended = ofEndedRound(plan, step, command);
  if (ended !== undefined) return ended;
  if (command.status === 'FAILED') return onFailed(plan, step, delivery, command);
  if (command.status === 'RETURNED') return onReturned(plan, step, delivery, command, atMs);
  // A report that a held payment is on its way again is new, although the payment was reported as sent before.
  const isReleased = step.hold !== undefined && command.status === 'SENT' && command.evidence === undefined;
  if ((isRepeated(delivery, command) && !isReleased) || isKnownPart(plan, command)) return unchanged(plan);
  const refusal = refusePaid(plan, delivery, command);
  if (refusal !== undefined) return refusal;
  const told = paid(delivery, command);
  const isDelivered = command.status === 'DELIVERED' && delivery.status !== 'RETURNED';
  const booked = isDelivered && command.evidence === undefined ? withRestPaid(plan, told, atMs) : plan;
  return changed(withPaid(booked, delivery, command, { step: { ...step, delivery: told }, told }, atMs));
}

/**
 * Why a payment to an account, reported with its amounts, does not belong to the delivery; undefined when it does.
 */
export function refuseDelivery(
  plan: Plan,
  stepId: SendDigitalCollectStep['stepId'],
  providerReference: string,
  atMs: TimeMs,
): Ruling | undefined {
  const told = { stepId, status: 'DELIVERED', verification: 'REPORTED', providerReference } as const;
  const decision = onDeliveryReported(plan, { type: 'DELIVERY_REPORTED', ...told }, atMs);
  return decision.ok ? undefined : decision;
}

/**
 * A report about a reference that failed in an earlier round does not change the present round, however late it comes.
 */
function ofEndedRound(plan: Plan, { rounds }: SendDigitalCollectStep, command: Report): Ruling | undefined {
  const { providerReference, status, evidence } = command;
  const isEnded = rounds.some(
    ({ delivery }) => providerReference !== undefined && delivery?.providerReference === providerReference,
  );
  if (!isEnded) return undefined;
  if (status === 'RETURNED' && isReturnKnown(plan, command)) return unchanged(plan);
  if (status === 'FAILED' || (status === 'SENT' && evidence === undefined)) return unchanged(plan);
  return notReady(
    plan,
    `The delivery ${providerReference} failed, and the recipient is asked again. Wait until the recipient has chosen.`,
  );
}

/** Records that the custodian could not pay the destination: the round is over, and the recipient is asked again. */
function onFailed(plan: Plan, step: SendDigitalCollectStep, delivery: Delivery, command: Report): Ruling {
  const { verification, providerReference, occurredAtMs, failure } = command;
  if (delivery.status === 'FAILED') {
    const isSame = providerReference === undefined && delivery.failure?.code === failure?.code;
    return isSame ? unchanged(plan) : notReady(plan, ASKED_AGAIN);
  }
  if (delivery.status !== 'PENDING' && delivery.status !== 'SENT')
    return notReady(plan, `The delivery is ${delivery.status}; what comes back of it is told as RETURNED.`);
  const paidBy = refuseFailed(delivery);
  if (paidBy !== undefined) return paidBy;
  if (isAnother(delivery, command))
    return onItsWayAs(plan, delivery.providerReference, command.providerReference);
  const failed: Delivery = {
    ...without(delivery, 'sentAmount'),
    status: 'FAILED',
    verification,
    ...defined({ providerReference, occurredAtMs, failure }),
  };
  const { link, destination, submittedAtMs, rounds } = step;
  const version = link?.version ?? 0;
  const { earlierIds } = step.payout ?? {};
  const round: CollectRound = defined({ version, destination, submittedAtMs, delivery: failed, earlierIds });
  const next = withStep(plan, { ...step, delivery: failed, rounds: [...rounds, round] });
  // The recipient is asked where the rest goes, after a part was paid.
  return changed(payoutOf(plan).payouts.length === 0 ? next : withTurn(next));
}

function onReturned(
  plan: Plan,
  step: SendDigitalCollectStep,
  delivery: Delivery,
  command: Report,
  atMs: TimeMs,
): Ruling {
  const { type: _type, status: _status, verification: _verification, evidence: _evidence, ...all } = command;
  const { returned: money, ...told } = all;
  if (isReturnKnown(plan, told)) return unchanged(plan);
  const over = delivery.status === 'PENDING' ? endedByReturn(plan) : undefined;
  if (over === undefined && delivery.status !== 'DELIVERED' && delivery.status !== 'RETURNED')
    return (
      recordEarlierReturn(plan, told, money, atMs) ??
      notReady(
        plan,
        `Only what was DELIVERED can be returned; the delivery is ${delivery.status}. Report it as DELIVERED first.`,
      )
    );
  const next = withReturn(plan, told, money, atMs);
  return changed(withStep(next, { ...step, delivery: { ...delivery, ...over, status: 'RETURNED' } }));
}

function isRepeated(delivery: Delivery, { status, evidence, providerReference }: Report): boolean {
  const isReportOf = providerReference === undefined || providerReference === delivery.providerReference;
  if (evidence === undefined) {
    const passed = status === 'SENT' ? ['SENT', 'DELIVERED', 'RETURNED'] : ['DELIVERED', 'RETURNED'];
    return isReportOf && passed.includes(delivery.status);
  }
  // A reference that arrives after its transaction is new.
  return (isReportOf || delivery.providerReference !== undefined) && isToldAgain(delivery, evidence);
}

function refusePaid(plan: Plan, delivery: Delivery, command: Report): Ruling | undefined {
  const { evidence } = command;
  const isSame = isSameTransaction(delivery, evidence);
  if (delivery.status === 'FAILED') return notReady(plan, ASKED_AGAIN);
  if (delivery.status === 'DELIVERED' || delivery.status === 'RETURNED') {
    const isFound = evidence !== undefined && delivery.evidence?.status === 'LOST';
    if (!isSame && !isFound)
      return notReady(
        plan,
        `The delivery is ${delivery.status} already. Report what comes back of it as RETURNED.`,
      );
  }
  if (evidence !== undefined && payoutOf(plan).payouts.length > 0)
    return mismatch(
      'Payments to an account are recorded, so no transaction pays this delivery. Report the rest with its providerReference.',
    );
  const confirming = refuseWhileConfirming(plan, delivery, command);
  if (confirming !== undefined) return confirming;
  if (isAnother(delivery, command))
    return onItsWayAs(plan, delivery.providerReference, command.providerReference);
  return refuseTooLittle(plan, delivery, command);
}

const ASKED_AGAIN =
  'The delivery failed, and the recipient is asked again where the money goes. Wait until the recipient has chosen.';

/** Whether a report names another reference. Two references would be two payments, unless the first one's was lost. */
function isAnother({ providerReference, evidence }: Delivery, command: Report): boolean {
  if (providerReference === undefined || command.providerReference === undefined) return false;
  return evidence?.status !== 'LOST' && providerReference !== command.providerReference;
}

/** The refusal of a report that names another reference than the delivery has. */
export function onItsWayAs(plan: Plan, sent: string | undefined, told: string | undefined): Ruling {
  return notReady(
    plan,
    `The delivery is on its way as ${sent}, not as ${told}. Report what becomes of the first before another.`,
  );
}

function paid(delivery: Delivery, command: Report): Delivery {
  const { status, verification, providerReference, amount, occurredAtMs, evidence: told } = command;
  const isSent = told === undefined && status === 'SENT';
  // A report without a transaction does not give up a lost one, which may be mined again.
  const before =
    isSent || isSameTransaction(delivery, told) ? delivery : without(delivery, 'evidence', 'sentAmount');
  const evidence = restsAfter(delivery, told);
  const isOver = delivery.status === 'DELIVERED' || delivery.status === 'RETURNED';
  return {
    ...before,
    status: isOver ? delivery.status : statusSaid(status, evidence),
    verification,
    ...defined({ providerReference, occurredAtMs, evidence, sentAmount: isSent ? amount : undefined }),
  };
}

/** The status of a delivery: a transaction decides it by its confirmations, else the report does. */
function statusSaid(status: Report['status'], evidence: StepEvidence | undefined): Delivery['status'] {
  if (evidence === undefined) return status;
  return evidence.status === 'FINAL' ? 'DELIVERED' : 'SENT';
}

/** Records that the chain took the delivery's transaction back: the money is on its way again. */
export function onDeliveryEvidenceLost(plan: Plan, step: SendDigitalCollectStep, atMs: TimeMs): Plan {
  const { delivery } = step;
  const known = delivery === undefined ? undefined : standing(delivery);
  if (delivery === undefined || known === undefined) return plan;
  const evidence: StepEvidence = { ...known, status: 'LOST' };
  // Returned money was paid out before, even if the chain has lost the transaction since.
  if (delivery.status === 'RETURNED') return withStep(plan, { ...step, delivery: { ...delivery, evidence } });
  const told = without(delivery, 'verification', 'providerReference', 'occurredAtMs', 'sentAmount');
  const lost = withoutPaidBy(plan, known, atMs);
  return withStep(lost, { ...step, delivery: { ...told, status: 'SENT', evidence } });
}

/** What the payments to an account tell of a delivery when they account for all that is due. */
type Paid = Pick<Delivery, 'verification' | 'providerReference' | 'occurredAtMs'>;

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
  return withStep(plan, { ...step, delivery: { ...id, status: 'PENDING' } });
}
