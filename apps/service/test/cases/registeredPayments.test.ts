// Payments to registered recipients over HTTP: the version of that moment, replays, refusals, and a changed recipient.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { PaymentPlan, RegisteredRecipient } from '@fairway/wire';
import {
  assertProblem,
  freshAddress,
  type PaymentsTest,
  type PlanAnswer,
  requestOf,
  startPaymentsTest,
} from '../paymentsHarness.ts';
import { auBank, recipientsOn, walletAt } from '../recipientsHarness.ts';

let payments: PaymentsTest;
let api: ReturnType<typeof recipientsOn>;
before(async () => {
  payments = await startPaymentsTest();
  api = recipientsOn(payments);
});
after(() => payments?.close());

const registeredAs = ({ recipientId }: RegisteredRecipient) => ({ type: 'saved', recipientId });
const pay = (recipient: object, more: object = {}) =>
  payments.ask('/v1/payments', requestOf({ recipient, ...more }));
const takenOf = ({ recipientId, recipientVersion }: PaymentPlan) => [recipientId, recipientVersion];

/** Asserts a 400 that names the id of the registered recipient. */
function assertUnfit(answer: PlanAnswer, detail: RegExp): void {
  assertProblem(answer, 400, 'recipient-invalid', detail);
  for (const { pointer } of answer.problem.errors ?? []) assert.equal(pointer, '/recipient/recipientId');
  assert.ok((answer.problem.errors ?? []).length > 0);
}

async function revealed({ planId }: PaymentPlan): Promise<unknown> {
  const { json } = await payments.ask(`/v1/payments/${planId}/recipient/reveal`, {});
  return (json as { recipient: unknown }).recipient;
}

test('a plan takes the version of its moment and keeps it', async () => {
  const [first, second] = [auBank(), auBank()];
  const registered = await api.save({ recipient: first });
  const { body: one, text } = await pay(registeredAs(registered));
  assert.deepEqual(takenOf(one), [registered.recipientId, 1]);
  assert.deepEqual(one.recipient, registered.recipient);
  assert.ok(!/"registered(As)?"/.test(text), text);
  assert.ok(((await api.get(registered)).lastUsedAt ?? '') >= one.createdAt);
  await api.patch(registered, { recipient: second });
  const { body: two } = await pay(registeredAs(registered));
  assert.deepEqual(takenOf(two), [registered.recipientId, 2]);
  await api.remove(registered);
  const kept = await payments.get(one.planId);
  assert.deepEqual([kept.recipient, takenOf(kept)], [registered.recipient, [registered.recipientId, 1]]);
  const account = (given: object) => (given as { account: { accountNumber: string } }).account.accountNumber;
  assert.equal(account((await revealed(one)) as object), account(first));
  assert.equal(account((await revealed(two)) as object), account(second));
});

test('every type can be paid, also a person who is e-mailed', async () => {
  const given: readonly (readonly [string, object, string])[] = [
    ['usdc-wallet', walletAt(freshAddress()), 'STANDARD'],
    [
      'usdc-php-emoney',
      {
        ...{ type: 'emoney', name: 'Orla Finch', provider: 'GCash', idType: 'PHONE' },
        ...{ idValue: '+639171234567', currency: 'PHP' },
      },
      'STANDARD',
    ],
    ['usdc-eur-collect', { type: 'email', email: 'orla@example.com' }, 'DIGITAL_COLLECT'],
  ];
  for (const [corridorId, recipient, mode] of given) {
    const registered = await api.save({ recipient });
    const { status, body, text } = await pay(registeredAs(registered), { corridorId, options: { mode } });
    assert.equal(status, 200, text);
    assert.deepEqual([takenOf(body), body.recipient], [[registered.recipientId, 1], registered.recipient]);
  }
});

