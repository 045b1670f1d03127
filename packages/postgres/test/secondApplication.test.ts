import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startTestDatabase } from '@fairway/testing';
import { type Kysely, sql } from 'kysely';
import {
  addJob,
  type EmbeddedPostgres,
  hasOtherJob,
  hastenJobs,
  type JobWorker,
  type Migrations,
  migrateDatabase,
  openDatabase,
  removeJob,
  startWorker,
  type TaskHandler,
} from '../src/index.ts';

type Tables = { invoices: { id: string; paid_at: Date | null } };

const invoices: Migrations = {
  '0001-invoices': {
    up: async (database: Kysely<unknown>) => {
      await sql`create table invoices (id text primary key, paid_at timestamptz)`.execute(database);
    },
  },
};
const reminders: Migrations = {
  '0002-reminders': {
    up: async (database: Kysely<unknown>) => {
      await sql`alter table invoices add column reminded_at timestamptz`.execute(database);
    },
  },
};

const log = () => {};
let postgres: EmbeddedPostgres;
let database: Kysely<Tables>;
before(async () => {
  postgres = await startTestDatabase();
  assert.deepEqual(await appliedByThreeAtOnce(invoices), ['0001-invoices']);
  database = openDatabase<Tables>(postgres.connection, log);
});
after(async () => {
  await database.destroy();
  await postgres.close();
});

/** The migrations that three processes apply together when they start at once. */
async function appliedByThreeAtOnce(migrations: Migrations): Promise<string[]> {
  const runs = [1, 2, 3].map(() => migrateDatabase(postgres.connection, migrations, log));
  const outcomes = await Promise.all(runs);
  return outcomes.flatMap((outcome) => (outcome.ok ? outcome.applied : [outcome.reason]));
}

/** Runs a worker until the promise ends. */
async function withWorker(tasks: Record<string, TaskHandler>, done: () => Promise<unknown>): Promise<void> {
  const worker: JobWorker = startWorker(postgres.connection, { tasks, concurrency: 2, log });
  try {
    await done();
  } finally {
    await worker.close();
  }
}

async function jobCount(key: string): Promise<number> {
  const { rows } = await sql`select from graphile_worker.jobs where key = ${key}`.execute(database);
  return rows.length;
}

test('an application with a table and a task of its own needs no package but this one', async () => {
  const paid = Promise.withResolvers<unknown>();
  const pay: TaskHandler = async (payload) => {
    const { id } = payload as { id: string };
    await database.updateTable('invoices').set({ paid_at: new Date() }).where('id', '=', id).execute();
    paid.resolve(payload);
  };
  // The row and its job are written by one query: both or neither.
  const job = addJob({ task: 'pay', key: 'pay:INV-1', payload: { id: 'INV-1' } });
  await sql`with made as (insert into invoices values ('INV-1') returning id) select ${job} from made`.execute(
    database,
  );
  await withWorker({ pay }, () => paid.promise);
  assert.deepEqual(await paid.promise, { id: 'INV-1' });
  const row = await database.selectFrom('invoices').selectAll().executeTakeFirstOrThrow();
  assert.ok(row.paid_at instanceof Date);
  assert.equal(await jobCount('pay:INV-1'), 0);
  assert.equal((await sql`select from workers`.execute(database)).rows.length, 0);
});

test('a worker leaves a job that needs what it lacks, and does it when it lacks nothing', async () => {
  const done: string[] = [];
  const ended = { sign: Promise.withResolvers<void>(), print: Promise.withResolvers<void>() };
  const tasks = Object.fromEntries(
    (['sign', 'print'] as const).map((name): [string, TaskHandler] => [
      name,
      async () => {
        done.push(name);
        ended[name].resolve();
      },
    ]),
  );
  let lacking = ['PEN'];
  await sql`select ${addJob({ task: 'sign', key: 'sign:1', payload: {}, needs: 'PEN' })}`.execute(database);
  const worker = startWorker(postgres.connection, { tasks, concurrency: 1, log, lacks: () => lacking });
  try {
    await sql`select ${addJob({ task: 'print', key: 'print:1', payload: {} })}`.execute(database);
    await ended.print.promise;
    assert.deepEqual([done, await jobCount('sign:1')], [['print'], 1]);
    lacking = [];
    await ended.sign.promise;
  } finally {
    await worker.close();
  }
  assert.deepEqual([done, await jobCount('sign:1')], [['print', 'sign'], 0]);
});

