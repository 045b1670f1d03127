import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * What an operator counts: the plans that are open and the e-mails by their state, over all organisations. The counts are
 * read from the indexes alone. An operator may have built them before, while plans were written (docs/operating.md).
 */
export const openPlans: Migration = {
  async up(database: Kysely<unknown>) {
    await sql`
      create index if not exists plans_open on plans (environment, status, plan_id)
        where status in ('PENDING', 'IN_PROGRESS', 'ACTION_REQUIRED', 'FAILED', 'RETURNED');
      create index if not exists mails_by_state on mails (environment, state)`.execute(database);
  },
};
