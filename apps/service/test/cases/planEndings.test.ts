// How plans end: paid, returned, cancelled or expired, and which ends can be undone. A plan's history tells each end,
// and nothing about the recipient.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { PaymentPlan } from '@fairway/wire';
import {
  assertProblem,
  freshAddress,
  startPaymentsTest,
  statusesOf,
  stepOf,
  endOf,
} from '../paymentsHarness.ts';

const payments = await startPaymentsTest();
after(() => payments.close());

/** A plan whose payout is due. */
async function payoutDue(): Promise<PaymentPlan> {
  const made = await payments.plan({ amountIn: '70000000' });
  const swapped = await payments.played(made, 'deposit.exact', 'swap.done');
  assert.equal(statusesOf(swapped), 'DONE DONE READY');
  return swapped;
}

const payout = (plan: PaymentPlan, report: object) =>
  payments.report(plan, 'CUSTODIAN_PAYOUT', report as { readonly [field: string]: unknown });

test('a returned payout leaves its step DONE and the plan RETURNED; a reference counts once', async () => {
  const plan = await payoutDue();
  const early = await payout(plan, { outcome: 'RETURNED', providerReference: 'ENDS-RET-1' });
  assertProblem(early, 409, 'step-not-ready', /DONE can be returned/);
  const occurredAt = new Date(Date.parse(plan.updatedAt)).toISOString();
  const paid = await payout(plan, { outcome: 'DONE', providerReference: 'ENDS-NPP-1', occurredAt });
  assert.deepEqual(
    [paid.body.status, stepOf(paid.body, 'CUSTODIAN_PAYOUT').occurredAt],
    ['COMPLETED', occurredAt],
  );
  assertProblem(await payout(plan, { outcome: 'RETURNED' }), 400, 'validation-failed', /providerReference/);
  const returned = {
    outcome: 'RETURNED',
    providerReference: 'ENDS-RET-1',
    amount: '106000',
    failure: { code: 'ACCOUNT_CLOSED' },
  };
  const after = (await payout(plan, returned)).body;
  assert.deepEqual([after.status, statusesOf(after)], ['RETURNED', 'DONE DONE DONE']);
  assert.deepEqual(
    after.returns.map(({ providerReference, amount, failure }) => [providerReference, amount, failure?.code]),
    [['ENDS-RET-1', '106000', 'ACCOUNT_CLOSED']],
  );
  const text = await payments.textOf(plan.planId);
  assert.equal((await payout(plan, returned)).status, 200);
  assert.equal(await payments.textOf(plan.planId), text, 'the same return again changes nothing');
  const second = (await payout(plan, { ...returned, providerReference: 'ENDS-RET-2' })).body;
  assert.equal(second.returns.length, 2);
  const otherwise = await payout(plan, { ...returned, amount: '105000' });
  assertProblem(otherwise, 409, 'evidence-mismatch', /amount 106000, this report says 105000/);
  const rest = (await payout(plan, { outcome: 'RETURNED', providerReference: 'ENDS-RET-3' })).body;
  const { paidOut, returned: back } = rest.funds.at(-1) ?? assert.fail();
  assert.equal(back, paidOut, 'a return without an amount is all the rest');
  const more = await payout(plan, { outcome: 'RETURNED', providerReference: 'ENDS-RET-4' });
  assertProblem(more, 409, 'step-not-ready', /Nothing is left to return/);
  const future = await payout(plan, { ...returned, occurredAt: '2999-01-01T00:00:00Z' });
  assertProblem(future, 400, 'validation-failed', /future/);
});

