// A custodian holds a payment back. A report tells the hold, the plan shows it, an event publishes it, and the next
// report ends it.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CollectRequest, Event, EventList, PaymentPlan } from '@fairway/wire';
import { collectToWallet } from '../collectForms.ts';
import { assertProblem, freshAddress, startPaymentsTest, statusesOf, stepOf } from '../paymentsHarness.ts';

const payments = await startPaymentsTest();
after(() => payments.close());

const NEEDS = ['the invoice', 'who owns the company'];
const UNTIL = '2031-02-03T04:05:06.000Z';
const HOLD = { reason: 'INFORMATION_REQUIRED', needs: NEEDS, until: UNTIL };
const HELD = { outcome: 'HELD', hold: HOLD };

const played = (plan: PaymentPlan) => payments.played(plan, 'deposit.exact', 'swap.done');

/** A plan whose payout to a bank is due. */
const due = async () => played(await payments.plan());

/** A plan whose recipient has chosen a wallet. */
async function chosen(): Promise<PaymentPlan> {
  const email = `held-${freshAddress()}@example.com`;
  const plan = await payments.plan({
    corridorId: 'usdc-eur-collect',
    recipient: { type: 'email', email, name: 'Jo Doe' },
    options: { mode: 'DIGITAL_COLLECT' },
  });
  await played(plan);
  await collectToWallet(payments.service, email, freshAddress());
  return payments.get(plan.planId);
}

const payout = (plan: PaymentPlan, report: object) =>
  payments.report(plan, 'CUSTODIAN_PAYOUT', report as { readonly [field: string]: unknown });

const delivery = (plan: PaymentPlan, report: object) =>
  payments.report(plan, 'SEND_DIGITAL_COLLECT', { ...report });

const end = (plan: PaymentPlan, more: object = {}) =>
  payments.end(plan, { reason: 'SETTLED_ELSEWHERE', ...more });

/** The events of a type about a subject, once there are so many. */
async function eventsOf(subject: string, type: string, count: number): Promise<readonly Event[]> {
  for (const untilMs = performance.now() + 20_000; performance.now() < untilMs; await sleep(50)) {
    const { json } = await payments.ask(`/v1/events?subject=${subject}&type=${type}&limit=100`);
    const { data } = json as EventList;
    if (data.length >= count) return data;
  }
  return assert.fail(`${type} of ${subject} did not come`);
}

test('a payout that is held is shown and told, and DONE ends it', async () => {
  const plan = await due();
  const { status, body, text } = await payout(plan, { ...HELD, providerReference: 'HELD-1' });
  assert.equal(status, 200, text);
  assert.deepEqual([body.status, statusesOf(body)], ['ACTION_REQUIRED', 'DONE DONE READY']);
  const { heldAt = '', ...hold } = stepOf(body, 'CUSTODIAN_PAYOUT').hold ?? {};
  assert.deepEqual(hold, { ...HOLD, providerReference: 'HELD-1' });
  assert.equal(heldAt, body.updatedAt);
  const { do: what, by, why, pay, detail, deadline } = body.next ?? {};
  assert.deepEqual([what, by, why, pay, deadline], ['WAIT', 'CUSTODIAN', 'PAYOUT_HELD', undefined, UNTIL]);
  assert.match(detail ?? '', /^The payment is held by the custodian \(.+\) because it lacks information\./);
  assert.match(detail ?? '', /Give it what it needs: the invoice; who owns the company\. Report DONE when/);
  assert.deepEqual((await payments.get(plan.planId)).steps, body.steps);
  const again = await payout(plan, { ...HELD, providerReference: 'HELD-1' });
  assert.equal(again.body.revision, body.revision, 'a repetition changes nothing');
  const decided = { outcome: 'HELD', hold: { reason: 'BANK_DELAY' }, occurredAt: plan.createdAt };
  const other = (await payout(plan, decided)).body;
  const expected = { reason: 'BANK_DELAY', needs: [], heldAt: plan.createdAt };
  assert.deepEqual(stepOf(other, 'CUSTODIAN_PAYOUT').hold, expected);
  assert.match(other.next?.detail ?? '', /a bank is late\. The custodian decides what comes next: ask it\./);
  const paid = (await payout(plan, { outcome: 'DONE', providerReference: 'PAID-1' })).body;
  assert.deepEqual([paid.status, stepOf(paid, 'CUSTODIAN_PAYOUT').hold], ['COMPLETED', undefined]);
  const [first, second, ...more] = await eventsOf(plan.planId, 'payment_plan.step.held', 2);
  assert.equal(more.length, 0);
  assert.equal(first?.stepId, stepOf(plan, 'CUSTODIAN_PAYOUT').stepId);
  const told = [first, second].map((event) => stepOf(event?.data.object as PaymentPlan, 'CUSTODIAN_PAYOUT'));
  assert.deepEqual(
    told.map(({ hold: each }) => each?.reason),
    ['INFORMATION_REQUIRED', 'BANK_DELAY'],
  );
  const [recorded] = (await payments.events(plan)).filter(({ type }) => type === 'PAYOUT_HELD');
  assert.deepEqual(recorded?.data, { hold: HOLD, providerReference: 'HELD-1' });
});

