import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Indexes in the order of lists, by the filters that lists have; of the plans that had a deposit address; and of
 * instructions by the tag at the end of their calldata. An operator may have built them before, while plans were
 * written (docs/operating.md).
 */
export const planLists: Migration = {
  async up(database: Kysely<unknown>) {
    await sql`
      create index if not exists plans_by_corridor on plans
        (organisation_id, environment, corridor_id, status, mode, plan_id);
      create index if not exists plans_by_status_mode on plans (organisation_id, environment, status, mode, plan_id);
      create index if not exists plans_by_address on plans (environment, source_chain_id, deposit_address, plan_id)
        where deposit_address is not null;
      create index if not exists step_attempts_tag on step_attempts
        (environment, right(instructions #>> '{-1,data}', 32)) where instructions is not null`.execute(
      database,
    );
  },
};
