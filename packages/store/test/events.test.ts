// Published events: written with the change, numbered by its subject, read in one order.
import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import type { EventAsk, KeptEvent } from '@fairway/outbox';
import type { PlanScope } from '../src/index.ts';
import { sql } from 'kysely';
import { deposit, hashOf, MADE_AT_MS, newPlan } from './plans.ts';
import { openTestStore } from './storeOfTest.ts';

const bench = await openTestStore();
after(() => bench.close());
beforeEach(() => bench.clear());

async function publishAll(): Promise<void> {
  for (;;) {
    const published = await bench.store.events.publish('sandbox');
    if (published.published === 0) return;
  }
}

async function read(
  ask: Partial<EventAsk> = {},
  scope: PlanScope = bench.scope,
): Promise<readonly KeptEvent[]> {
  const listed = await bench.store.events.list(scope, { limit: 100, ...ask });
  assert.ok(listed.ok);
  return listed.events;
}

const told = (events: readonly KeptEvent[]) => events.map(({ type, sequence }) => `${sequence} ${type}`);

test('each change is told once, in the order of its subject, and only once it is published', async () => {
  const plan = await bench.create();
  await bench.change(plan, deposit(plan, hashOf('d')));
  await bench.change(plan, { type: 'RECIPIENT_REVEALED' });
  assert.deepEqual(await read(), [], 'not published yet');
  await publishAll();
  assert.deepEqual(told(await read()), [
    '1 payment_plan.created',
    '2 payment_plan.updated',
    '3 payment_plan.step.done',
    '4 payment_plan.updated',
  ]);
  assert.deepEqual(await read({}, bench.otherScope), [], 'another organisation');
});

test('a change that is refused, or repeated, tells nothing', async () => {
  const plan = await bench.create();
  await bench.change(plan, { type: 'PLAN_ENDED', force: false });
  const { payments } = bench.store;
  const context = { actor: 'cred_test', atMs: MADE_AT_MS };
  for (const command of [{ type: 'PLAN_ENDED', force: false }, { type: 'TIME_PASSED' }] as const)
    await payments.changePlan(bench.scope, plan.planId, command, context);
  await publishAll();
  const events = await read();
  assert.deepEqual(told(events), [
    '1 payment_plan.created',
    '2 payment_plan.updated',
    '3 payment_plan.cancelled',
  ]);
  assert.deepEqual(new Set(events.map(({ eventId }) => eventId)).size, 3);
});

test('events are read on from a cursor and from an event, by type and by subject', async () => {
  const [one, two] = [await bench.create(), await bench.create(newPlan({ clientReference: 'INV-2' }))];
  for (const plan of [one, two]) await bench.change(plan, { type: 'PLAN_ENDED', force: false });
  await publishAll();
  const all = await read();
  assert.equal(all.length, 6);
  const [first, second] = all;
  assert.ok(first !== undefined && second !== undefined);
  assert.deepEqual(await read({ after: { eventId: second.eventId } }), all.slice(2));
  assert.deepEqual(await read({ after: { position: second.position, epoch: 0n } }), all.slice(2));
  assert.deepEqual(await read({ limit: 2, after: { eventId: first.eventId } }), all.slice(1, 3));
  const ofTwo = await read({ subjectId: two.planId, types: ['payment_plan.created', 'payment_plan.c'] });
  assert.deepEqual(told(ofTwo), ['1 payment_plan.created']);
  assert.equal((await read({ types: ['payment_plan.'] })).length, 6);
  const unknown = await bench.store.events.list(bench.scope, {
    limit: 1,
    after: { eventId: `evt_${'0'.repeat(32)}` },
  });
  assert.deepEqual(unknown, { ok: false, reason: 'UNKNOWN' });
});

test('an event that is not published yet can be read on from', async () => {
  const plan = await bench.create();
  await publishAll();
  await bench.change(plan, { type: 'PLAN_ENDED', force: false });
  const { rows } = await sql<{ event_id: string }>`select event_id from events where position is null
    order by written limit 1`.execute(bench.database);
  const eventId = rows[0]?.event_id ?? assert.fail();
  const early = await bench.store.events.list(bench.scope, { limit: 5, after: { eventId } });
  assert.ok(early.ok && early.events.length === 0);
  await publishAll();
  assert.deepEqual(told(await read({ after: early.next })), [
    '2 payment_plan.updated',
    '3 payment_plan.cancelled',
  ]);
});

