import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Recipients that organisations keep under an id, with every version of their details. A version's details are sealed, and its mask
 * and fingerprint stand beside them; the address of a wallet is public. `saved_recipient_reveals` says who saw which version.
 * Plans are found by the saved recipient and by the ends of the wallet that they pay: an operator may have built these two indexes
 * before, while plans were written (docs/operating.md).
 */
export const savedRecipients: Migration = {
  async up(database: Kysely<unknown>) {
    await sql`
      create table saved_recipients (
        organisation_id text collate "C" not null references organisations (id),
        environment text collate "C" not null check (environment in ('sandbox', 'production')),
        recipient_id text collate "C" not null,
        client_reference text,
        body_fingerprint bytea,
        status text not null check (status in ('ACTIVE', 'DEACTIVATED')),
        type text not null,
        country text,
        label text,
        metadata jsonb not null,
        revision integer not null check (revision >= 1),
        version integer not null check (version >= 1),
        created_at timestamptz not null,
        updated_at timestamptz not null,
        last_used_at timestamptz,
        primary key (organisation_id, environment, recipient_id),
        constraint saved_recipients_client_reference unique (organisation_id, environment, client_reference)
      );
      create table saved_recipient_versions (
        organisation_id text collate "C" not null,
        environment text collate "C" not null,
        recipient_id text collate "C" not null,
        version integer not null check (version >= 1),
        made_at timestamptz not null,
        made_by text not null,
        masked jsonb not null,
        fingerprint bytea not null,
        address text check (address = lower(address)),
        verification jsonb,
        key_id text not null,
        sealed bytea not null,
        primary key (organisation_id, environment, recipient_id, version),
        foreign key (organisation_id, environment, recipient_id) references saved_recipients
      );
      create index saved_recipient_versions_by_key on saved_recipient_versions (key_id);
      create index saved_recipient_versions_by_details
        on saved_recipient_versions (organisation_id, environment, fingerprint);
      create index saved_recipient_versions_by_address on saved_recipient_versions
        (organisation_id, environment, substr(address, 1, 6), right(address, 4)) where address is not null;
      create table saved_recipient_reveals (
        organisation_id text collate "C" not null,
        environment text collate "C" not null,
        recipient_id text collate "C" not null,
        version integer not null,
        revealed_at timestamptz not null,
        revealed_by text not null,
        foreign key (organisation_id, environment, recipient_id, version) references saved_recipient_versions
      );
      create index saved_recipient_reveals_by_recipient
        on saved_recipient_reveals (organisation_id, environment, recipient_id, version);
      create index if not exists plans_by_saved_recipient
        on plans (organisation_id, environment, (recipient -> 'savedAs' ->> 'recipientId'), plan_id)
        where recipient -> 'savedAs' is not null;
      create index if not exists plans_by_wallet on plans
        (organisation_id, environment, substr(recipient ->> 'address', 1, 6), right(recipient ->> 'address', 4))
        where recipient ->> 'address' is not null;`.execute(database);
  },
};
