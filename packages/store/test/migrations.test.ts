// A made-up second version: the database is migrated while a process of the version before works on it, and that process goes on.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { lockTables, type Migrations, migrateDatabase } from '@fairway/postgres';
import { type Kysely, sql } from 'kysely';
import type { Database } from '../src/database/database.ts';
import { openStore } from '../src/index.ts';
import { MIGRATIONS } from '../src/migrations/migrations.ts';
import { deposit, hashOf } from './plans.ts';
import { openTestStore } from './storeOfTest.ts';

const SECOND: Migrations = {
  ...MIGRATIONS,
  '0002-made-up': {
    up: async (database: Kysely<unknown>) => {
      await lockTables(['plans', 'events'], 'access exclusive').execute(database);
      // Changes of plans lock these tables in the other order.
      await sql`
        alter table events add column made_up text;
        alter table plans add column made_up text;
        create index plans_by_made_up on plans (organisation_id, environment, made_up);
        create table made_up_rows (organisation_id text primary key references organisations)`.execute(
        database,
      );
    },
  },
};

const bench = await openTestStore();
after(() => bench.close());

test('a database in use is migrated once by three processes, and no request waits for them', async () => {
  const { connection } = bench.postgres;
  const { migrating } = await bench.database.transaction().execute(async (transaction) => {
    await sql`lock table plans in row exclusive mode`.execute(transaction);
    const begun = {
      migrating: Promise.all([1, 2, 3].map(() => migrateDatabase(connection, SECOND, () => {}))),
    };
    while ((await waitingFor(transaction, 'plans')) === 0) await sleep(20);
    // It has the limits of requests: what waits for longer fails.
    await bench.create();
    await sql`lock table events in row exclusive mode`.execute(transaction);
    return begun;
  });
  const applied = (await migrating).map((outcome) => (outcome.ok ? outcome.applied : outcome.detail));
  assert.deepEqual(applied.toSorted(), [[], [], ['0002-made-up']]);
});

/** How many queries wait for a lock of the table. */
async function waitingFor(database: Database, table: string): Promise<number> {
  const { rows } = await sql`
    select from pg_locks where relation = ${table}::regclass and not granted`.execute(database);
  return rows.length;
}

test('a process of the version before goes on beside the second version', async () => {
  const plan = await bench.create();
  const changed = await bench.change(plan, deposit(plan, hashOf(1)));
  const loaded = await bench.store.payments.loadPlan(bench.scope, plan.planId);
  assert.deepEqual(loaded, { plan: changed });
  const read = await bench.store.payments.history(bench.scope, plan.planId, { limit: 9 });
  assert.ok(read.found?.events.length === 2);
  const { rows } = await sql`select from events where made_up is null`.execute(bench.database);
  assert.ok(rows.length >= 2, 'events were written beside the column that it does not know');
});

test('the version before does not start on a database of the second version', async () => {
  const { postgres, sealingKey } = bench;
  const opened = await openStore({ connection: postgres.connection, sealingKeys: [sealingKey] });
  if (opened.ok) await opened.store.close();
  assert.ok(!opened.ok && opened.reason === 'DATABASE_NEWER');
  assert.match(opened.detail, /does not know: 0002-made-up$/);
});
