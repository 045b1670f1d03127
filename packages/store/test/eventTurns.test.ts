// Whose events are published when: of many that one organisation has written, others wait for a share of one transaction.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import type { PlanScope } from '../src/index.ts';
import { writePublishedEvents } from '@fairway/outbox';
import { openTestStore } from './storeOfTest.ts';

const bench = await openTestStore();
after(() => bench.close());

/** Events of as many subjects, or of one. */
const write = (scope: PlanScope, name: string, count: number) =>
  writePublishedEvents(
    bench.database,
    scope,
    Array.from({ length: count }, (_, index) => ({
      type: 'statement_entry.updated',
      subject: { type: 'statement_entry', id: `${name}${index}` },
      data: {},
    })),
    Date.now(),
  );

async function publish(): Promise<number> {
  const published = await bench.store.events.publish('sandbox');
  return published.published;
}

/** The events that an organisation can read, in their order. */
async function read(scope: PlanScope): Promise<readonly string[]> {
  const { rows } = await sql<{ subject_id: string }>`select e.subject_id from events e
    where e.organisation_id = ${scope.organisationId} and e.environment = ${scope.environment} and e.position is not null
    order by e.position`.execute(bench.database);
  return rows.map((row) => row.subject_id);
}

test('an event is published at once, however many another organisation has written before', async () => {
  const { scope, otherScope } = bench;
  for (let part = 0; part < 40; part += 1) await write(scope, `${part} `, 500);
  await write(otherScope, 'single', 1);
  assert.ok((await publish()) <= 1_000);
  assert.deepEqual(await read(otherScope), ['single0']);
  await write(otherScope, 'later', 3);
  await publish();
  assert.deepEqual(await read(otherScope), ['single0', 'later0', 'later1', 'later2']);
  let transactions = 2;
  while ((await publish()) > 0) transactions += 1;
  assert.ok(transactions <= 24, `${transactions} transactions for 20,004 events`);
  const all = Array.from({ length: 40 }, (_, part) => part).flatMap((part) =>
    Array.from({ length: 500 }, (_, index) => `${part} ${index}`),
  );
  assert.deepEqual(await read(scope), all, 'each once, in the order in which they were written');
  const { rows } = await sql<{ gap_count: bigint }>`
    select max(any_event.position) - count(*) as gap_count from events any_event
    where any_event.environment = 'sandbox'`.execute(bench.database);
  assert.equal(Number(rows[0]?.gap_count), 0, 'positions have no gaps');
});