test('a delivery is held on its way, shown with its round, and released by the next report', async () => {
  const plan = await chosen();
  const sent = await delivery(plan, { outcome: 'SENT', providerReference: 'D-1' });
  assert.equal(sent.status, 200, sent.text);
  const { status, body, text } = await delivery(plan, { outcome: 'HELD', hold: HOLD });
  assert.equal(status, 200, text);
  const step = stepOf(body, 'SEND_DIGITAL_COLLECT');
  assert.equal(step.collect?.delivery?.status, 'SENT');
  assert.partialDeepStrictEqual(step.collect?.delivery?.hold, HOLD);
  assert.deepEqual(step.hold, step.collect?.delivery?.hold);
  assert.deepEqual([body.next?.why, body.next?.deadline], ['PAYOUT_HELD', UNTIL]);
  const round = `clr_${plan.planId.slice('plan_'.length)}00000001`;
  const { json } = await payments.ask(`/v1/collect_requests/${round}`);
  assert.deepEqual((json as CollectRequest).delivery?.hold, step.hold);
  await eventsOf(plan.planId, 'payment_plan.step.held', 1);
  assert.equal((await eventsOf(round, 'collect_request.updated', 2)).length, 2, 'sent, and held');
  const released = (await delivery(plan, { outcome: 'SENT', providerReference: 'D-1' })).body;
  assert.deepEqual(
    [stepOf(released, 'SEND_DIGITAL_COLLECT').hold, released.next?.why],
    [undefined, 'PAYMENT_SENT'],
  );
  assert.equal((await delivery(plan, { outcome: 'HELD', hold: { reason: 'OTHER' } })).status, 200);
  const failed = (
    await delivery(plan, { outcome: 'FAILED', providerReference: 'D-1', failure: { code: 'OTHER' } })
  ).body;
  const { hold, collect } = stepOf(failed, 'SEND_DIGITAL_COLLECT');
  assert.deepEqual([hold, collect?.rounds[0]?.delivery?.hold], [undefined, undefined]);
});

test('a plan whose payment is held is ended by force, or after the custodian has given it up', async () => {
  const plan = await due();
  await payout(plan, HELD);
  const { amount, asset } = stepOf(plan, 'CUSTODIAN_PAYOUT').custodianAction ?? assert.fail();
  const refused = await end(plan);
  assertProblem(refused, 409, 'execution-in-flight', /may still be made: report FAILED when the custodian/);
  const refund = { amount, asset, providerReference: `RF ${plan.planId}` };
  const unpaid = await payments.ask(`/v1/payments/${plan.planId}/refunds`, refund);
  assertProblem(unpaid, 409, 'step-not-ready', /holds the payment and may still make it/);
  const closed = await end(plan, { force: true });
  assert.deepEqual([closed.status, closed.body.status], [200, 'ENDED'], closed.text);
  assert.equal(stepOf(closed.body, 'CUSTODIAN_PAYOUT').hold, undefined);
  const other = await due();
  await payout(other, HELD);
  assert.equal((await payout(other, { outcome: 'FAILED', failure: { code: 'OTHER' } })).status, 200);
  assert.equal((await end(other)).status, 200);
});

