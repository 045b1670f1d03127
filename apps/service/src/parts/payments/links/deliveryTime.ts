import {
  type Amount,
  collectStep,
  isLess,
  type Movement,
  payoutOf,
  type Plan,
  type PlanEvent,
  type SendDigitalCollectStep,
  sumOf,
} from '@fairway/plan';
import type { PlanScope } from '@fairway/store';
import type { PaymentParts } from '../paymentParts.ts';

type Round = SendDigitalCollectStep['rounds'][number];

/** The number of a plan's last events that are searched. */
const MOST_EVENTS = 200;

/**
 * When a payment of a link was sent, paid, failed or came back: as it was told, else when it was recorded. Undefined
 * where that is not known, and while the database is away.
 */
export async function deliveryTime(
  { store }: Pick<PaymentParts, 'store'>,
  scope: PlanScope,
  plan: Plan,
  { version, delivery }: Pick<Round, 'version' | 'delivery'>,
): Promise<number | undefined> {
  const step = collectStep(plan);
  const isPresent = step?.link?.version === version;
  if (delivery?.status === 'RETURNED') return isPresent ? returnedAt(plan) : undefined;
  if (delivery?.status !== 'DELIVERED' || !isPresent) return delivery?.occurredAtMs;
  const completing = completedBy(plan);
  if (completing !== undefined) return completing;
  if (delivery.occurredAtMs !== undefined) return delivery.occurredAtMs;
  const { found } = await store.payments.history(scope, plan.planId, {
    limit: MOST_EVENTS,
    afterRevision: Math.max(0, plan.revision - MOST_EVENTS),
  });
  return found?.events.find(({ command }) => isPaying(command, step.stepId, delivery))?.atMs;
}

/** The delivery's own time is that of the payment. */
function returnedAt({ returns }: Plan): number | undefined {
  const last = returns.at(-1);
  return last?.occurredAtMs ?? last?.recordedAtMs;
}

/**
 * When the payment was made with which all that was due was paid to an account. Further payments, and what is told of an
 * earlier one since, do not change it. Undefined where no amounts were told.
 */
function completedBy(plan: Plan): number | undefined {
  const { payouts, deductions, due } = payoutOf(plan);
  const payments = payouts
    .map((payment) => ({ payment, recordedAtMs: firstRecorded(plan, payment) }))
    .toSorted((a, b) => a.recordedAtMs - b.recordedAtMs);
  const settled: Amount[] = [];
  const completing = payments.find(({ payment }) => {
    const kept = deductions.filter(
      ({ providerReference }) => providerReference === payment.providerReference,
    );
    settled.push(payment.actual, ...kept.map(({ actual }) => actual));
    return !isLess(sumOf(settled), due);
  });
  const { payment, recordedAtMs } = completing ?? payments.at(-1) ?? {};
  return payment?.occurredAtMs ?? recordedAtMs;
}

/**
 * When a payment was first recorded. A later report of it is recorded with a movement that takes the one before back.
 */
function firstRecorded({ ledger = [] }: Pick<Plan, 'ledger'>, { seq, recordedAtMs }: Movement): number {
  const reversal = ledger.find(
    (row) =>
      row.kind === 'PAYOUT' &&
      row.reverses !== undefined &&
      row.recordedAtMs === recordedAtMs &&
      row.seq < seq,
  );
  const before = ledger.find(({ movementId }) => movementId === reversal?.reverses);
  return before === undefined ? recordedAtMs : firstRecorded({ ledger }, before);
}

/** Whether an event told of the payment of a delivery, for any account or by its transaction. */
function isPaying(
  command: PlanEvent['command'],
  stepId: string,
  { evidence: known }: NonNullable<Round['delivery']>,
): boolean {
  if (command.type !== 'DELIVERY_REPORTED' || command.stepId !== stepId) return false;
  const { status, evidence } = command;
  if (known === undefined || evidence === undefined) return status === 'DELIVERED';
  const isSame = evidence.txHash === known.txHash && evidence.blockHash === known.blockHash;
  return isSame && evidence.status === 'FINAL';
}