for (const [what, before] of [
  ['paid in part', []],
  ['paid in part, and then failed', [{ outcome: 'FAILED', failure: { code: 'ACCOUNT_CLOSED' } }]],
  ['paid in part, with the rest held', [{ outcome: 'HELD', hold: { reason: 'OTHER' } }]],
] as const)
  test(`money of a plan that was ${what} comes back after its end`, async () => {
    const plan = await payments.played(await payments.plan(), 'deposit.exact', 'swap.done');
    const [paid, back] = ['E1A', 'E1T'].map((name) => `${name} ${plan.planId}`);
    const money = { amount: '3000', asset: { currency: 'AUD' } };
    for (const report of [{ outcome: 'DONE', providerReference: paid, paid: money }, ...before])
      assert.equal((await payments.report(plan, 'CUSTODIAN_PAYOUT', report)).status, 200);
    await payments.end(plan, { reason: 'OTHER', force: true });
    const told = { outcome: 'RETURNED', providerReference: back, returned: money };
    const { status, text, body } = await payments.report(plan, 'CUSTODIAN_PAYOUT', told);
    assert.equal(status, 200, text);
    const unallocated = body.funds.at(-1)?.unallocated.map(({ amount, reason }) => [amount, reason]);
    assert.deepEqual([body.status, unallocated?.[0]], ['ENDED', ['30000000', 'AFTER_END']]);
  });

test('a failed payout is retried and paid, and the plan keeps its attempts', async () => {
  const plan = await payoutDue();
  assertProblem(await payout(plan, { outcome: 'FAILED' }), 400, 'validation-failed', /failure is missing/);
  const report = {
    outcome: 'FAILED',
    providerReference: 'ENDS-NPP-9',
    failure: { code: 'ACCOUNT_NOT_FOUND' },
  };
  const failed = (await payout(plan, report)).body;
  assert.deepEqual([failed.status, failed.next?.why], ['ACTION_REQUIRED', 'ACCOUNT_REFUSED']);
  assert.equal((await payout(plan, report)).body.revision, failed.revision);
  const overtaking = await payout(plan, { outcome: 'DONE', providerReference: 'ENDS-NPP-10' });
  assertProblem(overtaking, 409, 'step-not-ready', /try it anew first/);
  const retried = (await payments.again(failed)).body;
  assert.deepEqual([retried.status, statusesOf(retried)], ['ACTION_REQUIRED', 'DONE DONE READY']);
  const paid = (await payout(plan, { outcome: 'DONE', providerReference: 'ENDS-NPP-10' })).body;
  const step = stepOf(paid, 'CUSTODIAN_PAYOUT');
  assert.deepEqual(
    [paid.status, step.providerReference, step.failure],
    ['COMPLETED', 'ENDS-NPP-10', undefined],
  );
  assert.deepEqual(
    step.attempts?.map(({ outcome, failure, providerReference }) => [
      outcome,
      failure?.code,
      providerReference,
    ]),
    [['FAILED', 'ACCOUNT_NOT_FOUND', 'ENDS-NPP-9']],
  );
  const twice = await payout(plan, { outcome: 'DONE', providerReference: 'ENDS-NPP-11' });
  assertProblem(twice, 409, 'step-not-ready', /DONE already/);
});

test('a plan ends without a reason only before money has moved', async () => {
  const plan = await payments.plan();
  const cancelled = (await payments.end(plan)).body;
  assert.deepEqual(
    [cancelled.status, cancelled.ended?.reason, cancelled.next],
    ['ENDED', 'CANCELLED', undefined],
  );
  assert.equal((await payments.end(plan)).body.revision, cancelled.revision);
  const report = await payments.report(plan, 'AWAIT_DEPOSIT', { outcome: 'DONE' });
  assertProblem(report, 409, 'step-not-ready', /CANCELLED/);
  assertProblem(await payments.again(plan), 409, 'step-not-ready', /CANCELLED/);
  assertProblem(await payments.again(plan), 409, 'step-not-ready');

  const depositAddress = freshAddress();
  const watched = await payments.plan({ options: { mode: 'STANDARD', depositAddress } });
  // The money arrives just before the request, so that only a look at the chain during the request finds it.
  const part = BigInt(watched.amountIn) / 1_000n;
  await payments.give(depositAddress, 'USDC', part);
  const moved = new RegExp(`\\(${part} units of 0x\\w+\\) of the deposit`);
  assertProblem(await payments.end(watched), 400, 'validation-failed', moved);
  assertProblem(await payments.end(await payoutDue()), 400, 'validation-failed', /reason/);
});

