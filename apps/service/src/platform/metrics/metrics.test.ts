import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { test } from 'node:test';
import { ConfigError } from '../config/error.ts';
import { Registry } from 'prom-client';
import { createMetrics } from './metrics.ts';
import { createPlanMetrics } from './planMetrics.ts';

const hasIpv6 = Object.values(networkInterfaces()).some((each) =>
  each?.some(({ address }) => address === '::1'),
);

test('metrics are served at the returned URL, also over IPv6', async () => {
  for (const host of hasIpv6 ? ['127.0.0.1', '::1'] : ['127.0.0.1']) {
    const served = await createMetrics().listen(host, 0);
    assert.match(await (await fetch(served.url)).text(), /process_cpu/);
    await served.close();
  }
});

test('a metrics port that is taken is a configuration error', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  await assert.rejects(
    createMetrics().listen('127.0.0.1', port),
    (error) =>
      error instanceof ConfigError &&
      error.message.startsWith(`metrics.port ${port}: another program`) &&
      error.message.includes('Each process on a machine needs one of its own'),
  );
  other.close();
});

test('a node of several that gives no answer is counted by its name', async () => {
  const metrics = createMetrics();
  const failed = { type: 'NODE_FAILED', method: 'eth_call', node: 'third', detail: 'no answer' } as const;
  metrics.onNodesEvent(1, failed);
  metrics.onNodesEvent(1, failed);
  const served = await metrics.listen('127.0.0.1', 0);
  const text = await (await fetch(served.url)).text();
  assert.match(text, /^fairway_node_failures_total\{chain="1",node="third"\} 2$/m);
  await served.close();
});

test('counts of plans are read once in ten seconds, and are not told while they are not known', async () => {
  let [now, reads] = [0, 0];
  const webhooks = { pending: 4, oldestPendingMs: 2500, failing: 1, disabled: 2 };
  const figures = {
    openPlans: { FAILED: 3 },
    mails: {},
    waiting: { 1: 7 },
    jobsDue: 5,
    oldestDueMs: 1500,
    webhooks,
  };
  let takesMs = 0;
  let known: typeof figures | undefined = figures;
  const registry = new Registry();
  const metrics = createPlanMetrics([registry], () => now);
  metrics.observeFigures(async () => {
    reads += 1;
    now += takesMs;
    return known;
  });
  metrics.onClaimRefused('EVIDENCE');
  metrics.onWebhookAttempt('FAILED');
  const text = await registry.metrics();
  for (const line of [
    'fairway_open_plans{state="FAILED"} 3',
    'fairway_open_plans{state="PENDING"} 0',
    'fairway_mails{state="QUEUED"} 0',
    'fairway_plans_waiting{chain="1"} 7',
    'fairway_jobs_due 5',
    'fairway_jobs_oldest_due_seconds 1.5',
    'fairway_claims_refused_total{reason="EVIDENCE"} 1',
    'fairway_webhook_attempts_total{outcome="FAILED"} 1',
    'fairway_webhooks_pending 4',
    'fairway_webhooks_oldest_pending_seconds 2.5',
    'fairway_webhook_endpoints{state="FAILING"} 1',
    'fairway_webhook_endpoints{state="DISABLED"} 2',
  ])
    assert.ok(text.split('\n').includes(line), `${line}\n${text}`);
  now = 9_999;
  await registry.metrics();
  assert.equal(reads, 1);
  now = 10_000;
  takesMs = 700;
  known = undefined;
  const unknown = await registry.metrics();
  assert.equal(reads, 2);
  assert.doesNotMatch(unknown, /^fairway_(open_plans|mails|plans_waiting|jobs|webhooks|webhook_endpoints)/m);
  now = 79_999;
  await registry.metrics();
  assert.equal(reads, 2, 'counting that takes 0.7 s is repeated after 70 s');
  now = 80_000;
  await registry.metrics();
  assert.equal(reads, 3);
});
