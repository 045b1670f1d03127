import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Indexes in the order of lists, by the filters that lists have. An operator may have built them before, while plans were
 * written (docs/operating.md).
 */
export const planLists: Migration = {
  async up(database: Kysely<unknown>) {
    await sql`
      create index if not exists plans_by_corridor on plans
        (organisation_id, environment, corridor_id, status, mode, plan_id);
      create index if not exists plans_by_status_mode on plans (organisation_id, environment, status, mode, plan_id)`.execute(
      database,
    );
  },
};
