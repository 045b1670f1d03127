// Webhooks as an organisation uses them: a sandbox in a process of its own, receivers on this machine, its clock moved.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, afterEach, before, test } from 'node:test';
import { makeCertificate } from '@fairway/testing/certificate';
import type { Credential, Event, WebhookDelivery, WebhookEndpoint } from '@fairway/wire';
import { Webhook } from 'standardwebhooks';
import { type Caller, callerOf, makeLogin, payment, type Reply } from './paymentCalls.ts';
import { assertDescribed } from './describedEvents.ts';
import { endEverything, freshFolder } from './processHarness.ts';
import { closeReceivers, type Got, startReceiver, until } from './webhookReceivers.ts';
import { join } from 'node:path';
import { runFairway, startFairway, type StartedService } from './commandHarness.ts';

const folder = freshFolder();
const data = join(folder, 'data');
const auditLog = join(folder, 'audit.log');
const PERMISSIONS = 'payments:write,payments:read,webhooks:write,webhooks:read,events:read';
let service: StartedService;
let ask: Caller;
let other: Caller;
let sandbox: Caller;

before(async () => {
  const options = ['--data', data, '--log-level', 'warn', '--audit-log', auditLog];
  service = await startFairway(['--port', '0', ...options]);
  const { url } = service.ready;
  ask = callerOf(url, await makeLogin({ data }, 'Harbour', PERMISSIONS));
  other = callerOf(url, await makeLogin({ data }, 'Rival', PERMISSIONS));
  sandbox = callerOf(url, service.ready);
  // Otherwise the first endpoint would receive this event.
  await until('its credential is told', async () => (await eventsOf('type=credential.*')).length > 0);
});
after(endEverything);
afterEach(async () => {
  const left = await listed();
  for (const { endpointId } of left)
    assert.equal((await ask(at(endpointId), undefined, 'DELETE')).status, 200);
  const last = left.at(-1)?.endpointId;
  const query = `type=webhook_endpoint.disabled&subject=${last}`;
  // Otherwise the next test would receive this event.
  if (last !== undefined) await until('the end', async () => (await eventsOf(query)).length > 0);
  await closeReceivers();
});

const ENDPOINTS = '/v1/webhook_endpoints';
const at = (endpointId: string, more = '') => `${ENDPOINTS}/${endpointId}${more}`;
const parsed = <T>({ text }: Reply): T => JSON.parse(text) as T;

async function eventsOf(query: string): Promise<Event[]> {
  return parsed<{ data: Event[] }>(await ask(`/v1/events?${query}`)).data;
}

async function listed(): Promise<WebhookEndpoint[]> {
  return parsed<{ data: WebhookEndpoint[] }>(await ask(ENDPOINTS)).data;
}

async function make(url: string, more: object = {}): Promise<WebhookEndpoint & { secret: string }> {
  const made = await ask(ENDPOINTS, { url, ...more });
  assert.equal(made.status, 201, made.text);
  const endpoint = parsed<WebhookEndpoint & { secret: string }>(made);
  assert.equal(made.headers.get('location'), at(endpoint.endpointId));
  return endpoint;
}

async function deliveries(endpointId: string, query = ''): Promise<WebhookDelivery[]> {
  return parsed<{ data: WebhookDelivery[] }>(await ask(at(endpointId, `/deliveries?${query}`))).data;
}

async function endpoint(endpointId: string): Promise<WebhookEndpoint> {
  return parsed(await ask(at(endpointId)));
}

async function post(path: string, body: object = {}): Promise<Reply> {
  const answer = await ask(path, body);
  assert.ok(answer.status < 300, answer.text);
  return answer;
}

const advance = (duration: string) => sandbox('/v1/sandbox/clock', { advance: duration });
const verified = (secret: string, { text, headers }: Got) =>
  new Webhook(secret).verify(text, headers) as Event;

let planCount = 0;
async function newPlan(): Promise<string> {
  const { status, body, text } = await ask('/v1/payments', payment('bank', `hooks-${++planCount}`));
  assert.ok(status < 300, text);
  return body.planId;
}

