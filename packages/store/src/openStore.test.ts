import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, test } from 'node:test';
import {
  type DatabaseConnection,
  DatabaseUnavailableError,
  type EmbeddedPostgres,
  openDatabase,
} from '@fairway/postgres';
import { startTestDatabase } from '@fairway/testing';
import { sql } from 'kysely';
import { migrate } from './migrations/migrate.ts';
import { MIGRATIONS } from './migrations/migrations.ts';
import { openStore } from './openStore.ts';

let postgres: EmbeddedPostgres;
beforeEach(async () => {
  postgres = await startTestDatabase();
});
afterEach(() => postgres.close());

async function reasonFor(connection: DatabaseConnection, serverKey?: Buffer): Promise<string> {
  const outcome = await openStore({ connection, serverKey });
  if (outcome.ok) await outcome.store.close();
  return outcome.ok ? 'OPEN' : outcome.reason;
}

test('migrations run once, also when several processes start at once', async () => {
  const { connection } = postgres;
  const outcomes = await Promise.all(Array.from({ length: 5 }, () => migrate(connection)));
  const applied = outcomes.flatMap((outcome) => (outcome.ok ? outcome.applied : ['FAILED']));
  // Each migration is a transaction of its own, so that the processes may share them.
  assert.deepEqual(applied.toSorted(), Object.keys(MIGRATIONS).toSorted());
  assert.deepEqual(await migrate(connection), { ok: true, applied: [] });

  const database = openDatabase(connection, () => {});
  const jobs = await sql`select graphile_worker.add_job('plan')`.execute(database);
  assert.equal(jobs.rows.length, 1);
  await sql`insert into kysely_migration (name, timestamp) values ('9999-future', 'later')`.execute(database);
  await database.destroy();
  const newer = await migrate(connection);
  assert.ok(!newer.ok && newer.reason === 'DATABASE_NEWER' && newer.detail.includes('9999-future'));
});

test('a server key other than the one that the data was written with is refused at the start', async () => {
  const { connection } = postgres;
  const key = randomBytes(32);
  assert.equal(await reasonFor(connection, key.subarray(1)), 'SERVER_KEY_INVALID');
  assert.equal(await reasonFor(connection, key), 'OPEN');
  assert.equal(await reasonFor(connection, key), 'OPEN');
  assert.equal(await reasonFor(connection, randomBytes(32)), 'SERVER_KEY_MISMATCH');
  assert.equal(await reasonFor(connection), 'SERVER_KEY_MISSING');
});

test('without a configured server key one is made, kept, and shared by all processes', async () => {
  const { connection } = postgres;
  const [one, other] = await Promise.all([openStore({ connection }), openStore({ connection })]);
  assert.ok(one.ok && other.ok);
  const hashes = [one, other].map(({ store }) => store.secrets.hash('user', 'secret').toString('hex'));
  assert.equal(hashes[0], hashes[1]);
  await Promise.all([one.store.close(), other.store.close()]);
  assert.equal(await reasonFor(connection, randomBytes(32)), 'SERVER_KEY_MISMATCH');
  assert.equal(await reasonFor(connection), 'OPEN');
});

test('a database that is down is thrown, whether it is migrated or opened', async () => {
  const { connection } = postgres;
  await postgres.close();
  for (const place of [connection, { url: 'postgres://x@127.0.0.1:1/x' }]) {
    await assert.rejects(migrate(place), DatabaseUnavailableError);
    await assert.rejects(reasonFor(place), DatabaseUnavailableError);
  }
});

test('a server without a connection for the tables of jobs is away, not broken', async () => {
  const { connection } = postgres;
  assert.ok('database' in connection);
  const held = openDatabase(connection, () => {});
  await held.connection().execute(async (only) => {
    // One for this connection, one for the migrations, none for the library that makes the tables of jobs.
    await sql`alter database ${sql.id(connection.database)} connection limit 2`.execute(only);
    await assert.rejects(migrate(connection), { name: 'DatabaseUnavailableError', message: /^53300/ });
  });
  await held.destroy();
});
