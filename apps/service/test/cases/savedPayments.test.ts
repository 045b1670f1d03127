// Payments to saved recipients over HTTP: the version of that moment, replays, refusals, and a changed recipient.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { PaymentPlan, SavedRecipient } from '@fairway/wire';
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

const savedAs = ({ recipientId }: SavedRecipient) => ({ type: 'saved', recipientId });
const pay = (recipient: object, more: object = {}) =>
  payments.ask('/v1/payments', requestOf({ recipient, ...more }));
const takenOf = ({ recipientId, recipientVersion }: PaymentPlan) => [recipientId, recipientVersion];

/** Asserts a 400 that names the id of the saved recipient. */
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
  const saved = await api.save({ recipient: first });
  const { body: one, text } = await pay(savedAs(saved));
  assert.deepEqual(takenOf(one), [saved.recipientId, 1]);
  assert.deepEqual(one.recipient, saved.recipient);
  assert.ok(!/"saved(As)?"/.test(text), text);
  assert.ok(((await api.get(saved)).lastUsedAt ?? '') >= one.createdAt);
  await api.patch(saved, { recipient: second });
  const { body: two } = await pay(savedAs(saved));
  assert.deepEqual(takenOf(two), [saved.recipientId, 2]);
  await api.remove(saved);
  const kept = await payments.get(one.planId);
  assert.deepEqual([kept.recipient, takenOf(kept)], [saved.recipient, [saved.recipientId, 1]]);
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
    const saved = await api.save({ recipient });
    const { status, body, text } = await pay(savedAs(saved), { corridorId, options: { mode } });
    assert.equal(status, 200, text);
    assert.deepEqual([takenOf(body), body.recipient], [[saved.recipientId, 1], saved.recipient]);
  }
});

test('a repeated request is answered whatever became of the recipient, and compares the id alone', async () => {
  const saved = await api.save({ recipient: auBank() });
  const request = requestOf({ recipient: savedAs(saved) });
  const { body: plan } = await payments.ask('/v1/payments', request);
  const again = async (changes: object = {}) => payments.ask('/v1/payments', { ...request, ...changes });
  const same = async () => {
    const { status, body, headers } = await again();
    assert.deepEqual([status, headers.get('idempotent-replayed')], [200, 'true']);
    assert.deepEqual([body.planId, takenOf(body)], [plan.planId, [saved.recipientId, 1]]);
  };
  await same();
  await api.patch(saved, { recipient: auBank() });
  await same();
  const twin = await api.save({ recipient: auBank() });
  for (const recipient of [savedAs(twin), auBank(), { type: 'saved' }, { type: 'saved', recipientId: 7 }])
    assertProblem(await again({ recipient }), 422, 'client-reference-reused');
  await api.remove(saved);
  await same();
  assertUnfit(await pay(savedAs(saved)), /deactivated/);
});

test('details and their saved recipient are two requests for one reference', async () => {
  const recipient = auBank();
  const saved = await api.save({ recipient });
  const request = requestOf({ recipient });
  assert.equal((await payments.ask('/v1/payments', request)).status, 200);
  const answer = await payments.ask('/v1/payments', { ...request, recipient: savedAs(saved) });
  assertProblem(answer, 422, 'client-reference-reused');
});

test('of parallel requests with one reference one plan is made', async () => {
  const saved = await api.save({ recipient: auBank() });
  const request = requestOf({ recipient: savedAs(saved) });
  const answers = await Promise.all(Array.from({ length: 20 }, () => payments.ask('/v1/payments', request)));
  const made = answers.filter(({ status }) => status === 200);
  assert.equal(new Set(made.map(({ body }) => body.planId)).size, 1);
  for (const answer of answers.filter(({ status }) => status !== 200))
    assertProblem(answer, 409, 'request-in-progress');
});

test('what is no own saved recipient, or does not fit, is a 400 that names the field', async () => {
  const saved = await api.save({ recipient: auBank() });
  for (const recipientId of [`rcp_${'0'.repeat(32)}`, 'x', '', undefined, 7, null])
    assertUnfit(await pay({ type: 'saved', recipientId }), /GET \/v1\/recipients lists/);
  const more = await pay({ ...savedAs(saved), name: 'Jo' });
  assertProblem(more, 400, 'recipient-invalid', /leave the other members out/);
  assert.deepEqual(
    more.problem.errors?.map(({ pointer }) => pointer),
    ['/recipient'],
  );
  assertUnfit(
    await pay(savedAs(saved), { corridorId: 'usdc-wallet' }),
    /does not fit this payment: Type must be wallet/,
  );
  assertUnfit(await pay(savedAs(saved), { corridorId: 'usdc-eur-iban' }), /Country must be DE/);
  const address = freshAddress();
  const wallet = await api.save({ recipient: walletAt(address) });
  const options = { mode: 'STANDARD', depositAddress: address };
  assertUnfit(await pay(savedAs(wallet), { corridorId: 'usdc-wallet', options }), /deposit address/);
});

