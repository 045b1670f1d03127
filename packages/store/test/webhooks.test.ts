// Deliveries of events to endpoints: each event once, in its order, shared by processes, and taken over from those that end.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { type ConcludedAttempt, openStore } from '../src/index.ts';
import { endpointCreation, newEndpoint } from './endpoints.ts';
import { openTestStore, type TestStore } from './storeOfTest.ts';

let bench: TestStore;
before(async () => {
  bench = await openTestStore();
});
after(() => bench?.close());
beforeEach(() => bench.clear());

const HOUR_MS = 3_600_000;
const HOLD = { holdMs: 30_000 };

async function publishAll(): Promise<void> {
  for (;;) {
    const published = await bench.store.events.publish('sandbox');
    assert.ok(published.ok);
    if (published.published === 0) return;
  }
}

async function claim(endpointId: string, limit = 100, holdMs = HOLD.holdMs, store = bench.store) {
  const claimed = await store.webhooks.claimDeliveries(bench.scope, endpointId, {
    ...{ limit, nowMs: bench.clock.nowMs, holdMs },
  });
  assert.ok(claimed.ok);
  return claimed.deliveries.map(({ event, claim: number, tries }) => ({
    held: { scope: bench.scope, endpointId, eventId: event.eventId, claim: number },
    position: event.position,
    type: event.type,
    tries,
  }));
}

async function conclude(
  held: Awaited<ReturnType<typeof claim>>[number]['held'],
  outcome: ConcludedAttempt['outcome'],
  dueInMs?: number,
): Promise<void> {
  const { nowMs } = bench.clock;
  const due = dueInMs === undefined ? {} : { dueMs: nowMs + dueInMs };
  const made = { outcome, atMs: nowMs, status: 500, durationMs: 1, ...due };
  assert.ok((await bench.store.webhooks.concludeAttempt(held, made, nowMs)).ok);
}

async function listed(endpointId: string) {
  const list = await bench.store.webhooks.listDeliveries(bench.scope, endpointId, { limit: 100 });
  assert.ok(list.ok);
  return list.deliveries;
}

async function typesTold(): Promise<string[]> {
  await publishAll();
  const events = await bench.store.events.list(bench.scope, { limit: 100, types: ['webhook_endpoint.'] });
  assert.ok(events.ok);
  return events.events.map(({ type }) => type.replace('webhook_endpoint.', ''));
}

test('each event is due once at each endpoint that wants it, with several publishers', async () => {
  const { endpointId: all } = await newEndpoint(bench);
  const { endpointId: some } = await newEndpoint(bench, { types: ['payment_plan.c*', 'collect_request.*'] });
  const { endpointId: none } = await newEndpoint(bench, { types: ['payment_plan.cancelled'] });
  const foreign = await bench.store.webhooks.createEndpoint(bench.otherScope, endpointCreation(), 0);
  assert.ok(foreign.ok);
  const makers = Array.from({ length: 40 }, () => bench.create());
  await Promise.all([...makers, publishAll(), publishAll(), publishAll()]);
  await publishAll();
  for (const [endpointId, count] of [
    [all, 40],
    [some, 40],
    [none, 0],
  ] as const)
    assert.equal((await listed(endpointId)).length, count);
  const { rows } = await sql`select from webhook_deliveries`.execute(bench.database);
  assert.equal(rows.length, 80);
});

test('at most 16 are under way at once in all processes, begun in the order of events', async () => {
  const { endpointId } = await newEndpoint(bench);
  for (let count = 0; count < 40; count += 1) await bench.create();
  await publishAll();
  const opened = await openStore({
    connection: bench.postgres.connection,
    sealingKeys: [bench.sealingKey],
    now: () => new Date(bench.clock.nowMs),
  });
  assert.ok(opened.ok);
  const parts = await Promise.all([
    ...Array.from({ length: 4 }, () => claim(endpointId, 7)),
    ...Array.from({ length: 4 }, () => claim(endpointId, 7, HOLD.holdMs, opened.store)),
  ]);
  await opened.store.close();
  const first = parts.flat();
  assert.equal(first.length, 16);
  const positions = first.map(({ position }) => position).sort((a, b) => (a < b ? -1 : 1));
  const oldest = (await listed(endpointId)).map(({ position }) => position).reverse();
  assert.deepEqual(positions, oldest.slice(0, 16));
  await Promise.all(first.slice(0, 5).map(({ held }) => conclude(held, 'DELIVERED')));
  const next = await claim(endpointId);
  assert.deepEqual(
    next.map(({ position }) => position),
    oldest.slice(16, 21),
  );
});

test('what a killed process held is taken over; what it says later counts as a success only', async () => {
  const { endpointId } = await newEndpoint(bench);
  await bench.create();
  await bench.create();
  await publishAll();
  const [one, two] = await claim(endpointId, 2, 150);
  assert.ok(one && two);
  assert.deepEqual(await claim(endpointId), []);
  await sleep(200);
  const again = await claim(endpointId);
  assert.deepEqual(
    again.map(({ held }) => [held.eventId, held.claim]),
    [
      [one.held.eventId, 2],
      [two.held.eventId, 2],
    ],
  );
  await conclude(one.held, 'FAILED', 5);
  await conclude(two.held, 'DELIVERED');
  const states = (await listed(endpointId)).map(({ eventId, status }) => [eventId, status]);
  assert.deepEqual(states, [
    [two.held.eventId, 'DELIVERED'],
    [one.held.eventId, 'PENDING'],
  ]);
  assert.deepEqual(await claim(endpointId), [], 'the new holder has it');
  const [held] = again;
  assert.ok(held);
  assert.ok((await bench.store.webhooks.releaseDelivery(held.held)).ok);
  const [released] = await claim(endpointId);
  assert.deepEqual(
    [released?.held.eventId, released?.tries],
    [one.held.eventId, 0],
    'at once, and as no failure',
  );
});