test('a repeated request is answered whatever became of the recipient, and compares the id alone', async () => {
  const registered = await api.save({ recipient: auBank() });
  const request = requestOf({ recipient: registeredAs(registered) });
  const { body: plan } = await payments.ask('/v1/payments', request);
  const again = async (changes: object = {}) => payments.ask('/v1/payments', { ...request, ...changes });
  const same = async () => {
    const { status, body, headers } = await again();
    assert.deepEqual([status, headers.get('idempotent-replayed')], [200, 'true']);
    assert.deepEqual([body.planId, takenOf(body)], [plan.planId, [registered.recipientId, 1]]);
  };
  await same();
  await api.patch(registered, { recipient: auBank() });
  await same();
  const twin = await api.save({ recipient: auBank() });
  for (const recipient of [
    registeredAs(twin),
    auBank(),
    { type: 'saved' },
    { type: 'saved', recipientId: 7 },
  ])
    assertProblem(await again({ recipient }), 422, 'client-reference-reused');
  await api.remove(registered);
  await same();
  assertUnfit(await pay(registeredAs(registered)), /deactivated/);
});

test('details and their registered recipient are two requests for one reference', async () => {
  const recipient = auBank();
  const registered = await api.save({ recipient });
  const request = requestOf({ recipient });
  assert.equal((await payments.ask('/v1/payments', request)).status, 200);
  const answer = await payments.ask('/v1/payments', { ...request, recipient: registeredAs(registered) });
  assertProblem(answer, 422, 'client-reference-reused');
});

test('of parallel requests with one reference one plan is made', async () => {
  const registered = await api.save({ recipient: auBank() });
  const request = requestOf({ recipient: registeredAs(registered) });
  const answers = await Promise.all(Array.from({ length: 20 }, () => payments.ask('/v1/payments', request)));
  const made = answers.filter(({ status }) => status === 200);
  assert.equal(new Set(made.map(({ body }) => body.planId)).size, 1);
  for (const answer of answers.filter(({ status }) => status !== 200))
    assertProblem(answer, 409, 'request-in-progress');
});

test('what is no own registered recipient, or does not fit, is a 400 that names the field', async () => {
  const registered = await api.save({ recipient: auBank() });
  for (const recipientId of [`rcp_${'0'.repeat(32)}`, 'x', '', undefined, 7, null])
    assertUnfit(await pay({ type: 'saved', recipientId }), /GET \/v1\/recipients lists/);
  const more = await pay({ ...registeredAs(registered), name: 'Jo' });
  assertProblem(more, 400, 'recipient-invalid', /leave the other members out/);
  assert.deepEqual(
    more.problem.errors?.map(({ pointer }) => pointer),
    ['/recipient'],
  );
  assertUnfit(
    await pay(registeredAs(registered), { corridorId: 'usdc-wallet' }),
    /does not fit this payment: Type must be wallet/,
  );
  assertUnfit(await pay(registeredAs(registered), { corridorId: 'usdc-eur-iban' }), /Country must be DE/);
  const address = freshAddress();
  const wallet = await api.save({ recipient: walletAt(address) });
  const options = { mode: 'STANDARD', depositAddress: address };
  assertUnfit(await pay(registeredAs(wallet), { corridorId: 'usdc-wallet', options }), /deposit address/);
});

test('a plan that is made while its recipient changes has a version of it, or is refused', async () => {
  const registered = await api.save({ recipient: auBank() });
  const requests = Array.from({ length: 12 }, () => pay(registeredAs(registered)));
  const changes = Array.from({ length: 3 }, () => api.patch(registered, { recipient: auBank() }));
  const changed = await Promise.all(changes);
  const gone = await api.remove(registered);
  const answers = await Promise.all(requests);
  const lastUsed = (await api.get(registered)).lastUsedAt;
  const madeAt = new Map(changed.map((each) => [each.registered.version, each.registered.updatedAt]));
  for (const answer of answers) {
    if (answer.status === 409) assertProblem(answer, 409, 'request-in-progress');
    else if (answer.status !== 200) assertUnfit(answer, /deactivated/);
    else {
      const { recipientVersion = 0 } = answer.body;
      assert.ok(recipientVersion === 1 || madeAt.has(recipientVersion));
      assert.notEqual(lastUsed, undefined);
    }
  }
  assert.equal(gone.registered.lastUsedAt, lastUsed, 'no plan was made of it after it was deactivated');
});

