// A recipient is erased over HTTP: what is refused before and after, and what plans of it still can do.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { PaymentPlan, RegisteredRecipient } from '@fairway/wire';
import { type PaymentsTest, requestOf, startPaymentsTest, endOf } from '../paymentsHarness.ts';
import { assertRefused, auBank, recipientsOn } from '../recipientsHarness.ts';

let payments: PaymentsTest;
let api: ReturnType<typeof recipientsOn>;
before(async () => {
  payments = await startPaymentsTest();
  api = recipientsOn(payments);
});
after(() => payments?.close());

async function planOf({ recipientId }: RegisteredRecipient, more: object = {}): Promise<PaymentPlan> {
  const recipient = { type: 'saved', recipientId };
  const { status, body, text } = await payments.ask('/v1/payments', requestOf({ recipient, ...more }));
  assert.equal(status, 200, text);
  return body;
}

const post = (path: string, body: object = {}) => api.call('POST', path, body);

async function erased(registered: RegisteredRecipient): Promise<RegisteredRecipient> {
  await api.remove(registered);
  const answer = await api.erase(registered);
  assert.equal(answer.status, 200, JSON.stringify(answer.json));
  return answer.registered;
}

test('a recipient is erased once it is deactivated and its plans have ended', async () => {
  const registered = await api.save({ recipient: auBank(), clientReference: `erased ${Date.now()}` });
  assertRefused(await api.erase(registered), [409, 'recipient-not-erasable']);
  const plan = await planOf(registered);
  await api.remove(registered);
  const open = await api.erase(registered);
  assertRefused(open, [409, 'recipient-not-erasable']);
  assert.match(open.problem.detail ?? '', new RegExp(`1 plan that has not ended: ${plan.planId}`));
  assert.equal((await payments.end(plan)).status, 200);
  const { registered: gone, headers } = await api.erase(registered);
  assert.deepEqual([gone.status, gone.revision, headers.get('etag')], ['ERASED', 3, '"3"']);
  assert.deepEqual(
    [gone.recipient, gone.clientReference],
    [registered.recipient, registered.clientReference],
  );
  // The sandbox keeps no file of erasures, and says so.
  assert.deepEqual(
    gone.warnings.map(({ code }) => code),
    ['ERASURE_NOT_RECORDED'],
  );
  assert.deepEqual((await api.erase(registered)).registered, gone, 'once more changes nothing');
  assert.deepEqual((await api.remove(registered)).registered, await api.get(registered));
  const types = (await api.events(registered, 3)).map(({ type }) => type);
  assert.deepEqual(types, ['recipient.created', 'recipient.deactivated', 'recipient.erased']);
});

test('nothing opens the details of an erased recipient, and what names it is told why', async () => {
  const details = auBank();
  const registered = await api.save({ recipient: details, clientReference: `gone ${Date.now()}` });
  const plan = await planOf(registered);
  assert.equal((await payments.end(plan)).status, 200);
  await erased(registered);
  const guessed = await api.call('POST', '/v1/recipients/validate', { recipient: details });
  assert.ok(
    !JSON.stringify(guessed.json).includes('DUPLICATE_DETAILS'),
    'a guess is not told that it is right',
  );
  assertRefused(await api.reveal(registered), [409, 'details-erased']);
  assertRefused(await post(`/v1/payments/${plan.planId}/recipient/reveal`), [409, 'details-erased']);
  const pay = { recipient: { type: 'saved', recipientId: registered.recipientId } };
  const refused = await post('/v1/payments', requestOf(pay));
  assertRefused(refused, [400, 'recipient-invalid'], ['/recipient/recipientId']);
  assert.match(refused.problem.detail ?? '', /was erased/);
  assertRefused(await api.patch(registered, { label: 'Back' }), [409, 'recipient-not-active']);
  assertRefused(await api.patch(registered, { recipient: auBank() }), [409, 'recipient-not-active']);
  const { status } = await api.versions(registered);
  assert.equal(status, 200);
  const again = await post('/v1/recipients', {
    recipient: details,
    clientReference: registered.clientReference,
  });
  assert.deepEqual(
    [again.status, again.registered.status],
    [201, 'ERASED'],
    'a repeated request is answered',
  );
  const kept = await payments.get(plan.planId);
  assert.deepEqual([endOf(kept), kept.recipient], ['CANCELLED', registered.recipient]);
  const listed = await api.call('GET', '/v1/recipients?status=ERASED&limit=100');
  assert.ok(JSON.stringify(listed.json).includes(registered.recipientId));
});

test('a payment that comes back after the erasure is paid again to somebody who is named', async () => {
  const registered = await api.save({ recipient: auBank() });
  const plan = await planOf(registered);
  const path = `/v1/payments/${plan.planId}`;
  const simulate = (step: number, event: string) =>
    post(`/v1/sandbox/payments/${plan.planId}/steps/${plan.steps[step]?.stepId}/simulate`, { event });
  for (const [index, event] of ['deposit.exact', 'swap.done', 'payout.done'].entries())
    assert.equal((await simulate(index, event)).status, 200);
  await erased(registered);
  const { status, json } = await post(`${path}/steps/${plan.steps[2]?.stepId}/reports`, {
    outcome: 'RETURNED',
    providerReference: 'B-1',
  });
  assert.equal(status, 200, JSON.stringify(json));
  const { next } = await payments.get(plan.planId);
  assert.equal(next?.why, 'MONEY_RETURNED');
  assert.match(
    next?.detail ?? '',
    /name another recipient in POST …\/again, send it without one to pay the same account again, unless the recipient was erased, or refund/,
  );
  assertRefused(await post(`${path}/again`), [409, 'details-erased']);
  const named = await post(`${path}/again`, { recipient: auBank('Orla Finch') });
  assert.equal(named.status, 200, JSON.stringify(named.json));
  const now = await payments.get(plan.planId);
  assert.deepEqual([now.next?.why, now.recipientId], ['PAYOUT_DUE', undefined]);
  assert.equal((await post(`${path}/recipient/reveal`)).status, 200);
});
