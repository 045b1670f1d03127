// A payment in parts, over HTTP. Each part is asked for with an id of its own. By that its entry of a statement is found.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Movement, PaymentPlan } from '@fairway/wire';
import { type PaymentsTest, startPaymentsTest, stepOf } from '../paymentsHarness.ts';
import { dayOf, decimal, swappedOn } from '../paidPlans.ts';
import { camtOf, statementsOn } from '../statementsHarness.ts';

let payments: PaymentsTest;
before(async () => {
  payments = await startPaymentsTest();
});
after(() => payments?.close());

const actionOf = (plan: PaymentPlan) => stepOf(plan, 'CUSTODIAN_PAYOUT').custodianAction ?? assert.fail();

/** Reports a payment of a plan, and answers the plan after it. */
async function reported(plan: PaymentPlan, report: Readonly<Record<string, unknown>>): Promise<PaymentPlan> {
  const { status, text, body } = await payments.report(plan, 'CUSTODIAN_PAYOUT', report);
  assert.equal(status, 200, text);
  return body;
}

/** A plan of which a part was paid. */
async function paidInPart(plan: PaymentPlan): Promise<PaymentPlan> {
  const part = { outcome: 'DONE', providerReference: `${plan.planId}-1`, amount: '30000000' };
  return reported(plan, part);
}

test('a part that FAILED and is tried again keeps its id', async () => {
  const plan = await paidInPart(await swappedOn(payments));
  await reported(plan, { outcome: 'FAILED', failure: { code: 'RAIL_UNAVAILABLE' } });
  const { body: again } = await payments.again(plan);
  assert.equal(actionOf(again).endToEndId, actionOf(plan).endToEndId);
});

test('each part of a payment has an id of its own, and a statement tells the parts apart', async () => {
  const plan = await swappedOn(payments);
  const [first, further] = [actionOf(plan).endToEndId, actionOf(await paidInPart(plan)).endToEndId];
  assert.notEqual(further, first);
  const done = await reported(plan, { outcome: 'DONE', providerReference: `${plan.planId}-2` });
  assert.equal(done.status, 'COMPLETED');

  const { body } = await payments.service.request(`/v1/payments/${plan.planId}/movements`);
  const parts = (body as { data: Movement[] }).data.filter(({ kind }) => kind === 'PAYOUT');
  assert.deepEqual(
    parts.map(({ endToEndId }) => endToEndId),
    [first, further],
  );
  const [one = assert.fail()] = parts;
  const on = dayOf(one);
  const bookings = parts.map(({ actual, endToEndId = '' }) => ({
    ...{ amount: `-${decimal(BigInt(actual) / 10_000n)}`, on, endToEndId },
  }));
  const bank = statementsOn(payments.service.url, payments.service.authorization);
  const statement = await bank.imported(camtOf({ bookings, openingOn: on, closingOn: on }));
  const entries = await bank.entries(statement);
  assert.deepEqual(
    entries.map(({ status, matches: [match] }) => [status, match?.movementId, match?.by]),
    parts.map(({ movementId }) => ['MATCHED', movementId, 'END_TO_END_ID']),
  );
});

test('of parts that are reported at the same time each leaves the rest an id that no part has', async () => {
  const plan = await swappedOn(payments);
  const parts = Array.from({ length: 3 }, (_, index) => ({
    ...{ outcome: 'DONE', providerReference: `${plan.planId}-${index}`, amount: '20000000' },
  }));
  await Promise.all(parts.map((part) => reported(plan, part)));
  const rest = actionOf(await payments.get(plan.planId)).endToEndId;
  const { body } = await payments.service.request(`/v1/payments/${plan.planId}/movements`);
  const paid = (body as { data: Movement[] }).data.filter(({ kind }) => kind === 'PAYOUT');
  const all = [...paid.map(({ endToEndId }) => endToEndId), rest];
  assert.deepEqual([paid.length, new Set(all).size], [3, 4], all.join());
});