test('an endpoint gets the events that it asks for, signed, and the API shows what was sent', async () => {
  const [all, some, foreign] = await Promise.all([startReceiver(), startReceiver(), startReceiver()]);
  const whole = await make(all.url, { headers: { Authorization: 'Bearer x' }, description: 'All of it' });
  assert.match(whole.secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  assert.deepEqual(whole.headerNames, ['authorization']);
  const part = await make(some.url, { types: ['payment_plan.cancelled'] });
  assert.equal((await other(ENDPOINTS, { url: foreign.url })).status, 201);
  const planId = await newPlan();
  const seen = { 'if-match': '"1"' };
  assert.equal((await ask(`/v1/payments/${planId}/end`, {}, undefined, seen)).status, 200);
  await until('all events', () => all.got.some(({ text }) => text.includes('payment_plan.cancelled')));
  await until('the one event', () => some.got.length > 0);
  const events = all.got.map((got) => verified(whole.secret, got));
  assert.deepEqual(new Set(events.map(({ sequence }) => sequence)).size, events.length);
  assert.equal(all.got[0]?.headers['authorization'], 'Bearer x');
  assert.match(all.got[0]?.headers['user-agent'] ?? '', /^Fairway\//);
  const [first] = events;
  const list = parsed<{ data: Event[] }>(await ask(`/v1/events?subject=${planId}`)).data;
  assert.deepEqual(first, list[0], 'the same as the list has it');
  assert.deepEqual(
    some.got.map((got) => verified(part.secret, got).type),
    ['payment_plan.cancelled'],
  );
  assert.throws(() => verified(whole.secret, some.got[0] ?? assert.fail()));
  // Events of its own organisation may come, such as that its credential was made.
  assert.ok(foreign.got.every(({ text }) => !text.includes(planId)));
  await until('the record', async () => (await deliveries(whole.endpointId, 'status=PENDING')).length === 0);
  const [newest] = await deliveries(whole.endpointId, 'limit=1');
  assert.equal(newest?.status, 'DELIVERED');
  assert.deepEqual(
    newest.attempts.map(({ status }) => status),
    [204],
  );
  const shown = await listed();
  assert.equal(JSON.stringify(shown).includes('whsec_'), false, 'a secret is shown once');
});

test('a failed attempt is made again by the schedule, with the same id and another signature', async () => {
  let failures = 2;
  const receiver = await startReceiver((_, response) =>
    response.writeHead(failures-- > 0 ? 500 : 200).end('x'),
  );
  const { endpointId, secret } = await make(receiver.url);
  const { eventId } = parsed<{ eventId: string }>(await post(at(endpointId, '/test')));
  await until('the first attempt', async () => (await deliveries(endpointId))[0]?.attempts.length === 1);
  assert.ok((await endpoint(endpointId)).failingSince);
  await advance('PT6S');
  await until('the second attempt', async () => (await deliveries(endpointId))[0]?.attempts.length === 2);
  await advance('PT4M');
  await newPlan();
  await until('another event', () => receiver.got.length > 2);
  assert.equal(receiver.got.filter(({ headers }) => headers['webhook-id'] === eventId).length, 2, 'not yet');
  await advance('PT2M');
  await until('the third attempt', async () =>
    (await deliveries(endpointId)).some((each) => each.eventId === eventId && each.status === 'DELIVERED'),
  );
  const own = receiver.got.filter(({ headers }) => headers['webhook-id'] === eventId);
  assert.equal(own.length, 3);
  assert.equal(new Set(own.map(({ text }) => text)).size, 1);
  for (const got of own) assert.equal(verified(secret, got).type, 'webhook_endpoint.test');
  assert.equal((await endpoint(endpointId)).failingSince, undefined);
});

test('ten attempts are made, each as long after the one before as the schedule says, and no more', async () => {
  const receiver = await startReceiver((_, response) => response.writeHead(500).end());
  const { endpointId } = await make(receiver.url, { types: ['webhook_endpoint.test'] });
  await post(at(endpointId, '/test'));
  const attempted = async (times: number) => {
    const [delivery] = await deliveries(endpointId);
    return delivery?.attempts.length === times ? delivery : undefined;
  };
  const waits = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];
  for (const [index, seconds] of waits.entries()) {
    await until(`attempt ${index + 1}`, async () => (await attempted(index + 1)) !== undefined);
    const { attempts, nextAttemptAt = '' } = (await attempted(index + 1)) ?? assert.fail();
    const waited = (Date.parse(nextAttemptAt) - Date.parse(attempts.at(-1)?.at ?? '')) / 1_000;
    // The wait begins when the attempt has ended, which may take 15 s.
    assert.ok(waited >= seconds && waited <= seconds * 1.1 + 15, `${waited} s after attempt ${index + 1}`);
    await advance(`PT${Math.ceil(seconds * 1.1) + 15}S`);
  }
  await until('the last attempt', async () => (await attempted(10)) !== undefined);
  const last = await attempted(10);
  assert.deepEqual([last?.status, last?.nextAttemptAt], ['FAILED', undefined]);
  assert.equal(new Set(receiver.got.map(({ headers }) => headers['webhook-id'])).size, 1);
});

test('a new secret signs beside the former one for as long as it is asked to', async () => {
  const receiver = await startReceiver();
  const { endpointId, secret: first } = await make(receiver.url);
  const rotate = async (overlap: string) =>
    parsed<{ secret: string }>(await post(at(endpointId, '/rotate-secret'), { overlap })).secret;
  const second = await rotate('PT1H');
  const sent = async () => {
    const count = receiver.got.length;
    await post(at(endpointId, '/test'));
    await until('a test', () => receiver.got.length > count);
    return receiver.got.at(-1) ?? assert.fail();
  };
  const both = await sent();
  assert.equal(both.headers['webhook-signature']?.split(' ').length, 2);
  assert.deepEqual(verified(first, both), verified(second, both));
  await advance('PT61M');
  const one = await sent();
  assert.throws(() => verified(first, one));
  verified(second, one);
  const third = await rotate('PT0S');
  const last = await sent();
  assert.throws(() => verified(second, last));
  verified(third, last);
  assert.equal((await ask(at(endpointId, '/rotate-secret'), { overlap: 'P8D' })).status, 400);
});

test('410 disables; what fell due meanwhile comes with recover, and only that', async () => {
  let status = 410;
  const receiver = await startReceiver((_, response) => response.writeHead(status).end());
  const watcher = await startReceiver();
  const watching = await make(watcher.url, { types: ['webhook_endpoint.*'] });
  const { endpointId, createdAt } = await make(receiver.url, { types: ['payment_plan.*'] });
  await newPlan();
  await until('DISABLED', async () => (await endpoint(endpointId)).status === 'DISABLED');
  assert.equal((await endpoint(endpointId)).disabledReason, 'GONE');
  assert.equal((await deliveries(endpointId, 'status=PENDING')).length, 0);
  await until('the event', () => watcher.got.length > 0);
  const published = verified(watching.secret, watcher.got[0] ?? assert.fail());
  assert.deepEqual([published.type, published.subject.id], ['webhook_endpoint.disabled', endpointId]);
  status = 200;
  const missed = await newPlan();
  const told = async () => parsed<{ data: [] }>(await ask(`/v1/events?subject=${missed}`)).data.length > 0;
  await until('what is missed', told);
  for (const path of ['/test', '/recover']) {
    const refused = await ask(at(endpointId, path), path === '/test' ? {} : { since: createdAt });
    assert.deepEqual([refused.status, refused.body.code], [409, 'webhook-endpoint-disabled']);
  }
  await post(at(endpointId, '/enable'));
  const before = receiver.got.length;
  const recovered = await post(at(endpointId, '/recover'), { since: createdAt });
  const { recovered: count } = parsed<{ recovered: number }>(recovered);
  await until('what was missed', () => receiver.got.length - before === count);
  assert.ok(receiver.got.some(({ text }) => text.includes(missed)));
  const again = async (only: string) =>
    parsed<{ recovered: number }>(await post(at(endpointId, '/recover'), { since: createdAt, only }))
      .recovered;
  await until('the record', async () => (await deliveries(endpointId, 'status=PENDING')).length === 0);
  assert.deepEqual([await again('UNDELIVERED'), await again('ALL')], [0, count]);
  await until('the record', async () => (await deliveries(endpointId, 'status=PENDING')).length === 0);
  const some = async (more: object) => {
    const asked = { since: createdAt, only: 'ALL', ...more };
    return parsed<{ recovered: number }>(await post(at(endpointId, '/recover'), asked)).recovered;
  };
  const soon = new Date(Date.parse(createdAt) + 1).toISOString();
  assert.equal(await some({ until: soon }), 0);
  assert.deepEqual(
    [await some({ types: ['payment_plan.cancelled'] }), await some({ types: ['payment_plan.created'] })],
    [0, 2],
  );
});

test('without a success for an hour others are told, and for five days nothing more is sent', async () => {
  let status = 500;
  const receiver = await startReceiver((_, response) => response.writeHead(status).end());
  const watcher = await startReceiver();
  const watching = await make(watcher.url, { types: ['webhook_endpoint.*'] });
  const { endpointId } = await make(`${receiver.url}?token=planted`);
  const published = () => watcher.got.map((got) => verified(watching.secret, got).type);
  await newPlan();
  await until('a failure', async () => (await endpoint(endpointId)).failingSince !== undefined);
  await advance('PT61M');
  await until('failing', () => published().includes('webhook_endpoint.failing'));
  status = 200;
  await newPlan();
  await until('recovered', () => published().includes('webhook_endpoint.recovered'));
  status = 500;
  await newPlan();
  await until('a failure', async () => (await endpoint(endpointId)).failingSince !== undefined);
  await advance('P5D');
  await newPlan();
  await until('DISABLED', async () => (await endpoint(endpointId)).disabledReason === 'FAILING');
  await until('the event', () => published().includes('webhook_endpoint.disabled'));
  assert.equal((await deliveries(endpointId, 'status=PENDING')).length, 0);
  // The query of a URL can hold a secret, which the other receivers are not told.
  assert.ok(!watcher.got.some(({ text }) => text.includes('planted')));
});

test('a delivery and an event can be sent again, to one endpoint or to all that want it', async () => {
  const [one, two] = await Promise.all([startReceiver(), startReceiver()]);
  const first = await make(one.url, { types: ['payment_plan.created'] });
  await newPlan();
  await until('the event', () => one.got.length === 1);
  const second = await make(two.url, { types: ['collect_request.*'] });
  await until('the record', async () => (await deliveries(first.endpointId))[0]?.status === 'DELIVERED');
  const [{ deliveryId, eventId } = assert.fail()] = await deliveries(first.endpointId);
  await post(at(first.endpointId, `/deliveries/${deliveryId}/resend`));
  await until('the second', () => one.got.length === 2);
  const resent = (body: object) => post(`/v1/events/${eventId}/resend`, body);
  const { endpointId } = second;
  assert.equal(parsed<{ data: unknown[] }>(await resent({ endpointId })).data.length, 1);
  await until('the event elsewhere', () => two.got.length === 1);
  assert.equal(parsed<{ data: unknown[] }>(await resent({})).data.length, 1);
  await until('the third', () => one.got.length === 3);
  assert.equal(new Set(one.got.map(({ headers }) => headers['webhook-id'])).size, 1);
  for (const path of [
    at(first.endpointId, `/deliveries/whd_${'0'.repeat(32)}/resend`),
    `/v1/events/evt_${'0'.repeat(32)}/resend`,
  ])
    assert.equal((await ask(path, {})).status, 404, path);
});

test('what becomes of a credential is told to its organisation, and to no other', async () => {
  const receiver = await startReceiver();
  const { secret } = await make(receiver.url, { types: ['credential.*'] });
  const { username, password } = await makeLogin({ data }, 'Harbour', 'quotes:read');
  for (const verb of ['rotate', 'revoke']) {
    const { code, output } = await runFairway(['credentials', verb, username, '--data', data]);
    assert.equal(code, 0, output);
  }
  await until('the events', () => receiver.got.length === 3);
  const events = receiver.got.map((got) => verified(secret, got)).sort((a, b) => a.sequence - b.sequence);
  assertDescribed(events);
  assert.deepEqual(
    events.map(({ type, sequence, subject }) => [sequence, type, subject.id]),
    ['created', 'rotated', 'revoked'].map((what, index) => [index + 1, `credential.${what}`, username]),
  );
  const [created, rotated, revoked] = events.map(({ data: { object } }) => object as Credential);
  assert.partialDeepStrictEqual(created, { credentialId: username, permissions: ['quotes:read'] });
  assert.ok(rotated?.previousValidUntil && !rotated.revokedAt && revoked?.revokedAt);
  assert.equal(JSON.stringify(events).includes(password), false);
  assert.deepEqual(parsed<{ data: [] }>(await other(`/v1/events?subject=${username}`)).data, []);
});

test('a reference makes one endpoint, there are at most 20, and each field has its remedy', async () => {
  const url = 'http://127.0.0.1:9999/hooks';
  const asked = { url, clientReference: 'main', headers: { a: '1', b: '2' } };
  const made = await ask(ENDPOINTS, asked);
  const again = await ask(ENDPOINTS, { ...asked, headers: { b: '2', a: '1' } });
  assert.deepEqual([again.status, again.headers.get('idempotent-replayed')], [201, 'true']);
  const { secret: _, ...shown } = parsed<WebhookEndpoint>(made);
  assert.deepEqual(parsed(again), shown);
  const clash = await ask(ENDPOINTS, { ...asked, url: `${url}/other` });
  assert.deepEqual([clash.status, clash.body.code], [422, 'client-reference-reused']);
  const wrong = [
    [{ url: 'http://example.com/' }, '/url'],
    [{ url: 'https://a:hidden@example.com/' }, '/url'],
    [{ url: 'https://10.0.0.1/' }, '/url'],
    [{ url: 5 }, '/url'],
    [{}, '/url'],
    [{ url, types: ['payment_plan.paid'] }, '/types/0'],
    [{ url, headers: { host: 'hidden' } }, '/headers'],
    [{ url, clientCertificate: { cert: 'hidden', key: 'hidden' } }, '/clientCertificate'],
    [{ url, clientCertificate: { cert: 'hidden' } }, '/clientCertificate/key'],
  ] as const;
  for (const [body, pointer] of wrong) {
    const refused = await ask(ENDPOINTS, body);
    assert.equal(refused.status, 400, refused.text);
    const { errors } = parsed<{ errors: { pointer: string }[] }>(refused);
    assert.deepEqual(
      errors.map((each) => each.pointer),
      [pointer],
      refused.text,
    );
    assert.doesNotMatch(refused.text, /hidden/);
  }
  const { endpointId } = shown;
  const moved = { url: 'https://elsewhere.example/' };
  const { cert, key } = makeCertificate({ hosts: ['client.example'] });
  assert.equal((await ask(at(endpointId), { clientCertificate: { cert, key } }, 'PATCH')).status, 200);
  const refused = await ask(at(endpointId), moved, 'PATCH');
  assert.equal(refused.status, 400, 'neither is for others');
  const { errors } = parsed<{ errors: { pointer: string; detail: string }[] }>(refused);
  assert.deepEqual(
    errors.map((each) => each.pointer),
    ['/headers', '/clientCertificate'],
  );
  assert.match(
    errors[1]?.detail ?? '',
    /which would get what was meant for the one before; null takes it away\.$/,
  );
  const one = await ask(at(endpointId), { ...moved, headers: {} }, 'PATCH');
  assert.deepEqual([one.status, parsed<{ errors: object[] }>(one).errors.length], [400, 1]);
  const none = { ...moved, headers: {}, clientCertificate: null };
  assert.equal((await ask(at(endpointId), none, 'PATCH')).status, 200);
  for (let count = 1; count < 20; count += 1) await make(url);
  const many = await ask(ENDPOINTS, { url });
  assert.deepEqual([many.status, many.body.code], [409, 'too-many-webhook-endpoints']);
  await ask(at(endpointId), undefined, 'DELETE');
  assert.equal((await ask(ENDPOINTS, asked)).status, 422, 'the reference stays used');
  assert.equal((await ask(at(endpointId))).status, 404);
});

test('the audit log has who changed which endpoint, and nothing that a caller wrote', async () => {
  const { endpointId } = await make('http://127.0.0.1:9999/planted', { description: 'planted' });
  await ask(at(endpointId), { types: ['*'] }, 'PATCH');
  for (const path of ['/enable', '/rotate-secret']) await post(at(endpointId, path));
  await ask(at(endpointId), undefined, 'DELETE');
  const changes = () =>
    readFileSync(auditLog, 'utf8')
      .split('\n')
      .filter((line) => line.includes(endpointId))
      .map((line) => JSON.parse(line) as { event: string; change: string; credentialId: string });
  await until('the lines', () => changes().length === 5);
  assert.deepEqual(
    changes().map(({ event, change }) => `${event} ${change}`),
    ['CREATED', 'EDITED', 'ENABLED', 'SECRET_ROTATED', 'DELETED'].map(
      (change) => `WEBHOOK_CHANGED ${change}`,
    ),
  );
  assert.match(changes()[0]?.credentialId ?? '', /^cred_/);
  assert.doesNotMatch(readFileSync(auditLog, 'utf8'), /planted|whsec_/);
});
