import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Saved recipients whose details are destroyed: their versions are kept without sealed details. The former version of the service
 * shows them, and fails to reveal them.
 */
export const erasure: Migration = {
  async up(database: Kysely<unknown>) {
    await sql`
      alter table saved_recipients drop constraint saved_recipients_status_check;
      alter table saved_recipients add constraint saved_recipients_status_check
        check (status in ('ACTIVE', 'PENDING_APPROVAL', 'REJECTED', 'DEACTIVATED', 'ERASED')) not valid;
      alter table saved_recipients validate constraint saved_recipients_status_check;
      alter table saved_recipient_versions alter column key_id drop not null, alter column sealed drop not null;
      alter table saved_recipient_versions add constraint saved_recipient_versions_sealed_check
        check ((sealed is null) = (key_id is null)) not valid;
      alter table saved_recipient_versions validate constraint saved_recipient_versions_sealed_check;
      create index saved_recipients_erased on saved_recipients (recipient_id) where status = 'ERASED';`.execute(
      database,
    );
  },
};
