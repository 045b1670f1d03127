// Deliveries of events to endpoints: each event once, in its order, shared by processes, and taken over from those that end.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { type ConcludedAttempt, webhookFigures } from '@fairway/outbox';
import { openStore } from '../src/index.ts';
import { endpointCreation, newEndpoint, RECEIVER_URL } from './endpoints.ts';
import { openTestStore } from './storeOfTest.ts';

const bench = await openTestStore();
after(() => bench.close());
beforeEach(() => bench.clear());

const HOUR_MS = 3_600_000;
const HOLD = { holdMs: 30_000 };

async function publishAll(): Promise<void> {
  for (;;) {
    const published = await bench.store.events.publish('sandbox');
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
  url = RECEIVER_URL,
): Promise<void> {
  const { nowMs } = bench.clock;
  const due = dueInMs === undefined ? {} : { dueMs: nowMs + dueInMs };
  const made = { outcome, url, atMs: nowMs, status: 500, durationMs: 1, ...due };
  await bench.store.webhooks.concludeAttempt(held, made, nowMs);
}

async function listed(endpointId: string) {
  const list = await bench.store.webhooks.listDeliveries(bench.scope, endpointId, { limit: 100 });
  assert.ok(list.ok);
  return list.deliveries;
}

async function typesPublished(): Promise<string[]> {
  await publishAll();
  const events = await bench.store.events.list(bench.scope, { limit: 100, types: ['webhook_endpoint.'] });
  assert.ok(events.ok);
  return events.events.map(({ type }) => type.replace('webhook_endpoint.', ''));
}

/** The kinds of the waiting e-mails about an endpoint; the host is all that their jobs hold of it. */
async function mailJobs(endpointId: string): Promise<string[]> {
  const { rows } = await sql<{ payload: { endpointId: string; kind: string; host: string } }>`
    select payload from graphile_worker._private_jobs job
    join graphile_worker._private_tasks task on task.id = job.task_id
    where task.identifier = 'endpoint_mail' order by job.id`.execute(bench.database);
  const own = rows.filter(({ payload }) => payload.endpointId === endpointId);
  for (const { payload } of own) {
    assert.match(payload.host, /^(receiver|other)\.example$/);
    assert.equal(JSON.stringify(payload).includes(new URL(RECEIVER_URL).pathname), false);
  }
  return own.map(({ payload }) => payload.kind);
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
  await bench.store.webhooks.releaseDelivery(held.held);
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
  const look = () => bench.store.webhooks.publishFailing('sandbox', bench.clock.nowMs);
  bench.clock.nowMs += HOUR_MS - 1;
  await look();
  assert.deepEqual(await typesPublished(), []);
  bench.clock.nowMs += 1;
  await look();
  await look();
  await fail();
  assert.deepEqual(await typesPublished(), ['failing']);
  bench.clock.nowMs += 1;
  for (const { held } of await claim(endpointId)) await conclude(held, 'DELIVERED');
  assert.deepEqual(await typesPublished(), ['failing', 'recovered']);
  await fail();
  bench.clock.nowMs += 5 * 24 * HOUR_MS;
  await look();
  await fail();
  assert.deepEqual(await typesPublished(), ['failing', 'recovered', 'failing', 'disabled']);
  assert.deepEqual(await mailJobs(endpointId), ['FAILING', 'RECOVERED', 'FAILING', 'DISABLED']);
  assert.ok((await listed(endpointId)).every(({ status }) => status !== 'PENDING'));
  const other = await bench.store.webhooks.loadEndpoint(bench.scope, endpointId);
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
  assert.deepEqual(await mailJobs(endpointId), [], 'who deletes it knows');
  const { rows } = await sql`select from webhook_endpoints where sealed is not null`.execute(bench.database);
  assert.equal(rows.length, 0, 'its secrets are destroyed');
  await conclude(first.held, 'DELIVERED');
  assert.deepEqual(await statuses(), ['CANCELLED'], 'nobody is left to tell');
  const { store, clock } = bench;
  await store.events.prune('sandbox', new Date(clock.nowMs + 1));
  assert.deepEqual(await statuses(), []);
});