test('a delivery that fails is due by its time, and FAILED when there is none; attempts are kept', async () => {
  const { endpointId } = await newEndpoint(bench);
  await bench.create();
  await publishAll();
  const [first] = await claim(endpointId);
  assert.ok(first);
  await conclude(first.held, 'FAILED', 5_000);
  bench.clock.nowMs += 4_999;
  assert.deepEqual(await claim(endpointId), []);
  bench.clock.nowMs += 1;
  const [second] = await claim(endpointId);
  assert.equal(second?.tries, 1);
  await conclude(second.held, 'FAILED');
  const [delivery] = await listed(endpointId);
  assert.deepEqual([delivery?.status, delivery?.attempts.length], ['FAILED', 2]);
});

test('failing is told after an hour without a success, once, and recovered after it', async () => {
  const { endpointId } = await newEndpoint(bench);
  const fail = async () => {
    await bench.create();
    await publishAll();
    for (const { held } of await claim(endpointId)) await conclude(held, 'FAILED', 1);
  };
  await fail();
  const look = () => bench.store.webhooks.tellOfFailing('sandbox', bench.clock.nowMs);
  bench.clock.nowMs += HOUR_MS - 1;
  await look();
  assert.deepEqual(await typesTold(), []);
  bench.clock.nowMs += 1;
  await look();
  await look();
  await fail();
  assert.deepEqual(await typesTold(), ['failing']);
  bench.clock.nowMs += 1;
  for (const { held } of await claim(endpointId)) await conclude(held, 'DELIVERED');
  assert.deepEqual(await typesTold(), ['failing', 'recovered']);
  await fail();
  bench.clock.nowMs += 5 * 24 * HOUR_MS;
  await look();
  await fail();
  assert.deepEqual(await typesTold(), ['failing', 'recovered', 'failing', 'disabled']);
  assert.ok((await listed(endpointId)).every(({ status }) => status !== 'PENDING'));
  const other = await bench.store.webhooks.loadEndpoint(bench.scope, endpointId);
  assert.ok(other.ok);
  assert.deepEqual(
    [other.endpoint?.status, other.endpoint?.disabledReason, other.endpoint?.failingSinceMs],
    ['DISABLED', 'FAILING', undefined],
  );
});

test('deliveries end with their events, and those of an endpoint that ends are CANCELLED', async () => {
  const { endpointId } = await newEndpoint(bench);
  await bench.create();
  await publishAll();
  const [first] = await claim(endpointId);
  assert.ok(first);
  const deleted = await bench.store.webhooks.changeEndpoint(
    bench.scope,
    endpointId,
    { type: 'DELETED' },
    bench.clock.nowMs,
  );
  assert.ok(deleted.ok);
  const statuses = async () =>
    (await sql<{ status: string }>`select status from webhook_deliveries`.execute(bench.database)).rows.map(
      ({ status }) => status,
    );
  assert.deepEqual(await statuses(), ['CANCELLED']);
  const { rows } = await sql`select from webhook_endpoints where sealed is not null`.execute(bench.database);
  assert.equal(rows.length, 0, 'its secrets are destroyed');
  await conclude(first.held, 'DELIVERED');
  assert.deepEqual(await statuses(), ['CANCELLED'], 'nobody is left to tell');
  const { store, clock } = bench;
  assert.ok((await store.events.prune('sandbox', new Date(clock.nowMs + 1))).ok);
  assert.deepEqual(await statuses(), []);
});

test('secrets are sealed, and sealed anew with another key', async () => {
  const { endpointId } = await newEndpoint(bench);
  const contents = JSON.stringify(await bench.contents());
  assert.doesNotMatch(contents, /whsec_/);
  const next = { id: 'k2', key: randomBytes(32) };
  const reopened = async (sealingKeys: { id: string; key: Buffer }[]) => {
    const opened = await openStore({ connection: bench.postgres.connection, sealingKeys });
    assert.ok(opened.ok);
    return opened.store;
  };
  const both = await reopened([next, bench.sealingKey]);
  const done = await both.payments.reseal(() => {});
  assert.ok(done.ok && done.resealed === 1);
  await both.close();
  await bench.create();
  await publishAll();
  const alone = await reopened([next]);
  const { nowMs } = bench.clock;
  const claimed = await alone.webhooks.claimDeliveries(bench.scope, endpointId, { limit: 1, nowMs, ...HOLD });
  assert.ok(claimed.ok);
  assert.deepEqual(claimed.secrets.secrets, [{ secret: 'whsec_first' }]);
  await alone.close();
  const former = await bench.store.webhooks.claimDeliveries(bench.scope, endpointId, {
    ...{ limit: 1, nowMs, ...HOLD },
  });
  assert.equal(!former.ok && former.reason, 'KEY_UNKNOWN');
});
