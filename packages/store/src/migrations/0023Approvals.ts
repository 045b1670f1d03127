import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Details of saved recipients that wait for a second person. `standing_version` is the version that was in force before the present
 * one, while that waits; `approval` is what was decided about a version, by whom and when. The former version of the service leaves
 * both empty: it neither changes a recipient that waits nor makes plans of it.
 */
export const approvals: Migration = {
  async up(database: Kysely<unknown>) {
    await sql`
      alter table saved_recipients add column standing_version integer;
      alter table saved_recipients drop constraint saved_recipients_status_check;
      alter table saved_recipients add constraint saved_recipients_status_check
        check (status in ('ACTIVE', 'PENDING_APPROVAL', 'REJECTED', 'DEACTIVATED')) not valid;
      alter table saved_recipients validate constraint saved_recipients_status_check;
      alter table saved_recipient_versions add column approval jsonb;`.execute(database);
  },
};
