// The rounds in which recipients are asked, as an integrator lists and follows them.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { collectRequestIdOf } from '@fairway/plan';
import { CollectRequest, CollectRequestList, type Movement, type PaymentPlan } from '@fairway/wire';
import { Ajv2020 } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import { codeIn, DESTINATIONS, freshEmail, startCollectTest, tokenIn } from '../collectCalls.ts';
import { assertProblem } from '../paymentsHarness.ts';
import { recipientsOn } from '../recipientsHarness.ts';
import { dayOf, decimal } from '../paidPlans.ts';
import { camtOf, statementsOn } from '../statementsHarness.ts';

const collect = await startCollectTest();
after(() => collect.close());

const ajv = new Ajv2020({ allErrors: true, strict: false });
ajvFormats.default(ajv);
ajv.addFormat('uint64', true);
const isRequest = ajv.compile(CollectRequest as object);
const isList = ajv.compile(CollectRequestList as object);

const idOf = ({ planId }: Pick<PaymentPlan, 'planId'>, round = 1) =>
  collectRequestIdOf(planId as Parameters<typeof collectRequestIdOf>[0], round);

async function ask(path: string) {
  const answer = await collect.client.ask(`/v1/collect_requests${path}`);
  return { ...answer, request: answer.json as CollectRequest };
}

async function shown(id: string): Promise<CollectRequest> {
  const { status, text, request } = await ask(`/${id}`);
  assert.equal(status, 200, text);
  assert.ok(isRequest(request), JSON.stringify(isRequest.errors));
  return request;
}

async function idsOf(query: Record<string, string>): Promise<string[]> {
  const { status, text, json } = await ask(`?${new URLSearchParams(query)}`);
  assert.equal(status, 200, text);
  assert.ok(isList(json), JSON.stringify(isList.errors));
  return (json as CollectRequestList).data.map(({ collectRequestId }) => collectRequestId);
}

/** A plan whose recipient was e-mailed a link. */
async function invited(email: string): Promise<PaymentPlan> {
  const plan = await collect.swapped(collect.requestFields({ email }));
  await collect.mailsTo(email, 1);
  return plan;
}

/** Plays the recipient, who has received this many e-mails so far. */
async function choose(email: string, mails: number, destination: object = DESTINATIONS.iban): Promise<void> {
  const [invitation = assert.fail()] = await collect.mailsTo(email, mails);
  const fields = { token: tokenIn(invitation), ...destination, confirmed: 'yes' };
  assert.equal((await collect.post('submit', fields)).status, 200);
  const [mail = assert.fail()] = await collect.mailsTo(email, mails + 1);
  assert.equal((await collect.post('confirm', { ...fields, code: codeIn(mail) })).status, 200);
}

