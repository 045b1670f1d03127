// Events as they happen, over server-sent events: a service in a process of its own, ten organisations, real connections.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectToRunning } from '@fairway/postgres';
import { openStore, type Store } from '@fairway/store';
import type { Event } from '@fairway/wire';
import { Client } from 'pg';
import { basic } from './harness.ts';
import { freshAccount, payment } from './paymentCalls.ts';
import { endEverything, freshFolder, type ServiceProcess, startProcess } from './processHarness.ts';

type Login = { readonly organisationId: string; readonly username: string; readonly password: string };

let service: ServiceProcess;
let store: Store;
let database: Client;
let payer: Login;

before(async () => {
  const data = join(freshFolder(), 'data');
  const key = randomBytes(32);
  service = await startProcess(['--port', '0', '--data', data, '--log-level', 'warn'], {
    FAIRWAY_SEALING_KEYS: `test:${key.toString('hex')}`,
  });
  const connection = connectToRunning(join(data, 'postgres'));
  assert.ok(connection !== undefined);
  const opened = await openStore({ connection, sealingKeys: [{ id: 'test', key }] });
  assert.ok(opened.ok);
  ({ store } = opened);
  database = new Client(connection);
  await database.connect();
  payer = await loginOf('Harbour Ltd', [
    'events:read',
    'payments:read',
    'payments:write',
    'payments:operate',
  ]);
});
after(async () => {
  await database?.end();
  await store?.close();
  await endEverything();
});

async function loginOf(organisation: string, permissions: readonly string[]): Promise<Login> {
  const made = await store.createCredential({ organisation, environment: 'sandbox', permissions });
  assert.ok(made.ok);
  return made;
}

const headersOf = ({ username, password }: Login) => ({ authorization: basic(username, password) });

/** A stream that is read: what came, in the order in which it came. */
type Stream = {
  readonly status: number;
  readonly events: Event[];
  /** The newest id. */
  lastId(): string;
  text(): string;
  readonly ended: Promise<void>;
  close(): void;
};

async function follow(
  login: Login,
  query = '',
  headers: Readonly<Record<string, string>> = {},
): Promise<Stream> {
  const leaving = new AbortController();
  const response = await fetch(`${service.ready.url}/v1/events/stream?${query}`, {
    headers: { ...headersOf(login), ...headers },
    signal: leaving.signal,
  });
  const events: Event[] = [];
  let [lastId, text, rest] = ['', '', ''];
  const read = async () => {
    for await (const bytes of response.body ?? []) {
      const part = Buffer.from(bytes as Uint8Array).toString();
      text = `${text}${part}`.slice(0, 4_000);
      const frames = `${rest}${part}`.split('\n\n');
      rest = frames.pop() ?? '';
      for (const frame of frames) {
        lastId = /^id: (.*)$/m.exec(frame)?.[1] ?? lastId;
        const told = /^data: (.*)$/m.exec(frame)?.[1];
        if (told !== undefined) events.push(JSON.parse(told) as Event);
      }
    }
  };
  const ended = read().catch(() => undefined);
  const close = () => leaving.abort();
  return { status: response.status, events, lastId: () => lastId, text: () => text, ended, close };
}

async function until(what: string, isSo: () => boolean, mostMs = 20_000): Promise<void> {
  for (const untilMs = performance.now() + mostMs; !isSo(); await sleep(10))
    if (performance.now() > untilMs) assert.fail(`${what} did not come`);
}

let references = 0;

async function makePlan(login: Login): Promise<string> {
  const asked = payment('wallet', `stream ${(references += 1)}`, {
    options: { mode: 'STANDARD', depositAddress: freshAccount() },
  });
  const response = await fetch(`${service.ready.url}/v1/payments`, {
    method: 'POST',
    headers: { ...headersOf(login), 'content-type': 'application/json' },
    body: JSON.stringify(asked),
  });
  const plan = (await response.json()) as { planId: string };
  assert.equal(response.status, 200, JSON.stringify(plan));
  return plan.planId;
}

/** Writes many events of an organisation at once, each of so many bytes. */
async function writeEvents({ organisationId }: Login, count: number, bytes: number): Promise<void> {
  await database.query(
    `insert into events (organisation_id, environment, event_id, type, subject_type, subject_id, sequence, at, data)
     select $1, 'sandbox', 'evt_' || replace(gen_random_uuid()::text, '-', ''), 'payment_plan.updated', 'payment_plan',
       'plan_many', number, now(), jsonb_build_object('data', jsonb_build_object('object', repeat('x', $3)))
     from generate_series(1, $2::int) as number`,
    [organisationId, count, bytes],
  );
}

