import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { lockTables } from './lockTables.ts';

/**
 * What reconciliation said of the rows of a report when it was made, so that its file stays what its SHA-256 says: a part of the rows is a list, from
 * the row `first_row` on, with null for a row of which nothing is said. `making`: how often the report had been begun. The index finds the
 * entries that may be a movement; it is read for each row of a report, so that it has no list of what is still to be added.
 */
export const reportReconciliation: Migration = {
  async up(database: Kysely<unknown>) {
    await lockTables(['reports', 'statement_entries'], 'share row exclusive').execute(database);
    await sql`
      create table report_reconciliation (
        organisation_id text collate "C" not null,
        environment text collate "C" not null,
        report_id text collate "C" not null,
        making integer not null,
        first_row integer not null,
        reconciled jsonb not null,
        primary key (organisation_id, environment, report_id, making, first_row),
        foreign key (organisation_id, environment, report_id) references reports
      );
      create index statement_entries_proposed on statement_entries using gin (proposals jsonb_path_ops)
        with (fastupdate = off) where status = 'TENTATIVE'`.execute(database);
  },
};
