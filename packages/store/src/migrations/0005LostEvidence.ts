import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** An index that finds transactions that were taken back, whatever block they were in. */
export const lostEvidence: Migration = {
  async up(database: Kysely<unknown>) {
    await sql`create index step_evidence_lost on step_evidence (environment, chain_id) where status = 'LOST'`.execute(
      database,
    );
  },
};
