// The order in which events are read: 16 writers with transactions of very different lengths, two publishers, one reader.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '@fairway/postgres';
import { createRandom, type Random } from '@fairway/testing';
import { scale, seed } from '@fairway/testing/properties';
import { sql } from 'kysely';
import type { Database } from '../src/database/database.ts';
import type { Tables } from '../src/database/schema.ts';
import { type KeptEvent, writePublishedEvents } from '@fairway/outbox';
import { openTestStore, type TestStore } from './storeOfTest.ts';

const WRITERS = 16;
const SUBJECTS = 12;
/** By night 100,000 with FC_SCALE=200. */
const EVENTS = 500 * scale;
/** The longest transaction: by night as long as any may be. */
const LONGEST_MS = scale > 1 ? 2_000 : 400;

let bench: TestStore;
let writing: Database;
before(async () => {
  bench = await openTestStore();
  const limits = { connections: WRITERS, connectTimeoutMs: 5_000, statementTimeoutMs: 60_000 };
  writing = openDatabase<Tables>(bench.postgres.connection, () => {}, { limits });
});
after(async () => {
  await writing?.destroy();
  await bench?.close();
});

class RolledBack extends Error {}

/** Writes one to three events of a subject in one transaction, which may take long, and may come to nothing. */
async function write(random: Random): Promise<number> {
  const subject = { type: 'payment_plan', id: `plan_${random.integer(1, SUBJECTS)}` };
  const published = Array.from({ length: random.integer(1, 3) }, () => ({
    type: 'payment_plan.updated',
    subject,
    data: {},
  }));
  const isLong = random.integer(1, 100) === 1;
  const [beforeMs, afterMs] = [random.integer(0, 4), random.integer(0, isLong ? LONGEST_MS : 4)];
  const isKept = random.integer(1, 10) > 1;
  try {
    await writing.transaction().execute(async (transaction) => {
      // The transaction has its number before it has its events.
      await sql`select pg_current_xact_id()`.execute(transaction);
      await sleep(beforeMs);
      await writePublishedEvents(transaction, bench.scope, published, Date.now());
      await sleep(afterMs);
      if (!isKept) throw new RolledBack();
    });
    return published.length;
  } catch (cause) {
    if (!(cause instanceof RolledBack)) throw cause;
    return 0;
  }
}

test(`of ${EVENTS} events none is passed over or comes twice, and subjects keep their order`, async () => {
  const { events } = bench.store;
  let written = 0;
  let isWritten = false;
  let isOver = false;
  const writers = Array.from({ length: WRITERS }, async (_, index) => {
    const random = createRandom(seed + index);
    while (written < EVENTS) {
      const added = await write(random);
      written += added;
    }
  });
  const publishers = [0, 3].map(async (pauseMs) => {
    while (!isOver) {
      await events.publish('sandbox');
      await sleep(pauseMs);
    }
  });
  const read: KeptEvent[] = [];
  const reader = (async () => {
    let after: { position: bigint; epoch: bigint } | undefined;
    const idle = { rounds: 0 };
    // Once all is written, the reader goes on until nothing has come for a while.
    while (idle.rounds < 20) {
      const listed = await events.list(bench.scope, { limit: 50, after });
      assert.ok(listed.ok);
      read.push(...listed.events);
      after = listed.next;
      idle.rounds = isWritten && listed.events.length === 0 ? idle.rounds + 1 : 0;
      if (listed.events.length < 50) await sleep(5);
    }
  })();
  await Promise.all(writers);
  isWritten = true;
  await reader;
  isOver = true;
  await Promise.all(publishers);
  assert.equal(new Set(read.map(({ eventId }) => eventId)).size, read.length, 'an event came twice');
  assert.equal(read.length, written, 'events were passed over');
  const last = new Map<string, number>();
  for (const { subject, sequence } of read) {
    assert.equal(sequence, (last.get(subject.id) ?? 0) + 1, `the order of ${subject.id}`);
    last.set(subject.id, sequence);
  }
});
