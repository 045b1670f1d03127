import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** How many nodes said alike what the evidence of a step holds. Null on evidence from before nodes were counted. */
export const evidenceTrust: Migration = {
  async up(database: Kysely<unknown>) {
    await sql`alter table step_evidence add column nodes_agreed smallint, add column nodes_of smallint`.execute(
      database,
    );
  },
};
