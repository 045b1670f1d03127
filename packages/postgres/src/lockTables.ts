import { type RawBuilder, sql } from 'kysely';

/**
 * Locks all tables that a migration changes, at once and before anything else. A running change could wait for one table while
 * the migration waits for another: that would be a deadlock. While this waits, all other changes wait, and requests wait for
 * two seconds at most. So it waits for less, and tries again. It waits longer than a second (`deadlock_timeout`), after which
 * the database ends a vacuum of its own that is in the way.
 *
 * @example
 * ```ts
 * import { lockTables } from '@fairway/postgres';
 * import { type Kysely, sql } from 'kysely';
 *
 * const paidInvoices = {
 *   up: async (database: Kysely<unknown>) => {
 *     await lockTables(['invoices'], 'access exclusive').execute(database);
 *     await sql`alter table invoices add column paid_at timestamptz`.execute(database);
 *   },
 * };
 * ```
 */
export function lockTables(
  tables: readonly string[],
  mode: 'access exclusive' | 'share row exclusive' | 'share',
): RawBuilder<unknown> {
  const names = tables.join(', ');
  return sql.raw(`
    do $$ begin
      for tries in 1..600 loop
        begin
          perform set_config('lock_timeout', '1500ms', true);
          lock table ${names} in ${mode} mode;
          perform set_config('lock_timeout', '0', true);
          return;
        exception when lock_not_available then
          perform pg_sleep(0.5);
        end;
      end loop;
      raise exception 'These tables are in use all the time: ${names}.';
    end $$`);
}