test('recover sends now what waits for its next attempt, and leaves what waits for its first', async () => {
  const { endpointId } = await newEndpoint(bench);
  for (let count = 0; count < 3; count += 1) await bench.create();
  await publishAll();
  const [waiting, delivered] = await claim(endpointId, 2);
  assert.ok(waiting && delivered);
  await conclude(waiting.held, 'FAILED', 14 * HOUR_MS);
  await conclude(delivered.held, 'DELIVERED');
  const span = { sinceMs: 0, untilMs: bench.clock.nowMs + 1 };
  const recover = (only: 'UNDELIVERED' | 'ALL') =>
    bench.store.webhooks.recoverDeliveries(bench.scope, endpointId, { ...span, only }, bench.clock.nowMs);
  assert.deepEqual(await recover('UNDELIVERED'), { ok: true, recovered: 1, nextMs: undefined });
  const due = await claim(endpointId);
  assert.ok(due.some(({ held, tries }) => held.eventId === waiting.held.eventId && tries === 0));
  assert.equal(due.length, 2);
  assert.deepEqual(await recover('ALL'), { ok: true, recovered: 1, nextMs: undefined });
});

test('what a recovery leaves out did not happen before the time at which it is to go on', async () => {
  const { endpointId } = await newEndpoint(bench);
  const { nowMs } = bench.clock;
  // As clocks of several machines have it: the order of positions is not that of times.
  for (const atMs of [nowMs + 9, nowMs, nowMs + 5]) {
    bench.clock.nowMs = atMs;
    await bench.create();
  }
  await publishAll();
  for (const { held } of await claim(endpointId)) await conclude(held, 'FAILED');
  const seen: string[] = [];
  for (let sinceMs: number | undefined = 0; sinceMs !== undefined; ) {
    const ask = { sinceMs, untilMs: nowMs + 100, only: 'UNDELIVERED', most: 1 } as const;
    const recovered = await bench.store.webhooks.recoverDeliveries(bench.scope, endpointId, ask, nowMs);
    assert.ok(recovered.ok && seen.length < 9);
    seen.push(`${recovered.recovered}`);
    sinceMs = recovered.nextMs;
  }
  assert.deepEqual(seen, ['1', '1', '1']);
  assert.ok((await listed(endpointId)).every(({ status }) => status === 'PENDING'));
});

test('an attempt under way that fails does not end what was begun again meanwhile', async () => {
  const { endpointId } = await newEndpoint(bench);
  await bench.create();
  await publishAll();
  const [first] = await claim(endpointId, 1, 150);
  assert.ok(first);
  const { nowMs } = bench.clock;
  const resent = await bench.store.webhooks.resendEvent(bench.scope, first.held.eventId, { nowMs });
  assert.ok(resent.ok);
  await conclude(first.held, 'FAILED');
  await sleep(200);
  const [second] = await claim(endpointId);
  assert.deepEqual([second?.held.eventId, second?.tries], [first.held.eventId, 0]);
});

test('what a former URL answers says nothing of the one that the endpoint has now', async () => {
  const { endpointId } = await newEndpoint(bench);
  await bench.create();
  await bench.create();
  await publishAll();
  const [one, two] = await claim(endpointId);
  assert.ok(one && two);
  const change = { type: 'EDITED', url: 'https://other.example/' } as const;
  const changed = bench.store.webhooks.changeEndpoint(bench.scope, endpointId, change, bench.clock.nowMs);
  assert.ok((await changed).ok);
  await conclude(one.held, 'GONE');
  await conclude(two.held, 'FAILED', HOUR_MS);
  const loaded = await bench.store.webhooks.loadEndpoint(bench.scope, endpointId);
  assert.deepEqual([loaded.endpoint?.status, loaded.endpoint?.failingSinceMs], ['ENABLED', undefined]);
  assert.deepEqual((await listed(endpointId)).map(({ attempts }) => attempts.length).slice(-2), [1, 1]);
  const again = await claim(endpointId);
  assert.deepEqual(
    again.map(({ tries }) => tries),
    [0, 0],
  );
  // What failed at a former URL for days ends nothing at a new one.
  await conclude(again[1]?.held ?? assert.fail(), 'FAILED', HOUR_MS, change.url);
  const failing = await bench.store.webhooks.loadEndpoint(bench.scope, endpointId);
  assert.ok(failing.endpoint?.failingSinceMs !== undefined);
  const third = { ...change, url: 'https://third.example/' };
  const moved = await bench.store.webhooks.changeEndpoint(bench.scope, endpointId, third, bench.clock.nowMs);
  assert.ok(moved.ok && moved.endpoint.failingSinceMs === undefined);
  const back = await bench.store.webhooks.changeEndpoint(bench.scope, endpointId, change, bench.clock.nowMs);
  assert.ok(back.ok);
  await conclude(again[0]?.held ?? assert.fail(), 'GONE', undefined, change.url);
  const after = await bench.store.webhooks.loadEndpoint(bench.scope, endpointId);
  assert.equal(after.endpoint?.disabledReason, 'GONE');
  assert.deepEqual(await mailJobs(endpointId), ['GONE']);
});

