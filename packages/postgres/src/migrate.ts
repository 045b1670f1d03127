import { runMigrations } from 'graphile-worker';
import { type Kysely, sql } from 'kysely';
import { DEFAULT_MIGRATION_TABLE, type Migration, Migrator } from 'kysely/migration';
import type { DatabaseConnection } from './connection/connection.ts';
import { LONG_LIMITS, openDatabase } from './connection/database.ts';
import { openPool } from './connection/pool.ts';
import { thrownOf } from './connection/unavailable.ts';
import { makeWorkersTable } from './jobs/heartbeat.ts';
import { JOBS_SCHEMA, jobsLogger } from './jobs/schema.ts';

/** Any number that no other lock of these databases has. */
const MIGRATION_LOCK = 7_215_340_997;

/** The migrations of an application by their names, in whose order they run. A released migration is never changed. */
export type Migrations = Readonly<Record<string, Migration>>;

/** What a migration run did: the names of the migrations that it applied, none when the database was up to date. */
export type MigrationOutcome =
  | { ok: true; applied: readonly string[] }
  | { ok: false; reason: 'DATABASE_NEWER'; detail: string };

/**
 * Brings the database to the schema that these migrations make, with the tables of the job queue. Safe to repeat, and
 * to run from several processes at once: an advisory lock lets one process work and the others wait for it. Throws when
 * a migration is wrong, and a DatabaseUnavailableError.
 *
 * @example
 * ```ts
 * import { migrateDatabase } from '@fairway/postgres';
 * import { type Kysely, sql } from 'kysely';
 *
 * const invoices = {
 *   up: async (database: Kysely<unknown>) =>
 *     void (await sql`create table invoices (id bigint primary key)`.execute(database)),
 * };
 * const connection = { url: 'postgres://app@127.0.0.1/app' };
 * const outcome = await migrateDatabase(connection, { '0001-invoices': invoices }, console.error);
 * if (!outcome.ok) throw new Error(outcome.detail);
 * ```
 */
export async function migrateDatabase(
  connection: DatabaseConnection,
  migrations: Migrations,
  log: (message: string) => void,
): Promise<MigrationOutcome> {
  const pool = openDatabase<unknown>(connection, log, { limits: LONG_LIMITS });
  try {
    return await pool.connection().execute(async (database) => {
      await waitForTurn(database);
      const unknown = await unknownMigrations(database, migrations);
      if (unknown.length > 0) {
        const detail = `the database has migrations that this version does not know: ${unknown.join(', ')}`;
        return { ok: false, reason: 'DATABASE_NEWER', detail };
      }
      await migrateJobs(connection, log);
      const applied = await migrateOneByOne(database, migrations);
      await makeWorkersTable(database);
      return { ok: true, applied };
    });
  } finally {
    await pool.destroy();
  }
}

/**
 * Waits until no other process migrates this database; the turn ends with the connection. Kysely's own lock is not
 * enough: before taking it, Kysely lists all columns, and that fails when another process drops one meanwhile.
 */
async function waitForTurn(database: Kysely<unknown>): Promise<void> {
  await sql`select pg_advisory_lock(${sql.lit(MIGRATION_LOCK)})`.execute(database);
}

/**
 * Runs each migration in a transaction of its own. Running programs can use what one migration has locked before the
 * next one locks something else. So neither waits for the other for ever. Nobody uses a new database yet, so there
 * all migrations share one transaction. That is faster, because the migrator reads the columns of all tables before
 * each transaction.
 */
async function migrateOneByOne(
  database: Kysely<unknown>,
  migrations: Migrations,
): Promise<readonly string[]> {
  const migrator = new Migrator({
    db: database,
    provider: { getMigrations: async () => ({ ...migrations }) },
  });
  const known = await migrator.getMigrations();
  const missing = known.filter(({ executedAt }) => executedAt === undefined);
  const isNew = missing.length === known.length;
  const applied: string[] = [];
  while (applied.length < missing.length) {
    const { error, results = [] } = await (isNew ? migrator.migrateToLatest() : migrator.migrateUp());
    if (error !== undefined)
      throw error instanceof Error ? error : new Error('a migration failed', { cause: error });
    // Behind a pooler the turn is not certain: another process may have done the rest.
    if (results.length === 0) break;
    applied.push(...results.map(({ migrationName }) => migrationName));
  }
  return applied;
}

/** Brings the tables of graphile-worker up to date; the library allows several processes to do so at once. */
async function migrateJobs(connection: DatabaseConnection, log: (message: string) => void): Promise<void> {
  const pgPool = openPool(connection, log, LONG_LIMITS);
  try {
    await runMigrations({ pgPool, schema: JOBS_SCHEMA, logger: jobsLogger(log) });
  } catch (cause) {
    throw thrownOf(cause);
  } finally {
    await pgPool.end();
  }
}

async function unknownMigrations(database: Kysely<unknown>, migrations: Migrations): Promise<string[]> {
  const { rows: tables } = await sql<{ oid: string | null }>`
    select to_regclass(${DEFAULT_MIGRATION_TABLE})::text as oid`.execute(database);
  if (tables[0]?.oid == null) return [];
  const { rows } = await sql<{ name: string }>`
    select name from ${sql.table(DEFAULT_MIGRATION_TABLE)} order by name`.execute(database);
  return rows.map(({ name }) => name).filter((name) => !(name in migrations));
}
