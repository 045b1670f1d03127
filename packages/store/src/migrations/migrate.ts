import { type DatabaseConnection, type MigrationOutcome, migrateDatabase } from '@fairway/postgres';
import { MIGRATIONS } from './migrations.ts';

/**
 * Brings the database to this version's schema. Safe to repeat, and to run from several processes at once. Throws when
 * a migration is wrong, and a DatabaseUnavailableError.
 *
 * @example
 * ```ts
 * import { migrate } from '@fairway/store';
 *
 * const outcome = await migrate({ url: 'postgres://fairway@127.0.0.1/fairway' });
 * const names = outcome.ok ? outcome.applied : []; // ['0001-initial', …], or none when it was up to date
 * ```
 */
export function migrate(
  connection: DatabaseConnection,
  log: (message: string) => void = () => {},
): Promise<MigrationOutcome> {
  return migrateDatabase(connection, MIGRATIONS, log);
}