test('after a failed payment a registered recipient can be paid instead', async () => {
  const [other, third] = [auBank(), auBank()];
  const registered = await api.save({ recipient: other });
  const plan = await payments.plan({ recipient: auBank() });
  await payments.played(plan, 'deposit.exact', 'swap.done', 'payout.failed');
  const replace = (recipient: object) => payments.again(plan, { recipient });
  assertUnfit(await replace({ type: 'saved', recipientId: `rcp_${'0'.repeat(32)}` }), /lists/);
  const wallet = await api.save({ recipient: walletAt(freshAddress()) });
  assertUnfit(await replace(registeredAs(wallet)), /does not fit/);
  const { status, body, text } = await replace(registeredAs(registered));
  assert.equal(status, 200, text);
  assert.deepEqual([takenOf(body), body.recipient], [[registered.recipientId, 1], registered.recipient]);
  assert.notEqual((await api.get(registered)).lastUsedAt, undefined);
  assert.equal(
    (await replace(registeredAs(registered))).body.revision,
    body.revision,
    'once more changes nothing',
  );
  // The account to be paid stays the same. The request is refused, because the recipient has another account by now.
  await api.patch(registered, { recipient: auBank() });
  assertProblem(await replace(registeredAs(registered)), 409, 'step-not-ready');
  // The same request again changes nothing when the recipient takes no payments any more.
  await api.remove(registered);
  const again = await replace(registeredAs(registered));
  assert.deepEqual([again.status, again.body.revision], [200, body.revision], again.text);
  // An account that is given in the request replaces the registered one.
  assert.equal((await payments.simulate(body, 'CUSTODIAN_PAYOUT', 'payout.failed')).status, 200);
  const inline = await replace(third);
  assert.equal(inline.status, 200, inline.text);
  assert.deepEqual(takenOf(inline.body), [undefined, undefined]);
  const history = await payments.events(plan);
  assert.ok(!JSON.stringify(history).includes('"registered"'));
});

test('plans are listed by their registered recipient, newest first', async () => {
  const registered = await api.save({ recipient: auBank() });
  const [one, two] = [(await pay(registeredAs(registered))).body, (await pay(registeredAs(registered))).body];
  await payments.end(one);
  const idsOf = async (query: string) => {
    const { status, json, text } = await payments.ask(
      `/v1/payments?recipientId=${registered.recipientId}${query}`,
    );
    assert.equal(status, 200, text);
    return (json as { data: PaymentPlan[] }).data.map(({ planId }) => planId);
  };
  assert.deepEqual(await idsOf(''), [two.planId, one.planId]);
  assert.deepEqual(await idsOf('&status=ENDED'), [one.planId]);
  assert.deepEqual(await idsOf('&mode=DIGITAL_COLLECT'), []);
  const { json } = await payments.ask('/v1/payments?recipientId=rcp_none');
  assert.deepEqual((json as { data: unknown[] }).data, []);
  const both = await payments.ask(`/v1/payments?recipientId=x&updatedSince=2026-01-01T00:00:00Z`);
  assertProblem(both, 400, 'validation-failed', /recipientId and updatedSince/);
});

test('an event of the plan shows the registered recipient as the plan does', async () => {
  const registered = await api.save({ recipient: auBank() });
  const { body: plan } = await pay(registeredAs(registered));
  for (const untilMs = performance.now() + 20_000; performance.now() < untilMs; ) {
    const { json, text } = await payments.ask(`/v1/events?subject=${plan.planId}`);
    const [event] = (json as { data: { data: { object: PaymentPlan } }[] }).data;
    if (event === undefined) continue;
    assert.deepEqual(takenOf(event.data.object), [registered.recipientId, 1]);
    return assert.ok(!/"registered(As)?"/.test(text));
  }
  assert.fail('no event came');
});
