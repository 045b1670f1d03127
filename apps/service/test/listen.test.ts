// `fairway listen` and `fairway trigger`, as a developer uses them: a sandbox, a receiver that is being worked on, two terminals.
import assert from 'node:assert/strict';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Event } from '@fairway/wire';
import { Webhook } from 'standardwebhooks';
import { followEvents } from '../src/cli/listen/followEvents.ts';
import { callerOf } from './paymentCalls.ts';
import { endEverything, freshFolder } from './processHarness.ts';
import { beginFairway, runFairway, startFairway, type StartedService } from './commandHarness.ts';

const folder = freshFolder();
const ready = join(folder, 'ready.json');
const state = join(folder, 'listen.json');
let service: StartedService;

before(async () => {
  service = await startFairway(['--port', '0', '--log-level', 'warn']);
  writeFileSync(ready, JSON.stringify(service.ready));
});
after(endEverything);

/** The things that a test opened. They must be closed even if the test fails: otherwise its file would never end. */
const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

const trigger = (type: string) => runFairway(['trigger', type, '--ready-file', ready]);

/** A receiver that checks signatures as the library of Standard Webhooks does. */
async function startReceiver(port = 0, statusOf: (event: Event) => number = () => 204) {
  const received: Event[] = [];
  const server: Server = createServer((request, response) => {
    let text = '';
    request.on('data', (bytes: Buffer) => (text += bytes.toString()));
    request.once('end', () => {
      const { secret } = JSON.parse(readFileSync(state, 'utf8')) as { secret: string };
      const headers = request.headers as Record<string, string>;
      const event = new Webhook(secret).verify(text, headers) as Event;
      assert.equal(headers['webhook-id'], event.id);
      assert.match(headers['user-agent'] ?? '', /^Fairway\//);
      received.push(event);
      response.writeHead(statusOf(event)).end();
    });
  });
  await new Promise<void>((resolve) => void server.listen(port, '127.0.0.1', resolve));
  const { port: own } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  open.push(close);
  return { received, port: own, url: `http://127.0.0.1:${own}/hooks`, close };
}

function listen(url: string, ...more: readonly string[]) {
  return beginFairway(['listen', '--forward', url, '--ready-file', ready, '--state', state, ...more]);
}

async function until(what: string, isSo: () => boolean): Promise<void> {
  for (const untilMs = performance.now() + 30_000; !isSo(); await sleep(20))
    if (performance.now() > untilMs) assert.fail(`${what} did not come`);
}

const typesOf = (events: readonly Event[]) => events.map(({ type }) => type);

test('what is triggered reaches the receiver signed, in its order; what was missed comes later', async () => {
  const receiver = await startReceiver();
  const first = listen(receiver.url);
  await until('the start', () => first.output().includes('Forwarding the events'));
  await until('the stream', () => JSON.parse(readFileSync(state, 'utf8')).after !== undefined);
  const { code, printed } = await trigger('payment_plan.completed');
  assert.equal(code, 0, printed);
  await until('the event', () => receiver.received.some(({ id }) => printed.includes(id)));
  const last = receiver.received.at(-1);
  assert.equal(last?.type, 'payment_plan.completed');
  const [secret = ''] = /whsec_\S+/.exec(first.output()) ?? [];
  assert.equal(JSON.parse(readFileSync(state, 'utf8')).secret, secret, 'nothing sticks to the secret');
  const numbers = receiver.received
    .filter(({ subject }) => subject.id === last.subject.id)
    .map(({ sequence }) => sequence);
  assert.deepEqual(
    numbers,
    numbers.map((_, index) => index + 1),
    'each once, in order',
  );
  const line = /payment_plan\.completed plan_[0-9a-f]{32} \d+: 204 in \d+ ms/;
  await until('its line', () => line.test(first.output()));
  assert.equal(await first.stop(), 0);

  const before = receiver.received.length;
  assert.equal((await trigger('payment_plan.cancelled')).code, 0);
  assert.equal(receiver.received.length, before, 'nobody forwards');
  const second = listen(receiver.url, '--type', 'payment_plan.cancelled');
  await until('what was missed', () => receiver.received.length > before);
  assert.deepEqual(typesOf(receiver.received.slice(before)), ['payment_plan.cancelled']);
  assert.match(second.output(), /from where it ended/);
  await second.stop();
  const [from] = receiver.received;
  const third = listen(receiver.url, '--after', from?.id ?? assert.fail());
  const again = () => receiver.received.slice(before + 1);
  await until('all of it again', () => again().at(-1)?.type === 'payment_plan.cancelled');
  assert.equal(again()[0]?.id, receiver.received[1]?.id, 'from behind the event that is named');
  assert.match(third.output(), /after evt_/);
  await third.stop();
  assert.equal(statSync(state).mode & 0o777, 0o600, 'the secret is for its user alone');
});

test('a receiver that is away is waited for, and one that refuses is passed', async () => {
  const probe = await startReceiver();
  await probe.close();
  const listening = listen(probe.url, '--type', 'payment_plan.created');
  await until('the start', () => listening.output().includes('Signed with'));
  assert.equal((await trigger('payment_plan.created')).code, 0);
  await until('the complaint', () => listening.output().includes('No answer from'));
  const receiver = await startReceiver(probe.port, () => 500);
  await until('the event', () => receiver.received.length > 0);
  await until('its line', () => /: 500 in \d+ ms, which a service would send again/.test(listening.output()));
  assert.equal((await trigger('payment_plan.created')).code, 0);
  await until('the next event', () => receiver.received.length > 1);
  assert.notEqual(receiver.received[0]?.id, receiver.received[1]?.id);
  assert.equal(listening.output().split('No answer from').length, 2, 'told once');
  await listening.stop();
});

test('an event that a mended receiver is to get again comes once more, and the place stays', async () => {
  let isMended = false;
  const receiver = await startReceiver(0, () => (isMended ? 204 : 500));
  const listening = listen(receiver.url, '--type', 'payment_plan.cancelled', '--after', 'now');
  await until('the stream', () => listening.output().includes('Forwarding the events'));
  assert.equal((await trigger('payment_plan.cancelled')).code, 0);
  const refused = /: 500 in \d+ ms, .*; POST (\/v1\/events\/evt_[0-9a-f]{32}\/resend) sends it here\n/;
  await until('its line', () => refused.test(listening.output()));
  isMended = true;
  const place = readFileSync(state, 'utf8');
  const [, path = ''] = refused.exec(listening.output()) ?? [];
  const again = await callerOf(service.ready.url, service.ready)(path, undefined, 'POST');
  assert.deepEqual([again.status, again.text], [200, '{"data":[]}']);
  const taken = /payment_plan\.cancelled plan_[0-9a-f]{32} \d+: 204 in \d+ ms, asked for again\n/;
  await until('its second line', () => taken.test(listening.output()));
  assert.deepEqual(receiver.received[1], receiver.received[0], 'the same event, with the same webhook-id');
  assert.equal(readFileSync(state, 'utf8'), place);
  assert.equal((await trigger('payment_plan.cancelled')).code, 0);
  await until('the next event', () => receiver.received.length === 3);
  await listening.stop();
});

/** A connection to the service that can be held up, like a network that silently passes nothing on. */
async function startPassage() {
  const { hostname, port } = new URL(service.ready.url);
  const sockets = new Set<Socket>();
  let isHeldUp = false;
  const server = createTcpServer((near) => {
    const far = connect(Number(port), hostname);
    for (const socket of [near, far]) sockets.add(socket.on('error', () => {}));
    near.on('data', (bytes) => void (isHeldUp || far.write(bytes)));
    far.on('data', (bytes) => void (isHeldUp || near.write(bytes)));
    near.once('close', () => far.destroy());
    far.once('close', () => near.destroy());
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  open.push(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    holdUp: (isSo: boolean) => void (isHeldUp = isSo),
  };
}

test('a connection that has gone silent is made again, and nothing is lost meanwhile', async () => {
  const passage = await startPassage();
  const ending = new AbortController();
  open.push(() => ending.abort());
  const told: string[] = [];
  const types: string[] = [];
  let places = 0;
  const following = (async () => {
    const events = followEvents({
      access: { ...service.ready, url: passage.url },
      types: 'payment_plan.cancelled,payment_plan.closed',
      after: 'now',
      signal: ending.signal,
      onLost: (why) => void told.push(why),
      onFound: () => void told.push('found'),
      silenceMs: 1_500,
      againMs: 100,
    });
    for await (const { text } of events) {
      places += 1;
      if (text !== undefined) types.push((JSON.parse(text) as Event).type);
    }
  })();
  await until('the place where it begins', () => places > 0);
  passage.holdUp(true);
  assert.equal((await trigger('payment_plan.cancelled')).code, 0);
  await until('the loss', () => told.length > 0);
  assert.match(told[0] ?? '', /nothing came for 1\.5 s/);
  assert.deepEqual(types, []);
  passage.holdUp(false);
  assert.equal((await trigger('payment_plan.closed')).code, 0);
  await until('both events', () => types.length === 2);
  assert.deepEqual(types, ['payment_plan.cancelled', 'payment_plan.closed']);
  assert.ok(told.includes('found'));
  ending.abort();
  await following;
});

test('every type that trigger offers comes, and the others are named with the reason', async () => {
  const none = await trigger('payment_plan.lost');
  assert.equal(none.code, 2);
  assert.match(
    none.output,
    /There is no type of event payment_plan\.lost\. There are payment_plan\.created, /,
  );
  const unable = await trigger('collect_request.opened');
  assert.match(
    unable.output,
    /^collect_request\.opened is not made by this command: it is told when the recipient opens the link, which \/sandbox\/mailbox shows\. There are /,
  );
  const offered = /There are (.*)\./.exec(none.output)?.[1]?.split(', ') ?? [];
  assert.ok(offered.length > 10);
  for (const type of offered) {
    const { code, output } = await trigger(type);
    assert.equal(code, 0, `${type}: ${output}`);
    assert.match(output, new RegExp(`^${type} of (plan|clr)_[0-9a-f]+: evt_[0-9a-f]{32}\n$`));
  }
});

test('what cannot work is said at once', async () => {
  const bad = join(folder, 'bad.json');
  writeFileSync(bad, JSON.stringify({ ...service.ready, password: 'wrong' }));
  const refused = await runFairway([
    ...['listen', '--forward', 'http://127.0.0.1:1', '--ready-file', bad],
    ...['--state', join(folder, 'other.json')],
  ]);
  assert.equal(refused.code, 1);
  assert.match(refused.output, /The service refuses its events: Send a valid credential/);
  for (const [args, sentence] of [
    [['listen'], /listen needs --forward URL/],
    [
      ['listen', '--forward', 'http://127.0.0.1:1', '--ready-file', ready, '--state', state, '--after', 'x'],
      /The service refuses its events: after must be [^.]*\.\n$/,
    ],
    [['listen', '--forward', 'ftp://x'], /listen needs --forward URL/],
    [['listen', '--forward', 'http://dev:s3cret@127.0.0.1:1'], /without a user name and a password/],
    [['listen', '--forward', 'http://127.0.0.1:1'], /Which service\? Give --ready-file PATH/],
    [
      ['listen', '--forward', 'http://127.0.0.1:1', '--service', 'http://127.0.0.1:1'],
      /FAIRWAY_USERNAME and FAIRWAY_PASSWORD/,
    ],
    [['trigger', 'payment_plan.created', '--ready-file', join(folder, 'none.json')], /there is no such file/],
  ] as const) {
    const { code, output } = await runFairway(args);
    assert.notEqual(code, 0);
    assert.match(output, sentence);
  }
});