test('the place behind a page skips what was not asked for, and nothing that comes later', async () => {
  const plan = await bench.create();
  await bench.change(plan, deposit(plan, hashOf('d')));
  await publishAll();
  const none = await bench.store.events.list(bench.scope, { limit: 5, types: ['collect_request.'] });
  assert.ok(none.ok && none.events.length === 0);
  assert.deepEqual(await read({ after: none.next }), []);
  await bench.change(plan, { type: 'RECIPIENT_REVEALED' });
  await publishAll();
  assert.deepEqual(told(await read({ after: none.next })), ['4 payment_plan.updated']);
});

test('a place beyond the newest event is refused: later events would be passed over', async () => {
  await bench.create();
  await publishAll();
  const newest = await bench.store.events.list(bench.scope, { limit: 5, after: 'NOW' });
  assert.ok(newest.ok);
  const { epoch, position } = newest.next;
  assert.deepEqual(await read({ after: newest.next }), []);
  const ahead = await bench.store.events.list(bench.scope, {
    limit: 5,
    after: { epoch, position: position + 1n },
  });
  assert.deepEqual(ahead, { ok: false, reason: 'AHEAD' });
});

test('a rare type is looked for in parts, and no event of it is passed over', async () => {
  const plan = await bench.create();
  await publishAll();
  await sql`insert into events (organisation_id, environment, event_id, type, subject_type, subject_id, sequence, at, data)
    select ${bench.scope.organisationId}, 'sandbox', 'evt_' || n, 'payment_plan.updated', 'payment_plan', 'plan_x', n, now(), '{}'
    from generate_series(1, 7000) as n`.execute(bench.database);
  await bench.change(plan, { type: 'PLAN_ENDED', force: false });
  await publishAll();
  const types = ['payment_plan.cancelled'];
  const first = await bench.store.events.list(bench.scope, { limit: 5, types });
  assert.ok(first.ok);
  assert.deepEqual([first.events.length, first.next.position], [0, 5_000n]);
  assert.deepEqual(told(await read({ types, after: first.next })), ['3 payment_plan.cancelled']);
});

test('a database that was put back to before its first event lets old cursors go on', async () => {
  const epoch = await recoverAt(Date.UTC(2026, 6, 1));
  await bench.create();
  await publishAll();
  const lost = { position: 5_000n, epoch: 0n };
  assert.deepEqual(told0(await read({ after: lost }), epoch), ['1 payment_plan.created']);
});

test('old events are forgotten, and who asks for what followed them is told so', async () => {
  const plan = await bench.create();
  await publishAll();
  const [first] = await read();
  assert.ok(first !== undefined);
  await bench.change(plan, { type: 'PLAN_ENDED', force: false }, MADE_AT_MS + 60_000);
  await publishAll();
  const pruned = await bench.store.events.prune('sandbox', new Date(MADE_AT_MS + 30_000));
  assert.ok(pruned.pruned === 1);
  assert.deepEqual(told(await read()), ['2 payment_plan.updated', '3 payment_plan.cancelled']);
  assert.equal((await read({ after: { position: first.position, epoch: 0n } })).length, 2);
  const behind = await bench.store.events.list(bench.scope, { limit: 5, after: { position: 0n, epoch: 0n } });
  assert.deepEqual(behind, { ok: false, reason: 'EXPIRED' });
});

/** The numbers of events, counted from the base of an epoch. */
const told0 = (events: readonly KeptEvent[], epoch: number) =>
  events.map(({ type, sequence }) => `${sequence - epoch * 10_000_000} ${type}`);

async function recoverAt(sinceMs: number): Promise<number> {
  const recovered = await bench.store.operator.recover(sinceMs);
  return recovered.epoch;
}

