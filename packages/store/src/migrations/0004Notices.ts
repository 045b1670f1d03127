import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Notices, which are e-mails beside the link and the code. Their text is made when they are sent, so they hold none.
 */
export const notices: Migration = {
  async up(database: Kysely<unknown>) {
    await mails.execute(database);
  },
};

// A link has one notice of each kind, however often the same thing happens.
const mails = sql`
  alter table mails
    add column due_at timestamptz,
    drop constraint mails_kind_check,
    drop constraint mails_check,
    add constraint mails_kind check (case when due_at is null
      then kind in ('LINK_FIRST', 'LINK_REPLACED', 'LINK_REISSUED', 'LINK_REOPENED', 'CODE')
      else kind in ('REMINDER', 'CONFIRMATION', 'DELIVERED') end),
    add constraint mails_sealed_while_needed
      check ((sealed is not null) = (state = 'QUEUED' and due_at is null));
  create unique index mails_notices on mails (token_hash, kind) where due_at is not null`;
