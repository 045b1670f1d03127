import { randomInt } from 'node:crypto';
import type { Recipient } from '@fairway/plan';
import type { MovementList, PaymentPlan, PaymentStep } from '@fairway/wire';
import { digits, germanIban } from '../bankNumbers.ts';
import { freshAccount } from '../paymentCalls.ts';
import { type LoadTarget, say, type Told } from './asking.ts';
import type { Acknowledged, PromisedEvent } from './ledger.ts';

let marks = 0;

/** A text that only one request has, so that the history shows whether it was kept. */
function freshMark(what: string): string {
  return `${what} ${(marks += 1)}`;
}

/** Has a payout that failed or came back paid again: to the same account, or to another. */
export function payAgain(target: LoadTarget, known: Acknowledged, told: Told): Promise<void> {
  const own = `/v1/payments/${known.plan.planId}`;
  if (target.random.integer(1, 2) === 1) return say(target, known, `${own}/again`, {}, told);
  const recipient = anotherAccount(known.asked.recipient as Recipient);
  target.ledger.address(known.plan.planId, recipient);
  return say(target, known, `${own}/again`, { recipient }, told, {
    type: 'RECIPIENT_REPLACED',
    recipient,
  });
}

/** The recipient with another account, which nobody has named before. */
function anotherAccount(recipient: Recipient): Recipient {
  if (recipient.type === 'wallet') return { ...recipient, address: freshAccount() as `0x${string}` };
  if (recipient.type === 'emoney') return { ...recipient, idValue: `+63917${digits(7)}` };
  if (recipient.type !== 'bank') return recipient;
  if (recipient.country === 'AU')
    return { ...recipient, account: { bsb: '062-000', accountNumber: digits(8) } } as Recipient;
  return { ...recipient, account: { iban: germanIban() } };
}

/**
 * Reports what became of a payout to an account. Each attempt to pay has a reference of its own, and what is paid
 * without saying how much settles all.
 */
export function reportPayout(
  target: LoadTarget,
  known: Acknowledged,
  { stepId, attempts = [] }: PaymentStep,
  told: Told,
): Promise<void> {
  const { planId, funds = [] } = known.plan;
  const providerReference = `PAID ${planId.slice(-12)} ${attempts.length}`;
  const asset = funds.at(-1)?.asset;
  const path = `/v1/payments/${planId}/steps/${stepId}/reports`;
  const outcome = target.random.pick([
    'DONE',
    'DEDUCTED',
    'DEDUCTED',
    'SHORT',
    'FAILED',
    'RETURNED',
    'RETURNED IN PART',
    'HELD',
  ] as const);
  const failure = { code: 'ACCOUNT_NOT_FOUND' };
  if (outcome === 'HELD') {
    const needs = [freshMark('invoice')];
    const report = { outcome, hold: { reason: 'INFORMATION_REQUIRED', needs } };
    return say(target, known, path, report, told, { type: 'PAYOUT_HELD', mark: needs[0] ?? '' });
  }
  if (outcome === 'FAILED') return say(target, known, path, { outcome, failure }, told);
  if (outcome === 'RETURNED') {
    const back = { outcome, providerReference: `BACK ${providerReference}`, failure };
    return say(target, known, path, back, told);
  }
  if (outcome === 'RETURNED IN PART') {
    const back = { outcome: 'RETURNED', providerReference: freshMark('BACK'), amount: '7', failure };
    return say(target, known, path, back, told, { type: 'PAYOUT_RETURNED', mark: back.providerReference });
  }
  if (outcome === 'DONE') return say(target, known, path, { outcome, providerReference }, told);
  if (outcome === 'SHORT')
    return say(target, known, path, { outcome: 'DONE', providerReference, amount: '1000000' }, told);
  const reason = freshMark('fee');
  const deductions = [{ amount: '1', asset, reason }];
  const report = { outcome: 'DONE', providerReference, deductions };
  return say(target, known, path, report, told, { type: 'PAYOUT_REPORTED', mark: reason });
}

/** Takes a payment to an account back, which was told of the wrong plan. */
export async function takeBack(
  target: LoadTarget,
  known: Acknowledged,
  { stepId }: PaymentStep,
  told: Told,
): Promise<void> {
  const own = `/v1/payments/${known.plan.planId}`;
  const reply = await target.random.pick(target.callers[known.organisation] ?? [])(
    `${own}/movements?limit=100`,
  );
  told(reply);
  const { data = [] } = JSON.parse(reply.text) as Partial<MovementList>;
  const reversed = new Set(data.map(({ reverses }) => reverses));
  const payments = data.filter(
    (row) => row.kind === 'PAYOUT' && row.reverses === undefined && !reversed.has(row.movementId),
  );
  if (payments.length === 0) return;
  const { movementId, providerReference } = target.random.pick(payments);
  const report = { outcome: 'DONE', providerReference, amount: '0', corrects: movementId };
  const promised = { type: 'PAYOUT_REPORTED', mark: movementId } as const;
  return say(target, known, `${own}/steps/${stepId}/reports`, report, told, promised);
}

/** Reports a transaction that is signed and may be sent. It is never sent, because that does not matter here. */
export function submitExecution(
  target: LoadTarget,
  known: Acknowledged,
  { stepId, attemptId }: PaymentStep,
  told: Told,
): Promise<void> {
  const txHash = `${freshAccount()}${'0'.repeat(24)}`;
  const sent = { sender: freshAccount(), nonce: randomInt(1000) };
  const path = `/v1/payments/${known.plan.planId}/steps/${stepId}/reports`;
  const report = { outcome: 'SUBMITTED', attemptId, txHash, ...sent };
  return say(target, known, path, report, told, { type: 'EXECUTION_SUBMITTED', mark: txHash });
}

/** Records that a unit of what the plan has went back to the payer. */
export function refund(target: LoadTarget, known: Acknowledged, told: Told): Promise<void> {
  const { planId, funds = [] } = known.plan;
  const { asset } = funds.find(hasMoney) ?? funds[0] ?? {};
  const providerReference = freshMark('REFUND');
  const report = { providerReference, amount: '1', asset };
  const promised = { type: 'REFUND_RECORDED', mark: providerReference } as const;
  return say(target, known, `/v1/payments/${planId}/refunds`, report, told, promised);
}

function hasMoney({ outstanding, unallocated }: NonNullable<PaymentPlan['funds']>[number]): boolean {
  return outstanding !== '0' || unallocated.some(({ direction }) => direction === 'IN');
}

/** Ends a plan at the revision that was answered last, which may be an earlier one than it has. */
export async function close(target: LoadTarget, known: Acknowledged, told: Told): Promise<void> {
  const { random } = target;
  const note = freshMark('closed');
  const request = { reason: 'OTHER', note, force: random.integer(1, 2) === 1 };
  const promised = { type: 'PLAN_ENDED', mark: note } as const;
  return end(target, known, request, told, promised);
}

/** Ends a plan without a reason, which only a plan allows whose money has not moved. */
export function cancel(target: LoadTarget, known: Acknowledged, told: Told): Promise<void> {
  return end(target, known, {}, told);
}

function end(
  target: LoadTarget,
  known: Acknowledged,
  request: object,
  told: Told,
  promised?: PromisedEvent,
): Promise<void> {
  const { planId, revision } = known.plan;
  const headers = { 'if-match': `"${revision}"` };
  return say(target, known, `/v1/payments/${planId}/end`, request, told, promised, headers);
}
