// Events that are asked for again, at the streams that ask for resends: two services on one database, two organisations.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { connectToRunning } from '@fairway/postgres';
import type { Event } from '@fairway/wire';
import { followEvents } from '../src/cli/listen/followEvents.ts';
import { type Caller, callerOf, type Login, makeLogin, payment, urlOf } from './paymentCalls.ts';
import { endEverything, freshFolder } from './processHarness.ts';
import { startSecondInstance } from './secondInstance.ts';
import { streamUntil } from './streamUntil.ts';
import { closeReceivers, startReceiver, until } from './webhookReceivers.ts';
import { startFairway, type StartedService } from './commandHarness.ts';

const data = join(freshFolder(), 'data');
const env = { FAIRWAY_SEALING_KEYS: `k1:${'5a'.repeat(32)}` };
let services: readonly StartedService[];
let payer: Login;
let rival: Login;
let ask: Caller;
const open: AbortController[] = [];

before(async () => {
  const first = await startFairway(['--port', '0', '--data', data, '--log-level', 'warn'], env);
  [payer, rival] = await Promise.all([makeLogin({ data, env }, 'Acme'), makeLogin({ data, env }, 'Rival')]);
  const running = connectToRunning(join(data, 'postgres'));
  assert.ok(running);
  const ground = { first: first.ready, login: payer, databaseUrl: urlOf(running), env };
  services = [first, await startSecondInstance(ground)];
  ask = callerOf(first.ready.url, payer);
  // Events of the credentials, which no stream shall have as its first.
  await until('what was before', async () => {
    const listed = await Promise.all(
      [payer, rival].map((login) => callerOf(first.ready.url, login)('/v1/events')),
    );
    return listed.every(({ text }) => text.includes('credential.created'));
  });
});
afterEach(() => {
  for (const ending of open.splice(0)) ending.abort();
});
after(async () => {
  await closeReceivers();
  await endEverything();
});

/** A reader as `fairway listen` is one: what came, and the newest place. */
type Reader = { readonly fresh: string[]; readonly resent: string[]; place(): string };

/** Follows one of the services, and answers once the stream has begun. */
async function follow(service: number, login: Login, types?: string): Promise<Reader> {
  const ending = new AbortController();
  open.push(ending);
  const [fresh, resent]: [string[], string[]] = [[], []];
  let place = '';
  const read = async () => {
    const events = followEvents({
      access: { ...login, url: services[service]?.ready.url ?? '' },
      ...{ types, after: 'now', signal: ending.signal, onLost: assert.fail, onFound: assert.fail },
    });
    for await (const { id, text, isResent } of events) {
      if (isResent) assert.equal(id, place, 'the place stays where it was');
      place = id;
      if (text !== undefined) (isResent ? resent : fresh).push((JSON.parse(text) as Event).id);
    }
  };
  void read();
  await until('the stream', () => place !== '');
  return { fresh, resent, place: () => place };
}

let references = 0;

/** Makes and cancels a plan, and answers the ids of its events, the last of which is its cancellation. */
async function cancelledPlan(): Promise<readonly string[]> {
  const { body } = await ask('/v1/payments', payment('bank', `resends ${(references += 1)}`));
  const seen = { 'if-match': `"${body.revision}"` };
  assert.equal((await ask(`/v1/payments/${body.planId}/end`, {}, undefined, seen)).status, 200);
  let ids: readonly string[] = [];
  await until('its events', async () => {
    const listed = JSON.parse((await ask(`/v1/events?subject=${body.planId}`)).text) as { data: Event[] };
    ids = listed.data.map(({ id }) => id);
    return listed.data.at(-1)?.type === 'payment_plan.cancelled';
  });
  return ids;
}

async function resend(eventId: string, body?: object) {
  const { status, text } = await ask(`/v1/events/${eventId}/resend`, body, 'POST');
  assert.equal(status, 200, text);
  return (JSON.parse(text) as { data: { endpointId: string }[] }).data;
}

test('an event that is asked for again comes to the streams of all processes, and no place moves', async () => {
  const readers = [await follow(0, payer), await follow(1, payer)];
  const ids = await cancelledPlan();
  await until('the events', () => readers.every(({ fresh }) => fresh.length === ids.length));
  const places = readers.map(({ place }) => place());
  const [first = '', second = ''] = ids;
  assert.deepEqual(await resend(first), [], 'no endpoint, and streams all the same');
  await until('the resend', () => readers.every(({ resent }) => resent.length === 1));
  await resend(second);
  await resend(first);
  await until('both', () => readers.every(({ resent }) => resent.length === 3));
  for (const [index, { fresh, resent, place }] of readers.entries()) {
    assert.deepEqual([fresh, resent], [ids, [first, second, first]]);
    assert.equal(place(), places[index]);
  }
  const more = await cancelledPlan();
  await until('what comes next', () =>
    readers.every(({ fresh }) => fresh.length === ids.length + more.length),
  );
});

test('a stream gets the resends that it asks for; the one of another organisation gets none', async () => {
  const [typed, others] = [await follow(1, payer, 'payment_plan.cancelled'), await follow(1, rival)];
  const ids = await cancelledPlan();
  const [created = ''] = ids;
  const cancelled = ids.at(-1) ?? '';
  const refused = await callerOf(services[0]?.ready.url ?? '', rival)(
    `/v1/events/${created}/resend`,
    undefined,
    'POST',
  );
  assert.equal(refused.status, 404);
  await resend(created);
  await resend(cancelled);
  await until('the resend', () => typed.resent.length > 0);
  assert.deepEqual([typed.fresh, typed.resent], [[cancelled], [cancelled]]);
  assert.deepEqual([others.fresh, others.resent], [[], []]);
});

test('a resend to one endpoint is its own, and one to all is also for streams', async () => {
  // The deliveries to endpoints are tested in webhooks.test.ts.
  const { url } = await startReceiver((_, response) => response.writeHead(204).end());
  const made = await ask('/v1/webhook_endpoints', { url, types: ['payment_plan.cancelled'] });
  const { endpointId } = JSON.parse(made.text) as { endpointId: string };
  const reader = await follow(1, payer);
  const ids = await cancelledPlan();
  const [created = '', updated = '', cancelled = ''] = ids;
  const endpointsOf = async (eventId: string, body?: object) =>
    (await resend(eventId, body)).map((each) => each.endpointId);
  assert.deepEqual(await endpointsOf(created, { endpointId }), [endpointId]);
  assert.deepEqual(await endpointsOf(cancelled), [endpointId]);
  assert.deepEqual(await endpointsOf(updated), [], 'which the endpoint does not want');
  await until('both', () => reader.resent.includes(updated));
  assert.deepEqual(reader.resent, [cancelled, updated], 'not the one to the endpoint');
  assert.equal((await ask(`/v1/webhook_endpoints/${endpointId}`, undefined, 'DELETE')).status, 200);
});

test('a stream that does not ask for resends has none, and a wrong ask is refused', async () => {
  const [created = ''] = await cancelledPlan();
  const url = services[1]?.ready.url ?? '';
  const reader = await follow(1, payer);
  await resend(created);
  await until('the resend', () => reader.resent.length === 1);
  const later = (await cancelledPlan()).at(-1) ?? '';
  const text = await streamUntil(url, payer, later);
  assert.equal(text.split(`"id":"${created}"`).length, 2, 'in its place alone');
  assert.ok(!text.includes('event: resent'));
  const wrong = await callerOf(url, payer)('/v1/events/stream?resends=yes');
  assert.equal(wrong.status, 400);
  assert.match(wrong.text, /resends must be true or false/);
});
