import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { lockTables } from './lockTables.ts';

/**
 * What is known of an execution beside its amounts, on the row of what it spent: the gas of its transaction (`gas_units`, and `gas_cost` in
 * wei), and what its route would have brought by the block before (`market_amount`). Null: it is not known. Processes of earlier
 * versions write no such columns.
 */
export const executionFacts: Migration = {
  async up(database: Kysely<unknown>) {
    await lockTables(['movements'], 'access exclusive').execute(database);
    await sql`alter table movements add column gas_units numeric(78,0), add column gas_cost numeric(78,0),
      add column market_amount numeric(78,0)`.execute(database);
  },
};