test('what is not due or says too little is not held, and the problem names the field', async () => {
  const plan = await payments.plan();
  assertProblem(await payout(plan, HELD), 409, 'step-not-ready', /AWAIT_DEPOSIT/);
  assertProblem(
    await payments.report(plan, 'AWAIT_DEPOSIT', HELD),
    400,
    'validation-failed',
    /outcome must be DONE/,
  );
  const now = await played(plan);
  const pointersOf = async (report: object) => {
    const { status, problem, text } = await payout(now, report);
    assert.equal(status, 400, text);
    return (problem.errors ?? []).map(({ pointer }) => pointer);
  };
  const texts = Array.from({ length: 11 }, (_, index) => `${index}`);
  const held = (hold: object) => ({ outcome: 'HELD', hold: { reason: 'OTHER', ...hold } });
  const cases: readonly (readonly [object, string])[] = [
    [{ outcome: 'HELD' }, '/hold'],
    [{ outcome: 'HELD', hold: 'late' }, '/hold'],
    [{ outcome: 'DONE', providerReference: 'P', hold: HOLD }, '/hold'],
    [{ outcome: 'FAILED', failure: { code: 'OTHER' }, hold: HOLD }, '/hold'],
    [{ outcome: 'HELD', hold: {} }, '/hold/reason'],
    [held({ reason: 'LATE' }), '/hold/reason'],
    [held({ needs: 'invoice' }), '/hold/needs'],
    [held({ needs: texts }), '/hold/needs'],
    [held({ needs: ['two\nlines'] }), '/hold/needs/0'],
    [held({ needs: [''] }), '/hold/needs/0'],
    [held({ needs: ['x'.repeat(201)] }), '/hold/needs/0'],
    [held({ until: 'soon' }), '/hold/until'],
    [held({ note: 'x' }), '/hold/note'],
    [{ ...HELD, failure: { code: 'OTHER' } }, '/failure'],
    [{ ...HELD, amount: '1' }, '/amount'],
    [{ ...HELD, txHash: `0x${'ab'.repeat(32)}` }, '/txHash'],
    [{ ...HELD, rate: '1' }, '/rate'],
    [{ ...HELD, attemptId: 'att_1' }, '/attemptId'],
  ];
  for (const [report, pointer] of cases)
    assert.deepEqual(await pointersOf(report), [pointer], JSON.stringify(report));
  assert.deepEqual(await payments.get(now.planId), now, 'nothing was recorded');
  const most = held({ needs: texts.slice(1).map((text) => text.padEnd(200, 'ä')) });
  assert.equal((await payout(now, most)).status, 200);
});

test('a report on a delivery that is held takes the same members', async () => {
  const plan = await chosen();
  for (const [report, pointer] of [
    [{ outcome: 'HELD' }, '/hold'],
    [{ outcome: 'SENT', hold: HOLD }, '/hold'],
    [{ outcome: 'HELD', hold: HOLD, amount: '1' }, '/amount'],
    [{ outcome: 'HELD', hold: HOLD, txHash: `0x${'ab'.repeat(32)}` }, '/txHash'],
    [{ outcome: 'HELD', hold: HOLD, corrects: 'mov_1' }, '/corrects'],
  ] as const) {
    const { status, problem, text } = await delivery(plan, report);
    assert.equal(status, 400, text);
    assert.deepEqual(
      problem.errors?.map((each) => each.pointer),
      [pointer],
      JSON.stringify(report),
    );
  }
  assert.deepEqual(await payments.get(plan.planId), plan);
});
