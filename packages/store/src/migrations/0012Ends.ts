import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** How plans end: which account each attempt to pay was to, with which id. */
export const ends: Migration = {
  async up(database: Kysely<unknown>) {
    await sql`alter table step_attempts add column payout jsonb`.execute(database);
  },
};
