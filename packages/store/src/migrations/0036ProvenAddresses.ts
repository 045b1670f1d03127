import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { lockTables } from './lockTables.ts';

/** `address_lost_from`: another organisation has proven that the deposit address of the plan is its own from this block on. */
export const provenAddresses: Migration = {
  async up(database: Kysely<unknown>) {
    await lockTables(['plans'], 'access exclusive').execute(database);
    await sql`alter table plans add column address_lost_from bigint`.execute(database);
  },
};
