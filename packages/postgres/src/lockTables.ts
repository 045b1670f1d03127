import { type RawBuilder, sql } from 'kysely';

/**
 * Locks all tables that a migration changes, at once and before anything else: a running change that waited for one of them while the
 * migration waited for another would end with a deadlock. What this waits for keeps all other changes waiting, and requests wait for two
 * seconds: so it waits for less, and tries again. It waits for more than the second after which the database ends a vacuum of its own that is in
 * the way (`deadlock_timeout`).
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
