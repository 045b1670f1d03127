// In production nobody can make the service connect to this machine through its API. An endpoint's URL, its changes, its test
// and URLs in the database all fail to do so. The same rule holds wherever a URL is judged.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { after, before, test } from 'node:test';
import { openStore, type PlanScope, type Store } from '@fairway/store';
import { startTestDatabase } from '@fairway/testing';
import { createWebhookSecret, createWebhookSender, type WebhookRule } from '@fairway/webhooks';
import { type WebhookEndpoint, PERMISSIONS } from '@fairway/wire';
import { pino } from 'pino';
import { publishedEventsOfEndpoint } from '@fairway/notifications';
import { startPublishing, startSending } from '@fairway/outbox';
import { type Harness, type JsonBody, startHarness } from './httpHarness.ts';
import { until } from './webhookReceivers.ts';

const PRODUCTION: WebhookRule = { httpToLoopback: false, allowPrivate: [] };
const ENVIRONMENT = 'production';
const endings: (() => Promise<unknown>)[] = [];
const sensors: Server[] = [];
let connections = 0;
let store: Store;
let scope: PlanScope;
let harness: Harness;

before(async () => {
  for (const host of ['127.0.0.1', '::1']) {
    const sensor = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => void sensor.listen(0, host, resolve));
    sensors.push(sensor);
    endings.push(() => new Promise((resolve) => sensor.close(resolve)));
  }
  const postgres = await startTestDatabase();
  endings.push(postgres.close);
  const opened = await openStore({
    connection: postgres.connection,
    sealingKeys: [{ id: 'test', key: randomBytes(32) }],
    publishedEventsOfEndpoint,
  });
  assert.ok(opened.ok);
  ({ store } = opened);
  endings.push(store.close);
  const made = await store.createCredential({ organisation: 'A', environment: ENVIRONMENT, permissions: [] });
  assert.ok(made.ok);
  const { organisationId } = made;
  scope = { organisationId, environment: ENVIRONMENT };
  const { webhooks, fingerprint, clock, events } = store;
  const { nowMs } = clock;
  const caller = {
    credentialId: 'c',
    organisationId,
    environment: ENVIRONMENT,
    permissions: PERMISSIONS,
    stillHolds: () => true,
  } as const;
  harness = await startHarness(
    {
      environment: ENVIRONMENT,
      authenticate: async () => ({ outcome: 'AUTHENTICATED', ...caller }),
      webhooks: { webhooks, fingerprint, rule: PRODUCTION, canSeal: true, nowMs },
    },
    'NO_SANDBOX',
  );
  endings.push(harness.close);
  const log = pino({ level: 'silent' });
  const limits = { leastRefusalMs: 0, queryMs: 500, attemptMs: 2_000 };
  const sender = createWebhookSender(PRODUCTION, { version: 'test', limits });
  const bodyOf = () => '{}';
  endings.push(startPublishing({ environment: ENVIRONMENT, events, keptMs: 1e10, nowMs }, log).close);
  endings.push(
    startSending(
      {
        environment: ENVIRONMENT,
        webhooks,
        sender,
        nowMs,
        bodyOf,
        onAttempt: (outcome) => void outcomes.push(outcome),
      },
      log,
    ).close,
  );
});
after(async () => {
  for (const end of endings.reverse()) await end();
});

const outcomes: string[] = [];
const ports = () => sensors.map((sensor) => (sensor.address() as AddressInfo).port);
const HOSTS = ['127.0.0.1', 'localhost', '2130706433', '0x7f.1', '0', '①②⑦.0.0.1', '[::1]', '[::]'];
const MORE_HOSTS = ['[::ffff:127.0.0.1]', '[64:ff9b::127.0.0.1]', '[2002:7f00:1::]', 'a.localhost'];
const inner = () =>
  ports().flatMap((port) =>
    [...HOSTS, ...MORE_HOSTS].flatMap((host) => [`https://${host}:${port}/`, `http://${host}:${port}/`]),
  );

async function ask(
  url: string,
  body?: object,
  method?: 'PATCH',
): Promise<{ status: number; json: JsonBody }> {
  const posted = body === undefined ? {} : ({ method: method ?? 'POST', body } as const);
  const { status, json } = await harness.call({ url, ...posted });
  return { status, json };
}

/** Puts an endpoint into the database whose URL the API does not take, and tries it. */
async function errorOfDelivery(url: string): Promise<string | undefined> {
  const endpointId = `whe_${randomBytes(16).toString('hex')}`;
  const secrets = { secrets: [{ secret: createWebhookSecret() }], headers: {} };
  const creation = { endpointId, url, types: ['payment_plan.*'], secrets, bodyFingerprint: undefined };
  assert.ok((await store.webhooks.createEndpoint(scope, creation, Date.now())).ok);
  const path = `/v1/webhook_endpoints/${endpointId}`;
  assert.equal((await ask(`${path}/test`, {})).status, 200);
  let error: string | undefined;
  await until('an attempt', async () => {
    const listed = await store.webhooks.listDeliveries(scope, endpointId, { limit: 1 });
    error = listed.ok ? listed.deliveries[0]?.attempts[0]?.error : undefined;
    return error !== undefined;
  });
  await store.webhooks.changeEndpoint(scope, endpointId, { type: 'DELETED' }, Date.now());
  return error;
}

test('no URL of this machine is taken, changed to, or sent to, and nobody connects to it', async () => {
  const made = await ask('/v1/webhook_endpoints', { url: 'https://hooks.example.com/' });
  assert.equal(made.status, 201);
  const { endpointId } = made.json as unknown as WebhookEndpoint;
  const path = `/v1/webhook_endpoints/${endpointId}`;
  for (const url of inner()) {
    const refused = await ask('/v1/webhook_endpoints', { url });
    assert.deepEqual([refused.status, refused.json['code']], [400, 'validation-failed'], url);
    assert.equal((await ask(path, { url }, 'PATCH')).status, 400, url);
  }
  assert.equal(((await ask(path)).json as unknown as WebhookEndpoint).url, 'https://hooks.example.com/');
  // The rows are as if another rule had been in force when the endpoints were made.
  const [port] = ports();
  const before = outcomes.length;
  for (const host of ['127.0.0.1', '[::1]', 'localhost'])
    assert.equal(await errorOfDelivery(`https://${host}:${port}/`), 'NO_PUBLIC_ADDRESS');
  assert.equal(connections, 0);
  const counted = outcomes.slice(before);
  // The endpoint that was made first is told of the others.
  assert.ok(counted.length >= 3 && counted.every((outcome) => outcome === 'FAILED'), counted.join());
});

test('what the API takes and what is sent to are judged by one rule', async () => {
  const urls = [
    'ftp://a.example/',
    'https://a:b@a.example/',
    'https://a.example/#a',
    'https://a.example:22/',
  ];
  for (const url of urls) {
    assert.equal((await ask('/v1/webhook_endpoints', { url })).status, 400, url);
    assert.equal(await errorOfDelivery(url), 'URL_REFUSED', url);
  }
});