test('a plan that is made while its recipient changes has a version of it, or is refused', async () => {
  const saved = await api.save({ recipient: auBank() });
  const requests = Array.from({ length: 12 }, () => pay(savedAs(saved)));
  const changes = Array.from({ length: 3 }, () => api.patch(saved, { recipient: auBank() }));
  const changed = await Promise.all(changes);
  const gone = await api.remove(saved);
  const answers = await Promise.all(requests);
  const lastUsed = (await api.get(saved)).lastUsedAt;
  const madeAt = new Map(changed.map((each) => [each.saved.version, each.saved.updatedAt]));
  for (const answer of answers) {
    if (answer.status === 409) assertProblem(answer, 409, 'request-in-progress');
    else if (answer.status !== 200) assertUnfit(answer, /deactivated/);
    else {
      const { recipientVersion = 0 } = answer.body;
      assert.ok(recipientVersion === 1 || madeAt.has(recipientVersion));
      assert.notEqual(lastUsed, undefined);
    }
  }
  assert.equal(gone.saved.lastUsedAt, lastUsed, 'no plan was made of it after it was deactivated');
});

test('after a failed payment a saved recipient can be paid instead', async () => {
  const [other, third] = [auBank(), auBank()];
  const saved = await api.save({ recipient: other });
  const plan = await payments.plan({ recipient: auBank() });
  await payments.played(plan, 'deposit.exact', 'swap.done', 'payout.failed');
  const replace = (recipient: object) => payments.ask(`/v1/payments/${plan.planId}/recipient`, { recipient });
  assertUnfit(await replace({ type: 'saved', recipientId: `rcp_${'0'.repeat(32)}` }), /lists/);
  const wallet = await api.save({ recipient: walletAt(freshAddress()) });
  assertUnfit(await replace(savedAs(wallet)), /does not fit/);
  const { status, body, text } = await replace(savedAs(saved));
  assert.equal(status, 200, text);
  assert.deepEqual([takenOf(body), body.recipient], [[saved.recipientId, 1], saved.recipient]);
  assert.notEqual((await api.get(saved)).lastUsedAt, undefined);
  assert.equal((await replace(savedAs(saved))).body.revision, body.revision, 'once more changes nothing');
  // The account to be paid stays the same. The request is refused, because the recipient has another account by now.
  await api.patch(saved, { recipient: auBank() });
  assertProblem(await replace(savedAs(saved)), 409, 'step-not-ready');
  // The same request again changes nothing when the recipient takes no payments any more.
  await api.remove(saved);
  const again = await replace(savedAs(saved));
  assert.deepEqual([again.status, again.body.revision], [200, body.revision], again.text);
  // An account that is given in the request replaces the saved one.
  assert.equal((await payments.simulate(body, 'CUSTODIAN_PAYOUT', 'payout.failed')).status, 200);
  const inline = await replace(third);
  assert.equal(inline.status, 200, inline.text);
  assert.deepEqual(takenOf(inline.body), [undefined, undefined]);
  const history = await payments.events(plan);
  assert.ok(!JSON.stringify(history).includes('"saved"'));
});

test('plans are listed by their saved recipient, newest first', async () => {
  const saved = await api.save({ recipient: auBank() });
  const [one, two] = [(await pay(savedAs(saved))).body, (await pay(savedAs(saved))).body];
  await payments.cancel(one);
  const idsOf = async (query: string) => {
    const { status, json, text } = await payments.ask(
      `/v1/payments?recipientId=${saved.recipientId}${query}`,
    );
    assert.equal(status, 200, text);
    return (json as { data: PaymentPlan[] }).data.map(({ planId }) => planId);
  };
  assert.deepEqual(await idsOf(''), [two.planId, one.planId]);
  assert.deepEqual(await idsOf('&status=CANCELLED'), [one.planId]);
  assert.deepEqual(await idsOf('&mode=DIGITAL_COLLECT'), []);
  const { json } = await payments.ask('/v1/payments?recipientId=rcp_none');
  assert.deepEqual((json as { data: unknown[] }).data, []);
  const both = await payments.ask(`/v1/payments?recipientId=x&updatedSince=2026-01-01T00:00:00Z`);
  assertProblem(both, 400, 'validation-failed', /recipientId and updatedSince/);
});

test('an event of the plan shows the saved recipient as the plan does', async () => {
  const saved = await api.save({ recipient: auBank() });
  const { body: plan } = await pay(savedAs(saved));
  for (const untilMs = performance.now() + 20_000; performance.now() < untilMs; ) {
    const { json, text } = await payments.ask(`/v1/events?subject=${plan.planId}`);
    const [event] = (json as { data: { data: { object: PaymentPlan } }[] }).data;
    if (event === undefined) continue;
    assert.deepEqual(takenOf(event.data.object), [saved.recipientId, 1]);
    return assert.ok(!/"saved(As)?"/.test(text));
  }
  assert.fail('no event came');
});