test('a plan without a deposit expires, and a retry of its deposit step revives it', async () => {
  const plan = await payments.plan();
  await payments.advance('P7D');
  const listed = async () => {
    const { json } = await payments.ask(`/v1/payments?clientReference=${plan.clientReference}&status=ENDED`);
    return (json as { data: PaymentPlan[] }).data;
  };
  // The list does not carry plans on, so the service has made this change by itself.
  let found = await listed();
  for (let tries = 0; tries < 2_000 && found.length === 0; tries++) found = await listed();
  assert.deepEqual(
    found.map(({ planId }) => planId),
    [plan.planId],
  );
  assert.equal(found[0]?.ended?.reason, 'EXPIRED');
  assertProblem(await payments.end(plan), 409, 'step-not-ready', /expired|EXPIRED/);
  const revived = (await payments.again(plan)).body;
  assert.deepEqual([revived.status, statusesOf(revived)], ['ACTION_REQUIRED', 'PENDING PENDING PENDING']);
  assert.equal(Date.parse(revived.expiresAt) - Date.parse(revived.updatedAt), 7 * 86_400_000);
  const deposited = await payments.played(revived, 'deposit.exact');
  assert.equal(deposited.next?.why, 'SWAP_DUE');
});

test('a deposit after the end counts when its step is retried; instructions follow at once', async () => {
  const made = await payments.plan({ options: { mode: 'STANDARD', depositAddress: freshAddress() } });
  const late = await payments.played(made, 'deposit.late');
  assert.equal(endOf(late), 'EXPIRED');
  const { body: revived } = await payments.again(late);
  // The plan's times are seven days ahead of the service's clock; the instructions do not wait for the clock.
  const newest = await payments.plan();
  assert.ok(Date.parse(revived.updatedAt) > Date.parse(newest.createdAt) + 6 * 86_400_000);
  assert.equal(revived.next?.why, 'SWAP_DUE');
});

test('the history lists every change in pages and holds no personal details', async () => {
  const plan = await payoutDue();
  await payout(plan, { outcome: 'DONE', providerReference: 'ENDS-NPP-7', occurredAt: plan.updatedAt });
  const revealed = await payments.ask(`/v1/payments/${plan.planId}/recipient/reveal`, {});
  assert.equal(revealed.status, 200);
  assert.ok(revealed.text.includes('Josephine Citizen') && revealed.text.includes('12345678'));
  const all = await payments.events(plan);
  const { revision } = await payments.get(plan.planId);
  assert.deepEqual(
    all.map((event) => event.revision),
    Array.from({ length: revision }, (_, index) => index + 1),
  );
  assert.deepEqual([all[0]?.type, all.at(-1)?.type], ['PLAN_CREATED', 'RECIPIENT_REVEALED']);
  const paged: object[] = [];
  let cursor = '';
  do {
    const { json } = await payments.ask(`/v1/payments/${plan.planId}/events?limit=2${cursor}`);
    const page = json as { data: object[]; nextCursor?: string };
    assert.ok(page.data.length <= 2);
    paged.push(...page.data);
    cursor = page.nextCursor === undefined ? '' : `&cursor=${page.nextCursor}`;
  } while (cursor !== '');
  assert.deepEqual(paged, all);
  const text = JSON.stringify(all);
  for (const personal of [
    'Josephine',
    'Citizen',
    '12345678',
    '5678',
    '062000',
    '062-000',
    'fingerprint',
    'J. C.',
  ])
    assert.ok(!text.includes(personal), `the history says ${personal}`);
  assert.ok(!/"\w+Ms":/.test(text), `times have the format of all timestamps: ${text}`);
  const foreign = await payments.ask(`/v1/payments/${plan.planId}/events?cursor=abc`);
  assertProblem(foreign, 400, 'validation-failed', /nextCursor/);
});
