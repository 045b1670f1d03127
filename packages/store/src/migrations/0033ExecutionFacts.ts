import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * What is known of an execution beside its amounts, on the row of what it spent: the gas of its transaction (`gas_units`, and `gas_cost` in
 * wei), and what its route would have brought by the block before (`market_amount`). Null: it is not known. Processes of earlier
 * versions write no such columns.
 */
export const executionFacts: Migration = {
  async up(database: Kysely<unknown>) {
    await lock.execute(database);
    await sql`alter table movements add column gas_units numeric(78,0), add column gas_cost numeric(78,0),
      add column market_amount numeric(78,0)`.execute(database);
  },
};

// A running change of a plan that this waited for would keep all other changes waiting: requests wait for two seconds.
const lock = sql`
  do $$ begin
    for tries in 1..600 loop
      begin
        perform set_config('lock_timeout', '1s', true);
        lock table movements in access exclusive mode;
        perform set_config('lock_timeout', '0', true);
        return;
      exception when lock_not_available then
        perform pg_sleep(0.5);
      end;
    end loop;
    raise exception 'The table of movements is in use all the time.';
  end $$`;