async function statusUntil(id: string, status: CollectRequest['status']): Promise<CollectRequest> {
  for (let tries = 0; tries < 2_000; tries += 1) {
    const request = await shown(id);
    if (request.status === status) return request;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  return assert.fail(`${id} does not become ${status}`);
}

test('a round is followed from its link to its delivery, and found by what is known of it', async () => {
  const email = freshEmail();
  const plan = await invited(email);
  const id = idOf(plan);
  const sent = await statusUntil(id, 'SENT');
  assert.partialDeepStrictEqual(sent, { planId: plan.planId, round: 1, linkVersion: 1, mail: 'ACCEPTED' });
  assert.equal((await collect.linkAgain(plan)).status, 429, 'a minute has to pass');
  await collect.advance('PT61S');
  const again = await collect.linkAgain(plan);
  assert.deepEqual([again.status, again.body.collectRequestId], [200, id], again.text);
  assert.equal((await shown(id)).linkVersion, 2);
  await collect.advance('PT61S');
  const other = freshEmail();
  const moved = await collect.linkAgain(plan, { email: other });
  assert.equal(moved.status, 200, moved.text);
  assert.equal((await shown(id)).createdAt, sent.createdAt);
  assert.deepEqual(await idsOf({ email }), []);
  await choose(other, 1);
  assert.equal((await shown(id)).status, 'SUBMITTED');
  const delivered = await collect.deliver(plan, { outcome: 'DONE', providerReference: 'P-1' });
  assert.equal(delivered.status, 200, delivered.text);
  assert.equal((await shown(id)).status, 'DELIVERED');
  const queries = [{ planId: plan.planId }, { email: other }, { email: other.replace('example', 'EXAMPLE') }];
  for (const query of queries) assert.deepEqual(await idsOf({ status: 'DELIVERED', ...query }), [id]);
  const { createdAt } = sent;
  assert.deepEqual(await idsOf({ planId: plan.planId, createdFrom: createdAt }), [id]);
  assert.deepEqual(await idsOf({ planId: plan.planId, createdTo: createdAt }), []);
  assert.deepEqual(await idsOf({ planId: plan.planId, status: 'SENT' }), []);
});

test('a list goes on page by page, newest first', async () => {
  const ids: string[] = [];
  for (let count = 0; count < 3; count += 1) ids.unshift(idOf(await invited(freshEmail())));
  const found: string[] = [];
  for (let cursor = ''; found.length < 3; ) {
    const { json } = await ask(`?limit=1${cursor && `&cursor=${cursor}`}`);
    const page = json as CollectRequestList;
    found.push(...page.data.map(({ collectRequestId }) => collectRequestId));
    cursor = page.nextCursor ?? assert.fail('the list has ended');
  }
  assert.deepEqual(found, ids);
  const { nextCursor } = (await ask('?limit=1')).json as CollectRequestList;
  assertProblem(await ask(`?limit=1&status=SENT&cursor=${nextCursor}`), 400, 'validation-failed');
});

test('what is told of a round that is over is not taken for the present one', async () => {
  const email = freshEmail();
  const plan = await invited(email);
  const [first, second, third] = [idOf(plan), idOf(plan, 2), idOf(plan, 3)];
  await choose(email, 1);
  const failed = { outcome: 'FAILED', providerReference: 'F-1', failure: { code: 'ACCOUNT_CLOSED' } };
  const ended = await collect.deliver(plan, failed);
  assert.equal(ended.status, 200, ended.text);
  assert.equal((await shown(first)).status, 'FAILED');
  assert.equal((await statusUntil(second, 'SENT')).round, 2);
  const before = (await collect.client.get(plan.planId)).revision;
  for (const report of [
    { outcome: 'SENT', providerReference: 'S-1' },
    { outcome: 'DONE', providerReference: 'F-1' },
    { ...failed, providerReference: 'F-2' },
  ])
    assertProblem(await collect.deliver(plan, report), 409, 'step-not-ready', /has not chosen|failed/);
  assert.equal((await collect.deliver(plan, failed)).status, 200, 'its answer may have been lost');
  assert.equal((await shown(first)).status, 'FAILED');
  assert.equal((await collect.client.get(plan.planId)).revision, before, 'nothing was changed');
  await choose(email, 3, DESTINATIONS.otherIban);
  const delivered = { outcome: 'DONE', providerReference: 'P-2' };
  const returned = { outcome: 'RETURNED', providerReference: 'RT-2' };
  for (const report of [delivered, returned]) assert.equal((await collect.deliver(plan, report)).status, 200);
  assert.equal((await shown(second)).status, 'RETURNED');
  const again = await collect.linkAgain(plan);
  assert.deepEqual([again.status, again.body.collectRequestId], [200, third], again.text);
  assert.equal((await collect.deliver(plan, returned)).status, 200, 'the return is known, too');
  assert.deepEqual(await idsOf({ planId: plan.planId }), [third, second, first]);
});

test('what the bank booked of a delivery that failed is not the delivery that was made later', async () => {
  const email = freshEmail();
  const plan = await invited(email);
  await choose(email, 1);
  const failed = { outcome: 'FAILED', providerReference: `F ${plan.planId}`, failure: { code: 'OTHER' } };
  assert.equal((await collect.deliver(plan, failed)).status, 200);
  const second = idOf(plan, 2);
  await statusUntil(second, 'SENT');
  await choose(email, 3, DESTINATIONS.otherIban);
  const delivered = { outcome: 'DONE', providerReference: `D ${plan.planId}` };
  assert.equal((await collect.deliver(plan, delivered)).status, 200);
  const { json } = await collect.client.ask(`/v1/payments/${plan.planId}/movements`);
  const payout = (json as { data: Movement[] }).data.find(({ kind }) => kind === 'PAYOUT') ?? assert.fail();
  // Two days later: the day alone does not distinguish the two rounds.
  const on = new Date(Date.parse(dayOf(payout)) + 2 * 86_400_000).toISOString().slice(0, 10);
  const amount = `-${decimal(BigInt(payout.actual) / 10n ** 16n)}`;
  const bank = statementsOn(collect.service.url, collect.service.authorization);
  const booked = (reference: string) => ({
    amount,
    on,
    details: [{ amount, endToEndId: payout.endToEndId ?? '', reference }],
  });
  const bookings = [booked(failed.providerReference), booked(delivered.providerReference)];
  const statement = await bank.imported(camtOf({ currency: 'EUR', bookings, openingOn: on, closingOn: on }));
  assert.deepEqual(
    (await bank.entries(statement)).map((entry) => [
      entry.status,
      entry.matches[0]?.movementId ?? entry.proposals[0]?.reasons.join(),
    ]),
    [
      ['TENTATIVE', 'EARLIER_ATTEMPT'],
      ['MATCHED', payout.movementId],
    ],
  );
});

test('a link that has expired is followed by another in its round, which ends with the plan', async () => {
  const plan = await invited(freshEmail());
  const id = idOf(plan);
  await statusUntil(id, 'SENT');
  await collect.advance('P15D');
  assert.equal((await shown(id)).status, 'EXPIRED');
  assert.deepEqual(await idsOf({ planId: plan.planId, status: 'EXPIRED' }), [id]);
  const { planId, revision } = await collect.client.get(plan.planId);
  const path = `/v1/payments/${planId}/again`;
  assertProblem(await collect.client.ask(path, {}, `"${revision - 1}"`), 412, 'revision-mismatch');
  const again = await collect.client.ask(path, {}, `"${revision}"`);
  assert.deepEqual([again.status, again.body.collectRequestId], [200, id], again.text);
  assert.equal((await shown(id)).linkVersion, 2);
  await statusUntil(id, 'SENT');
  assert.equal((await collect.client.end(plan, { reason: 'OTHER' })).status, 200);
  assert.equal((await shown(id)).status, 'CANCELLED');
  assert.deepEqual(await idsOf({ planId, status: 'CANCELLED' }), [id]);
});

test('an address that is asked for is in no error and in no log', async () => {
  const email = freshEmail();
  assert.deepEqual(await idsOf({ email }), []);
  const wrong = await ask(`?email=${encodeURIComponent(`Jo <${email}>`)}`);
  assertProblem(wrong, 400, 'validation-failed', /without a display name/);
  const name = email.split('@')[0] ?? '';
  assert.ok(!wrong.text.includes(name) && !collect.logged().includes(name));
});

test('a recipient who was erased is asked again only when somebody else is named', async () => {
  const email = freshEmail();
  const { client } = collect;
  const recipients = recipientsOn(collect);
  const registered = await recipients.save({ recipient: { type: 'email', email } });
  const recipient = { type: 'saved', recipientId: registered.recipientId };
  const plan = await collect.swapped({ ...collect.requestFields(), recipient });
  await choose(email, 1);
  const path = `/v1/payments/${plan.planId}`;
  const reports = (outcome: string) => collect.deliver(plan, { outcome, providerReference: `E-${outcome}` });
  assert.equal((await reports('DONE')).status, 200);
  await recipients.remove(registered);
  assert.equal((await recipients.erase(registered)).registered.status, 'ERASED');
  assertProblem(await client.ask(`${path}/recipient/reveal`, {}), 409, 'details-erased');
  assert.equal((await reports('RETURNED')).status, 200);
  assertProblem(await collect.linkAgain(plan), 409, 'details-erased', /recipient/);
  const other = freshEmail();
  const named = await collect.linkAgain(plan, { email: other });
  assert.equal(named.status, 200, named.text);
  assert.equal(named.body.recipientId, undefined);
  await choose(other, 1, DESTINATIONS.iban);
  assert.equal((await client.ask(`${path}/recipient/reveal`, {})).status, 200);
  const [first, second] = [await shown(idOf(plan, 1)), await shown(idOf(plan, 2))];
  assert.deepEqual([first.status, second.status], ['RETURNED', 'SUBMITTED']);
});
