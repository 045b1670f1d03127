import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Plans in the order in which they have changed last, for those who ask what has changed since a time. An operator may have built
 * the index before, while plans were written (docs/operating.md).
 */
export const updatedPlans: Migration = {
  async up(database: Kysely<unknown>) {
    await sql`create index if not exists plans_by_update
      on plans (organisation_id, environment, updated_at, plan_id)`.execute(database);
  },
};
