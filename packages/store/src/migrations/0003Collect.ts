import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Collecting by a link: the columns of its step, the links, the submissions and the e-mails. */
export const collect: Migration = {
  async up(database: Kysely<unknown>) {
    for (const statement of [steps, recipients, links, mails, codes]) await statement.execute(database);
  },
};

const steps = sql`
  alter table plan_steps
    drop column link_expires_at,
    add column link jsonb,
    add column destination jsonb,
    add column submitted_at timestamptz,
    add column delivery jsonb,
    add column rounds jsonb;
  update plan_steps set rounds = '[]' where type = 'SEND_DIGITAL_COLLECT'`;

const recipients = sql`
  alter table recipients
    add column field text collate "C" not null default 'recipient' check (field in ('recipient', 'destination')),
    drop constraint recipients_pkey,
    add primary key (organisation_id, environment, plan_id, field);
  alter table recipients alter column field drop default`;

// Only the hash of the token is stored, because the token alone opens the link.
const links = sql`
  create table collect_links (
    token_hash bytea primary key check (length(token_hash) = 32),
    organisation_id text collate "C" not null,
    environment text collate "C" not null,
    plan_id text collate "C" not null,
    step_id text collate "C" not null,
    version integer not null check (version >= 1),
    expires_at timestamptz not null,
    state text not null check (state in ('LIVE', 'USED', 'SUPERSEDED', 'CANCELLED', 'EXPIRED')),
    unique (organisation_id, environment, plan_id, step_id, version),
    foreign key (organisation_id, environment, plan_id, step_id) references plan_steps
  );
  create unique index collect_links_live on collect_links (organisation_id, environment, plan_id, step_id)
    where state = 'LIVE'`;

// An e-mail has its sealed personal data and token only while it waits.
const mails = sql`
  create table mails (
    mail_id text collate "C" primary key,
    organisation_id text collate "C" not null,
    environment text collate "C" not null,
    plan_id text collate "C" not null,
    token_hash bytea not null references collect_links,
    kind text not null check (kind in ('LINK_FIRST', 'LINK_REPLACED', 'LINK_REISSUED', 'LINK_REOPENED', 'CODE')),
    message_id text not null,
    expires_at timestamptz not null,
    key_id text,
    sealed bytea,
    state text not null check (state in ('QUEUED', 'ACCEPTED', 'BOUNCED', 'DROPPED')),
    attempts integer not null,
    last_error text check (last_error ~ '^[A-Z0-9][A-Z0-9_. ]{0,39}$'),
    created_at timestamptz not null,
    ended_at timestamptz,
    check ((state = 'QUEUED') = (sealed is not null)),
    check ((sealed is null) = (key_id is null)),
    check ((state = 'QUEUED') = (ended_at is null))
  );
  create index mails_by_link on mails (token_hash, mail_id);
  create index mails_sealed on mails (mail_id) where key_id is not null`;

const codes = sql`
  create table collect_codes (
    token_hash bytea primary key references collect_links,
    organisation_id text collate "C" not null,
    plan_id text collate "C" not null,
    key_id text not null,
    sealed bytea not null,
    code_hash bytea not null check (length(code_hash) = 32),
    code_expires_at timestamptz not null,
    wrong_attempts integer not null,
    link_wrong_attempts integer not null,
    sends integer not null,
    last_sent_at timestamptz not null
  )`;
