import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { lockTables } from './lockTables.ts';

/**
 * The bytes of a CSV file are another import with a column map of another content (`map_digest`; null for camt.053, and for what was imported
 * before), which takes the place of the former one: `replaced_by`. An older process writes neither, and finds one of the imports.
 */
export const statementReadings: Migration = {
  async up(database: Kysely<unknown>) {
    await lockTables(['statements'], 'access exclusive').execute(database);
    await sql`
      alter table statements add column map_digest bytea, add column replaced_by text collate "C",
        drop constraint statements_bytes;
      create unique index statements_read on statements (organisation_id, environment, sha256, map_digest)
        nulls not distinct`.execute(database);
  },
};
