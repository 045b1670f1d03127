// A database of the last release is migrated while it is used, with or without what operators may do before.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type EmbeddedPostgres, LONG_LIMITS, migrateDatabase, openDatabase } from '@fairway/postgres';
import { startTestDatabase } from '@fairway/testing';
import { type Kysely, sql } from 'kysely';
import { migrate } from '../src/index.ts';
import { MIGRATIONS } from '../src/migrations/migrations.ts';

let fresh: EmbeddedPostgres;
let old: EmbeddedPostgres;
before(async () => {
  [fresh, old] = [await startTestDatabase(), await startTestDatabase()];
});
after(async () => {
  await fresh?.close();
  await old?.close();
});

/** The migrations of 0.1.0. */
const RELEASED = Object.fromEntries(Object.entries(MIGRATIONS).filter(([name]) => name < '0007'));

/** The statements of docs/operating.md that build the indexes before an update. */
function statementsBefore(): readonly string[] {
  const text = readFileSync(join(import.meta.dirname, '../../../docs/operating.md'), 'utf8');
  const [block = ''] = text
    .split('```sql\n')
    .map((part) => part.split('```')[0] ?? '')
    .filter((part) => part.includes('index concurrently plans_by_corridor'));
  return block.split(';').filter((statement) => statement.trim() !== '');
}

async function withDatabase<T>(
  { connection }: EmbeddedPostgres,
  use: (database: Kysely<unknown>) => Promise<T>,
): Promise<T> {
  const database = openDatabase<unknown>(connection, () => {}, { limits: LONG_LIMITS });
  try {
    return await use(database);
  } finally {
    await database.destroy();
  }
}

/** The columns, constraints and indexes of all tables. */
function shapeOf(postgres: EmbeddedPostgres): Promise<readonly unknown[]> {
  return withDatabase(postgres, async (database) => {
    const { rows } = await sql`
      select 'index' as kind, c.relname as name, pg_get_indexdef(i.indexrelid) || i.indisvalid as shape
      from pg_index i join pg_class c on c.oid = i.indexrelid join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = 'public'
      union all
      select 'column', table_name || '.' || column_name, data_type || is_nullable || coalesce(column_default, '')
      from information_schema.columns where table_schema = 'public'
      union all
      select 'constraint', conrelid::regclass || '.' || conname, pg_get_constraintdef(oid)
      from pg_constraint where connamespace = 'public'::regnamespace
      order by 1, 2, 3`.execute(database);
    return rows;
  });
}

test('indexes that an operator built before are found, and a plan in use is waited for', async () => {
  const released = await migrateDatabase(old.connection, RELEASED, () => {});
  assert.ok(released.ok && released.applied.length === 6);
  const statements = statementsBefore();
  assert.ok(statements.length >= 7, statements.join(';'));
  await withDatabase(old, async (database) => {
    for (const statement of statements) await sql.raw(statement).execute(database);
  });
  const { migrating } = await withDatabase(old, (database) =>
    database.transaction().execute(async (transaction) => {
      await sql`lock table plans in access share mode`.execute(transaction);
      const begun = { migrating: migrate(old.connection) };
      await sleep(1_500);
      return begun;
    }),
  );
  const migrated = await migrating;
  assert.ok(migrated.ok && migrated.applied.includes('0011-ledger'));
  await migrate(fresh.connection);
  assert.deepEqual(await shapeOf(old), await shapeOf(fresh));
});

test('a change of a plan that is under way ends, and the migration that waits for it, too', async () => {
  const earlier = await startTestDatabase();
  try {
    const before = Object.entries(MIGRATIONS).filter(([name]) => name < '0035');
    await migrateDatabase(earlier.connection, Object.fromEntries(before), () => {});
    const { migrating } = await withDatabase(earlier, (database) =>
      database.transaction().execute(async (transaction) => {
        await sql`lock table plans in row exclusive mode`.execute(transaction);
        const begun = { migrating: migrate(earlier.connection) };
        await sleep(500);
        await sql`lock table events in row exclusive mode`.execute(transaction);
        return begun;
      }),
    );
    assert.ok((await migrating).ok);
  } finally {
    await earlier.close();
  }
});

test('a long import keeps no request of others waiting while a migration waits for it', async () => {
  const earlier = await startTestDatabase();
  const requests = openDatabase<unknown>(earlier.connection, () => {});
  try {
    for (const [number, held, written] of [
      ['0032', 'statements', 'statements'],
      ['0034', 'statement_entries', 'reports'],
    ] as const) {
      const before = Object.entries(MIGRATIONS).filter(([name]) => name < number);
      await migrateDatabase(earlier.connection, Object.fromEntries(before), () => {});
      const upTo = Object.entries(MIGRATIONS).filter(([name]) => name < `${number}~`);
      const { migrating } = await withDatabase(earlier, (database) =>
        database.transaction().execute(async (transaction) => {
          await sql`lock table ${sql.table(held)} in row exclusive mode`.execute(transaction);
          const begun = {
            migrating: migrateDatabase(earlier.connection, Object.fromEntries(upTo), () => {}),
          };
          while ((await waiting(database)) === 0) await sleep(20);
          // It has the limits of requests: what waits for longer fails.
          await requests
            .transaction()
            .execute((request) =>
              sql`lock table ${sql.table(written)} in row exclusive mode`.execute(request),
            );
          return begun;
        }),
      );
      assert.ok((await migrating).ok);
    }
  } finally {
    await requests.destroy();
    await earlier.close();
  }
});

/** How many statements wait for a lock of a table. */
async function waiting(database: Kysely<unknown>): Promise<number> {
  const { rows } = await sql`select from pg_locks where locktype = 'relation' and not granted`.execute(
    database,
  );
  return rows.length;
}

test('what 0.1.0 writes fits: columns that it does not know can be null', async () => {
  const columns = (postgres: EmbeddedPostgres, tables: readonly string[]) =>
    withDatabase(postgres, async (database) => {
      const { rows } = await sql<{ name: string; nullable: string }>`
        select table_name || '.' || column_name as name, is_nullable as nullable
        from information_schema.columns where table_schema = 'public' and table_name = any(${tables})`.execute(
        database,
      );
      return new Map(rows.map(({ name, nullable }) => [name, nullable]));
    });
  const released = await startTestDatabase();
  try {
    await migrateDatabase(released.connection, RELEASED, () => {});
    const tables = [
      'plans',
      'plan_steps',
      'step_attempts',
      'step_evidence',
      'plan_events',
      'plan_returns',
      'settlements',
    ];
    const [before, now] = [await columns(released, tables), await columns(fresh, tables)];
    const added = [...now].filter(([name]) => !before.has(name));
    assert.ok(added.length >= 10);
    for (const [name, nullable] of added) assert.equal(nullable, 'YES', name);
  } finally {
    await released.close();
  }
});