test('a job replaces the waiting job of its key, and can be hastened and removed', async () => {
  const add = (delayMs: number, payload: object) =>
    sql`select ${addJob({ task: 'remind', key: 'remind:INV-1', payload, delayMs })}`.execute(database);
  await add(3_600_000, { turn: 1 });
  await add(3_600_000, { turn: 2 });
  assert.equal(await jobCount('remind:INV-1'), 1);
  assert.equal(await hasOtherJob(database, 'remind:INV-1', '0'), true);

  const turns: unknown[] = [];
  const done = Promise.withResolvers<void>();
  const remind: TaskHandler = async (payload, { id }) => {
    turns.push(payload, await hasOtherJob(database, 'remind:INV-1', id));
    done.resolve();
  };
  await withWorker({ remind }, async () => {
    await hastenJobs(database);
    await done.promise;
  });
  assert.deepEqual(turns, [{ turn: 2 }, false]);

  await add(3_600_000, {});
  await sql`select ${removeJob('remind:INV-1')}`.execute(database);
  assert.equal(await jobCount('remind:INV-1'), 0);
});

test('a job that a worker begins just while it is added again is followed by another one', async () => {
  const job = addJob({ task: 'remind', key: 'remind:INV-2', payload: {} });
  const add = () => sql<{ id: string | null }>`select ${job} as id`.execute(database);
  const [first] = (await add()).rows;
  let again: ReturnType<typeof add> | undefined;
  await database.transaction().execute(async (worker) => {
    // A worker does this when it begins: it does not know yet in what the second call is told.
    await sql`update graphile_worker._private_jobs set locked_at = now(), locked_by = 'worker'
      where key = 'remind:INV-2'`.execute(worker);
    again = add();
    await untilOneWaits();
  });
  const [second] = (await again)?.rows ?? [];
  assert.ok(second?.id !== null && second?.id !== first?.id, `the second job is ${second?.id}`);
  assert.equal(await jobCount('remind:INV-2'), 1);
  await sql`delete from graphile_worker._private_jobs`.execute(database);
});

/** Waits until a query waits for a row that another transaction has changed. */
async function untilOneWaits(): Promise<void> {
  const waiting = sql`select from pg_stat_activity where wait_event_type = 'Lock' and query like '%add_job%'`;
  while ((await waiting.execute(database)).rows.length === 0) await sleep(10);
}

test('a job waits while no worker does its task', async () => {
  await sql`select ${addJob({ task: 'archive', key: 'archive:INV-1', payload: {} })}`.execute(database);
  await sql`select ${addJob({ task: 'print', key: 'print:INV-1', payload: {} })}`.execute(database);
  const printed = Promise.withResolvers<void>();
  await withWorker({ print: async () => printed.resolve() }, () => printed.promise);
  assert.equal(await jobCount('archive:INV-1'), 1);
  await sql`select ${removeJob('archive:INV-1')}`.execute(database);
});

test('a later version migrates further, and the earlier version then refuses the database', async () => {
  const { connection } = postgres;
  const later = { ...invoices, ...reminders };
  assert.deepEqual(await appliedByThreeAtOnce(later), ['0002-reminders']);
  const earlier = await migrateDatabase(connection, invoices, log);
  assert.ok(!earlier.ok && earlier.reason === 'DATABASE_NEWER' && earlier.detail.includes('0002-reminders'));
});
