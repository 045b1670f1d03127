import { runMigrations } from 'graphile-worker';
import { sql } from 'kysely';
import { DEFAULT_MIGRATION_TABLE, Migrator } from 'kysely/migration';
import { type Database, type DatabaseConnection, openDatabase, openPool } from './database.ts';
import { JOBS_SCHEMA, jobsLogger } from './jobs/jobsLogger.ts';
import { MIGRATIONS } from './migrations/index.ts';
import { attempt, type Unavailable } from './unavailable.ts';

/** What a migration run did: the names it applied now, none when the database was up to date. */
export type MigrationOutcome =
  | { ok: true; applied: readonly string[] }
  | { ok: false; reason: 'DATABASE_NEWER'; detail: string }
  | Unavailable;

/** Not the limits of requests: a migration may take long, and others wait for its lock. */
const LIMITS = { connections: 2, connectTimeoutMs: 5_000, statementTimeoutMs: 3_600_000 };

/**
 * Brings the database to this version's schema. Safe to repeat and to run from several processes at
 * once: an advisory lock lets one work and the others wait for it. Throws when a migration is wrong.
 */
export async function migrate(
  connection: DatabaseConnection,
  log: (message: string) => void = () => {},
): Promise<MigrationOutcome> {
  const database = openDatabase(connection, log, LIMITS);
  const migrator = new Migrator({
    db: database,
    provider: { getMigrations: async () => ({ ...MIGRATIONS }) },
  });
  try {
    return await attempt(async () => {
      const unknown = await unknownMigrations(database);
      if (unknown.length > 0) {
        const detail = `the database has migrations that this version does not know: ${unknown.join(', ')}`;
        return { ok: false, reason: 'DATABASE_NEWER', detail };
      }
      await migrateJobs(connection, log);
      const { error, results = [] } = await migrator.migrateToLatest();
      if (error !== undefined) {
        throw error instanceof Error ? error : new Error('a migration failed', { cause: error });
      }
      return { ok: true, applied: results.map(({ migrationName }) => migrationName) };
    });
  } finally {
    await database.destroy();
  }
}

/** The tables of graphile-worker, in a schema of its own. It copes with others who do the same just then. */
async function migrateJobs(connection: DatabaseConnection, log: (message: string) => void): Promise<void> {
  const pgPool = openPool(connection, log, LIMITS);
  try {
    await runMigrations({ pgPool, schema: JOBS_SCHEMA, logger: jobsLogger(log) });
  } finally {
    await pgPool.end();
  }
}

async function unknownMigrations(database: Database): Promise<string[]> {
  const { rows: tables } = await sql<{ oid: string | null }>`
    select to_regclass(${DEFAULT_MIGRATION_TABLE})::text as oid`.execute(database);
  if (tables[0]?.oid == null) return [];
  const { rows } = await sql<{ name: string }>`
    select name from ${sql.table(DEFAULT_MIGRATION_TABLE)} order by name`.execute(database);
  return rows.map(({ name }) => name).filter((name) => !(name in MIGRATIONS));
}
