import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startTestDatabase } from '@fairway/testing';
import { type Kysely, sql } from 'kysely';
import { type Migrations, migrateDatabase } from '../src/index.ts';

const COLUMNS = Array.from({ length: 50 }, (_, index) => `column_${index}`);

async function makeColumns(database: Kysely<unknown>): Promise<void> {
  for (const column of COLUMNS)
    await sql`alter table things add column ${sql.ref(column)} text`.execute(database);
}

async function dropColumns(database: Kysely<unknown>): Promise<void> {
  for (const column of COLUMNS)
    await sql`alter table things drop column ${sql.ref(column)}`.execute(database);
}

async function makeTable(database: Kysely<unknown>): Promise<void> {
  await sql`create table things (id bigint primary key)`.execute(database);
}

/** A table whose columns come and go forty times. */
const migrations: Migrations = Object.fromEntries(
  Array.from({ length: 41 }, (_, index) => {
    const up = index === 0 ? makeTable : index % 2 === 1 ? makeColumns : dropColumns;
    return [`${String(index).padStart(4, '0')}-things`, { up }];
  }),
);

const postgres = await startTestDatabase();
after(() => postgres.close());

test('processes that start at once do not disturb a migration that drops columns', async () => {
  const migrateOnce = () => migrateDatabase(postgres.connection, migrations, () => {});
  const outcomes = await Promise.all(Array.from({ length: 6 }, migrateOnce));
  const applied = outcomes.flatMap((outcome) => (outcome.ok ? outcome.applied : [outcome.detail]));
  assert.deepEqual(applied.toSorted(), Object.keys(migrations));
});
