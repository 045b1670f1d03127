import { sql } from 'kysely';

/**
 * E-mails about links. One with the link or the code has its sealed personal data and token only while it waits. A notice has a time
 * at which it is due, and its text is made when it is sent. A link has one notice of each kind, however often the same
 * thing happens.
 */
export const mail = sql`
  create table mails (
    mail_id text collate "C" primary key,
    organisation_id text collate "C" not null,
    environment text collate "C" not null,
    plan_id text collate "C" not null,
    token_hash bytea not null references collect_links,
    kind text not null check (kind in ('LINK_FIRST', 'LINK_REPLACED', 'LINK_REISSUED', 'LINK_REOPENED', 'CODE',
      'REMINDER', 'CONFIRMATION', 'DELIVERED')),
    message_id text not null,
    due_at timestamptz,
    expires_at timestamptz not null,
    key_id text,
    sealed bytea,
    state text not null check (state in ('QUEUED', 'ACCEPTED', 'BOUNCED', 'DROPPED')),
    attempts integer not null,
    last_error text check (last_error ~ '^[A-Z0-9][A-Z0-9_. ]{0,39}$'),
    created_at timestamptz not null,
    ended_at timestamptz,
    constraint mails_notice check ((due_at is not null) = (kind in ('REMINDER', 'CONFIRMATION', 'DELIVERED'))),
    constraint mails_sealed_while_needed check ((sealed is not null) = (state = 'QUEUED' and due_at is null)),
    constraint mails_sealed_by_key check ((sealed is null) = (key_id is null)),
    constraint mails_ended check ((state = 'QUEUED') = (ended_at is null))
  );
  create index mails_by_link on mails (token_hash, mail_id);
  create index mails_by_state on mails (environment, state);
  create index mails_sealed on mails (mail_id) where key_id is not null;
  create unique index mails_notices on mails (token_hash, kind) where due_at is not null`;