test('after a restore numbers are greater than before, and a cursor of the lost future goes on', async () => {
  const plan = await bench.create();
  await publishAll();
  const since = Date.UTC(2026, 5, 1);
  const epoch = await recoverAt(since);
  await bench.change(plan, { type: 'PLAN_ENDED', force: false });
  // The backup may not know what was told of this plan.
  await bench.create(newPlan({ clientReference: 'INV-2' }));
  await publishAll();
  // A cursor of events that the backup did not have, and an event of the time that was lost.
  const cursor = { position: 5_000n, epoch: 0n };
  const eventId = `evt_${(Date.now() - 1_000).toString(16).padStart(12, '0')}7${'0'.repeat(19)}`;
  for (const lost of [cursor, { eventId }])
    assert.deepEqual(told0(await read({ after: lost }), epoch), [
      '1 service.recovered',
      '1 payment_plan.updated',
      '2 payment_plan.cancelled',
      '1 payment_plan.created',
    ]);
  assert.equal(await recoverAt(since), epoch);
  await publishAll();
  assert.equal((await read({ after: cursor })).length, 4, 'the same restore is told once');
});

test('after two restores numbers grow again, and a cursor of before both misses nothing', async () => {
  const plan = await bench.create();
  await publishAll();
  const first = await recoverAt(Date.UTC(2026, 5, 1));
  await bench.change(plan, { type: 'RECIPIENT_REVEALED' });
  await publishAll();
  const second = await recoverAt(Date.UTC(2026, 5, 2));
  await bench.change(plan, { type: 'RECIPIENT_REVEALED' });
  await publishAll();
  assert.ok(second > first);
  const all = await read({ after: { position: 5_000n, epoch: 0n } });
  assert.deepEqual(
    all.map(({ type }) => type),
    ['service.recovered', 'payment_plan.updated', 'service.recovered', 'payment_plan.updated'],
  );
  const numbers = all.map(({ sequence }) => sequence);
  assert.ok((numbers[2] ?? 0) > (numbers[0] ?? 0) && (numbers[3] ?? 0) > (numbers[1] ?? 0));
  assert.equal((await read({ after: { position: 5_000n, epoch: BigInt(first) } })).length, 2);
});

test('plans that are open or have changed are told again, in parts', async () => {
  const plans = [await bench.create(), await bench.create(newPlan({ clientReference: 'INV-2' }))];
  const over = await bench.create(newPlan({ clientReference: 'INV-3' }));
  await bench.change(over, { type: 'PLAN_ENDED', force: false });
  await publishAll();
  const known = (await read()).length;
  const sinceMs = MADE_AT_MS + 1;
  let after: string | undefined;
  let count = 0;
  do {
    const republished = await bench.store.operator.republish({ sinceMs, limit: 1, after });
    count += republished.count;
    after = republished.next;
  } while (after !== undefined);
  await publishAll();
  const told = (await read()).slice(known).map(({ subject, type, sequence }) => [subject.id, type, sequence]);
  assert.deepEqual([count, told], [2, plans.map(({ planId }) => [planId, 'payment_plan.updated', 2])]);
  const all = await bench.store.operator.republish({ sinceMs: MADE_AT_MS, limit: 5 });
  assert.ok(all.count === 3);
});

test('a publisher that does not have the row publishes nothing, and the next one does', async () => {
  await bench.create();
  await bench.store.events.publish('sandbox');
  await bench.create(newPlan({ clientReference: 'INV-2' }));
  await bench.database.transaction().execute(async (holder) => {
    await sql`select from event_publication where environment = 'sandbox' for update`.execute(holder);
    assert.deepEqual(await bench.store.events.publish('sandbox'), { published: 0 });
  });
  assert.deepEqual(await bench.store.events.publish('sandbox'), { published: 1 });
});

/** Has events sent again to all that want them. */
async function resend(events: readonly KeptEvent[], scope: PlanScope = bench.scope): Promise<void> {
  for (const { eventId } of events) {
    const resent = await bench.store.webhooks.resendEvent(scope, eventId, { nowMs: MADE_AT_MS });
    assert.ok(resent.ok && resent.deliveries.length === 0, 'there is no endpoint');
  }
}

async function resends(after?: bigint, ask: Partial<EventAsk> = {}, scope: PlanScope = bench.scope) {
  const { types, subjectId, limit = 10 } = ask;
  const read = await bench.store.events.resends(scope, { after, limit, types, subjectId });
  return { told: told(read.events), next: read.next };
}

