import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { lockTables } from './lockTables.ts';

/** `is_address_lost`: another organisation has proven that the deposit address of the plan is its own. */
export const provenAddresses: Migration = {
  async up(database: Kysely<unknown>) {
    await lockTables(['plans'], 'access exclusive').execute(database);
    await sql`alter table plans add column is_address_lost boolean`.execute(database);
  },
};