test('no delivery stays behind that is begun again while its event is forgotten', async () => {
  const { endpointId } = await newEndpoint(bench, { types: ['recipient.created'] });
  const { store, scope, clock, database } = bench;
  const forgetting = ['events any_event', 'webhook_deliveries any_delivery'];
  for (const isResentFirst of [false, true]) {
    const { planId } = await bench.create();
    await publishAll();
    const { rows } = await sql<{ event_id: string }>`
      select event_id from events where subject_id = ${planId}`.execute(database);
    const { event_id: eventId } = rows[0] ?? assert.fail();
    const resend = () => store.webhooks.resendEvent(scope, eventId, { endpointId, nowMs: clock.nowMs });
    const other = await database.startTransaction().execute();
    if (isResentFirst) {
      await sql`select from events where event_id = ${eventId} for key share`.execute(other);
      await sql`insert into webhook_deliveries
          (organisation_id, environment, endpoint_id, event_id, position, status, due_at, created_at)
        select organisation_id, environment, ${endpointId}, event_id, position, 'PENDING', now(), now()
        from events where event_id = ${eventId}`.execute(other);
    } else for (const table of forgetting) await sql`delete from ${sql.raw(table)}`.execute(other);
    const waiting = isResentFirst ? store.events.prune('sandbox', new Date(clock.nowMs + 1)) : resend();
    await sleep(100);
    await other.commit().execute();
    await waiting;
    assert.equal((await sql`select from webhook_deliveries`.execute(database)).rows.length, 0);
  }
});

test('after a restore endpoints are told again as they are, in parts, and deleted ones are not', async () => {
  const [kept, other, deleted] = [
    await newEndpoint(bench),
    await newEndpoint(bench),
    await newEndpoint(bench),
  ];
  const { nowMs } = bench.clock;
  const change = { type: 'DELETED' } as const;
  assert.ok((await bench.store.webhooks.changeEndpoint(bench.scope, deleted.endpointId, change, nowMs)).ok);
  await bench.store.operator.recover(nowMs);
  let after: string | undefined;
  let count = 0;
  do {
    const republished = await bench.store.operator.republishEndpoints({ sinceMs: nowMs, limit: 1, after });
    [after, count] = [republished.next, count + republished.count];
  } while (after !== undefined);
  assert.equal(count, 2);
  assert.deepEqual(await typesPublished(), ['disabled', 'updated', 'updated']);
  await publishAll();
  const told = (await listed(kept.endpointId)).map(({ type }) => type);
  assert.deepEqual(
    told,
    (await listed(other.endpointId)).map(({ type }) => type),
    'each of the other one',
  );
  assert.equal(told.filter((type) => type === 'webhook_endpoint.updated').length, 1);
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
  assert.ok(done.resealed === 1);
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

test('what waits is counted for all organisations, and how long the oldest has waited', async () => {
  const counted = async () => {
    const read = await bench.store.operator.figures('sandbox');
    return Object.values(read.figures.webhooks);
  };
  const { endpointId } = await newEndpoint(bench);
  assert.ok((await bench.store.webhooks.createEndpoint(bench.otherScope, endpointCreation(), 0)).ok);
  assert.deepEqual(await counted(), [0, 0, 0, 0]);
  for (let count = 0; count < 3; count += 1) {
    await bench.create();
    await bench.create(undefined, bench.otherScope);
    await publishAll();
    bench.clock.nowMs += HOUR_MS;
  }
  assert.deepEqual(await counted(), [6, 3 * HOUR_MS, 0, 0]);
  const bounded = await webhookFigures(bench.database, 'sandbox', bench.clock.nowMs, 4);
  assert.deepEqual(Object.values(bounded), [4, 3 * HOUR_MS, 0, 0], 'no more than 4 are counted');
  for (const { held } of await claim(endpointId)) await conclude(held, 'FAILED', 9 * HOUR_MS);
  bench.clock.nowMs += HOUR_MS;
  await bench.store.webhooks.publishFailing('sandbox', bench.clock.nowMs);
  assert.deepEqual(await counted(), [6, 4 * HOUR_MS, 1, 0]);
  const { nowMs } = bench.clock;
  assert.ok(
    (
      await bench.store.webhooks.recoverDeliveries(
        bench.scope,
        endpointId,
        { sinceMs: 0, untilMs: nowMs, only: 'ALL' },
        nowMs,
      )
    ).ok,
  );
  const [first] = await claim(endpointId, 1);
  await conclude(first?.held ?? assert.fail(), 'GONE');
  const [pending, , ...endpoints] = await counted();
  assert.deepEqual([pending, endpoints], [3, [0, 1]]);
});