const numbersOf = ({ events }: Stream) =>
  events.filter(({ subject }) => subject.id === 'plan_many').map(({ sequence }) => sequence);

test('what happens comes at once, and a reader who comes back goes on where it was', async () => {
  const stream = await follow(payer, 'after=now');
  const first = await makePlan(payer);
  await until('the first plan', () => stream.events.length > 0, 5_000);
  assert.deepEqual(
    stream.events.map(({ type, subject }) => [type, subject.id]),
    [['payment_plan.created', first]],
  );
  assert.match(stream.text(), /^retry: 2000\nid: \S+\n\nid: \S+\ndata: \{"id":"evt_/);
  const { data } = (await (
    await fetch(`${service.ready.url}/v1/events?subject=${first}`, { headers: headersOf(payer) })
  ).json()) as { data: Event[] };
  assert.deepEqual(data, stream.events, 'as the list has it');
  stream.close();
  await stream.ended;
  const missed = await makePlan(payer);
  // The header comes before the parameter.
  const again = await follow(payer, 'after=now', { 'last-event-id': stream.lastId() });
  await until('what was missed', () => again.events.length > 0, 5_000);
  assert.equal(again.events[0]?.subject.id, missed);
  again.close();
});

test('a reader gets the types that it asked for, and those of its organisation alone', async () => {
  const other = await loginOf('Rival plc', ['events:read']);
  const [rivals, ended] = await Promise.all([
    follow(other, 'after=now'),
    follow(payer, 'after=now&type=payment_plan.cancelled'),
  ]);
  const planId = await makePlan(payer);
  const cancelled = await fetch(`${service.ready.url}/v1/payments/${planId}/end`, {
    method: 'POST',
    headers: { ...headersOf(payer), 'if-match': '"1"' },
  });
  assert.equal(cancelled.status, 200);
  await until('the end', () => ended.events.length > 0, 5_000);
  assert.deepEqual(
    ended.events.map(({ type }) => type),
    ['payment_plan.cancelled'],
  );
  assert.deepEqual(rivals.events, []);
  for (const each of [rivals, ended]) each.close();
});

test('a stream whose credential is revoked ends within five seconds', async () => {
  const guest = await loginOf('Harbour Ltd', ['events:read']);
  const [stays, ends] = await Promise.all([follow(payer, 'after=now'), follow(guest, 'after=now')]);
  let [isOver, isPayersOver] = [false, false];
  void ends.ended.then(() => (isOver = true));
  void stays.ended.then(() => (isPayersOver = true));
  await sleep(2_000);
  assert.deepEqual([isOver, isPayersOver], [false, false]);
  assert.ok((await store.revokeCredential(guest.username)).ok);
  await until('the end of the stream', () => isOver, 5_000);
  assert.equal(isPayersOver, false, 'the other stream goes on');
  stays.close();
});

test('connections that break as they begin take no place', async () => {
  const guest = await loginOf('Fleeting Ltd', ['events:read']);
  const { hostname, port } = new URL(service.ready.url);
  for (let round = 0; round < 6; round += 1) {
    const sockets = Array.from({ length: 40 }, () => {
      const socket = connect(Number(port), hostname).on('error', () => {});
      socket.write(
        `GET /v1/events/stream HTTP/1.1\r\nhost: ${hostname}:${port}\r\nauthorization: ${headersOf(guest).authorization}\r\n\r\n`,
      );
      return socket;
    });
    await sleep(5 * round);
    for (const socket of sockets) socket.resetAndDestroy();
    // A credential is read again after three seconds: then a request waits for the database before it is admitted.
    await sleep(round === 2 ? 3_100 : 20);
  }
  await sleep(1_000);
  const streams = await Promise.all(Array.from({ length: 100 }, () => follow(guest, 'after=now')));
  assert.ok(streams.every(({ status }) => status === 200));
  for (const each of streams) each.close();
});

test('what cannot be followed is refused before a stream begins', async () => {
  const refused = async (query: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') => {
    const response = await fetch(`${service.ready.url}/v1/events/stream?${query}`, {
      method,
      headers: { ...headersOf(payer), ...headers },
    });
    const problem = method === 'HEAD' ? {} : ((await response.json()) as { code?: string; detail?: string });
    return [response.status, problem.code];
  };
  assert.deepEqual(await refused('after=x'), [400, 'validation-failed']);
  assert.deepEqual(await refused('limit=1'), [400, 'validation-failed']);
  assert.deepEqual(await refused('', { 'last-event-id': 'x' }), [400, 'validation-failed']);
  assert.deepEqual(await refused(`after=evt_${'0'.repeat(32)}`), [410, 'cursor-expired']);
  assert.deepEqual(await refused('', {}, 'HEAD'), [200, undefined]);
  const blind = await loginOf('Harbour Ltd', ['payments:read']);
  assert.deepEqual(await refused('', headersOf(blind)), [403, 'forbidden']);
});

test('a reader who stops reading is cut off, and one for whom nothing happens gets comments', async () => {
  const idle = await follow(payer, 'after=now&type=recipient.created');
  // `fairway listen` takes a connection for dead after 30 s without a byte.
  const commented = until('a comment', () => /^: nothing new\nid: \S+\n\n/m.test(idle.text()), 25_000);
  commented.catch(() => undefined);
  const slow = await loginOf('Slow Ltd', ['events:read', 'payments:read']);
  const began = await follow(slow, 'after=now');
  await writeEvents(slow, 2_000, 8_000);
  // Reads a few events, and then nothing: 16 MB are more than the buffers of a connection hold.
  let text = '';
  const cutOff = await new Promise<string>((resolve) => {
    const url = `${service.ready.url}/v1/events/stream`;
    const asked = httpRequest(url, { headers: headersOf(slow) }, (response) => {
      const read = (bytes: Buffer) => {
        text += bytes.toString();
        if (text.length < 100_000) return;
        response.off('data', read).pause();
        response.socket.pause();
        setTimeout(() => response.socket.resume(), 15_000);
        setTimeout(() => response.resume(), 15_000);
      };
      response.on('data', read);
      response.once('error', ({ message }) => resolve(message));
      response.once('end', () => resolve('ended as if all was read'));
    });
    asked.once('error', ({ message }) => resolve(message));
    asked.end();
  });
  assert.match(cutOff, /aborted|ECONNRESET|socket hang up/);
  const whole = text.slice(0, text.lastIndexOf('\n\n') + 2);
  const seen = [...whole.matchAll(/"sequence":(\d+)/g)].map(([, number]) => Number(number));
  const lastId = [...whole.matchAll(/^id: (.*)$/gm)].at(-1)?.[1] ?? '';
  assert.ok(seen.length > 0, 'it had read some');
  const rest = await follow(slow, '', { 'last-event-id': lastId });
  await until('the rest', () => rest.events.length === 2_000 - seen.length, 60_000);
  await until('all events of who went on reading', () => began.events.length === 2_000, 60_000);
  const all = Array.from({ length: 2_000 }, (_, index) => index + 1);
  assert.deepEqual([...seen, ...numbersOf(rest)], all);
  assert.deepEqual(numbersOf(began), all);
  await commented;
  for (const each of [idle, rest, began]) each.close();
});

test('1,000 streams of ten organisations stay open, and one that is busy is told in time', async (t) => {
  const logins = await Promise.all(
    Array.from({ length: 10 }, (_, index) => loginOf(`Crowd ${index}`, ['events:read', 'payments:write'])),
  );
  const streams: Stream[][] = [];
  for (const login of logins)
    streams.push(await Promise.all(Array.from({ length: 100 }, () => follow(login, 'after=now'))));
  assert.ok(streams.flat().every(({ status }) => status === 200));
  const [busy, ...idle] = streams;
  const [login] = logins;
  assert.ok(login !== undefined && busy !== undefined);
  const oneMore = await follow(login, 'after=now');
  assert.equal(oneMore.status, 429, 'an organisation may have 100');
  let slowestMs = 0;
  for (let plans = 1; plans <= 5; plans += 1) {
    const beganMs = performance.now();
    await makePlan(login);
    await until(
      'the event at all its readers',
      () => busy.every(({ events }) => events.length === plans),
      10_000,
    );
    slowestMs = Math.max(slowestMs, performance.now() - beganMs);
  }
  t.diagnostic(`from the request to its event at 100 readers ${Math.round(slowestMs)} ms, beside 900 others`);
  assert.ok(idle.flat().every(({ events }) => events.length === 0));
  busy[0]?.close();
  await busy[0]?.ended;
  let replacement = await follow(login, 'after=now');
  for (let tries = 0; replacement.status === 429 && tries < 50; tries += 1) {
    await sleep(20);
    replacement = await follow(login, 'after=now');
  }
  assert.equal(replacement.status, 200, 'a place is free again');
  for (const each of [...streams.flat(), replacement]) each.close();
});