test('events that are asked for again are read in that order, from then on, by type and subject', async () => {
  const plan = await bench.create();
  await bench.change(plan, { type: 'PLAN_ENDED', force: false });
  await publishAll();
  const [created, updated, cancelled] = await read();
  assert.ok(created && updated && cancelled);
  await resend([created]);
  const from = await resends();
  assert.deepEqual(from.told, [], 'from now on');
  await resend([cancelled, created, updated, cancelled]);
  const all = ['1 payment_plan.created', '2 payment_plan.updated', '3 payment_plan.cancelled'];
  const again = await resends(from.next);
  assert.deepEqual(again.told, all, 'each once, with its newest place');
  assert.deepEqual(await resends(again.next), { told: [], next: again.next });
  const first = await resends(from.next, { limit: 1 });
  assert.deepEqual(first.told, all.slice(0, 1));
  assert.deepEqual((await resends(first.next)).told, all.slice(1), 'page by page');
  const typed = await resends(from.next, { types: ['payment_plan.cancelled'] });
  assert.deepEqual(typed, { told: all.slice(2), next: again.next });
  assert.deepEqual((await resends(from.next, { subjectId: 'plan_other' })).told, []);
  await bench.store.events.prune('sandbox', new Date(MADE_AT_MS + 1));
  assert.deepEqual((await resends(from.next)).told, [], 'gone with their events');
});

test('resends are of one organisation and environment, and wake its readers alone', async () => {
  await bench.create();
  await publishAll();
  const events = await read();
  const { next } = await resends();
  const heardAt = { position: 1n, resend: next };
  assert.deepEqual(await bench.store.events.heard('sandbox', heardAt), {
    ...{ place: heardAt, organisationIds: [] },
  });
  const [first] = events;
  const stolen = await bench.store.webhooks.resendEvent(bench.otherScope, first?.eventId ?? '', {
    nowMs: MADE_AT_MS,
  });
  assert.deepEqual(stolen, { ok: false, reason: 'EVENT_UNKNOWN' });
  await resend(events);
  const heard = await bench.store.events.heard('sandbox', heardAt);
  assert.ok(heard.place.resend === next + 1n);
  assert.deepEqual(heard.organisationIds, [bench.scope.organisationId]);
  assert.deepEqual((await resends(next)).told, ['1 payment_plan.created']);
  assert.deepEqual((await resends(0n, {}, bench.otherScope)).told, []);
  const elsewhere = { ...bench.scope, environment: 'production' } as const;
  assert.deepEqual(await resends(0n, {}, elsewhere), { told: [], next: 0n });
  const behind = await bench.store.events.heard('sandbox', { ...heardAt, resend: next + 9n });
  assert.ok(behind.organisationIds === undefined, 'a restored database: all look');
});

test('of resends at once each has a number of its own, and none is passed over', async () => {
  for (let count = 0; count < 24; count += 1)
    await bench.create(newPlan({ clientReference: `INV-${count}` }));
  await publishAll();
  const events = await read();
  const seen = new Set<string>();
  let { next } = await resends();
  const done = Promise.all(events.map((event) => resend([event])));
  const look = async () => {
    const found = await bench.store.events.resends(bench.scope, { after: next, limit: 5 });
    ({ next } = found);
    for (const { eventId } of found.events) seen.add(eventId);
  };
  let isDone = false;
  void done.finally(() => (isDone = true));
  while (!isDone) await look();
  await done;
  for (let round = 0; round < 6; round += 1) await look();
  assert.equal(seen.size, events.length);
});

test('an event that is forgotten while it is asked for again is not noted, and nothing fails', async () => {
  await bench.create();
  await publishAll();
  const [event] = await read();
  assert.ok(event);
  const { resending } = await bench.database.transaction().execute(async (transaction) => {
    await sql`delete from events where event_id = ${event.eventId}`.execute(transaction);
    const begun = { resending: resend([event]) };
    for (let isWaiting = false; !isWaiting; ) {
      const { rows } = await sql`select from pg_locks where not granted`.execute(transaction);
      isWaiting = rows.length > 0;
    }
    return begun;
  });
  await resending;
  assert.deepEqual((await resends(0n)).told, []);
});
