import { type RawBuilder, sql } from 'kysely';

const ofPlans = sql`
  create table recipients (
    organisation_id text collate "C" not null,
    environment text collate "C" not null,
    plan_id text collate "C" not null,
    field text collate "C" not null check (field in ('recipient', 'destination')),
    key_id text not null,
    sealed bytea not null,
    primary key (organisation_id, environment, plan_id, field),
    foreign key (organisation_id, environment, plan_id) references plans
  );
  create index recipients_by_key on recipients (key_id)`;

// `standing_version`: the version that was in force before the present one, while that waits for a second person.
const registered = sql`
  create table registered_recipients (
    organisation_id text collate "C" not null references organisations,
    environment text collate "C" not null check (environment in ('sandbox', 'production')),
    recipient_id text collate "C" not null,
    client_reference text,
    body_fingerprint bytea,
    status text not null check (status in ('ACTIVE', 'PENDING_APPROVAL', 'REJECTED', 'DEACTIVATED', 'ERASED')),
    type text not null,
    country text,
    label text,
    metadata jsonb not null,
    revision integer not null check (revision >= 1),
    version integer not null check (version >= 1),
    standing_version integer,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    last_used_at timestamptz,
    primary key (organisation_id, environment, recipient_id),
    constraint registered_recipients_client_reference unique (organisation_id, environment, client_reference)
  );
  create index registered_recipients_erased on registered_recipients (recipient_id) where status = 'ERASED'`;

// An erasure destroys what is sealed. `approval`: what was decided about the version, by whom and when.
const versions = sql`
  create table registered_recipient_versions (
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
    approval jsonb,
    key_id text,
    sealed bytea,
    primary key (organisation_id, environment, recipient_id, version),
    constraint registered_recipient_versions_sealed_check check ((sealed is null) = (key_id is null)),
    foreign key (organisation_id, environment, recipient_id) references registered_recipients
  );
  create index registered_recipient_versions_by_key on registered_recipient_versions (key_id);
  create index registered_recipient_versions_by_details
    on registered_recipient_versions (organisation_id, environment, fingerprint);
  create index registered_recipient_versions_by_address on registered_recipient_versions
    (organisation_id, environment, substr(address, 1, 6), right(address, 4)) where address is not null`;

const reveals = sql`
  create table registered_recipient_reveals (
    organisation_id text collate "C" not null,
    environment text collate "C" not null,
    recipient_id text collate "C" not null,
    version integer not null,
    revealed_at timestamptz not null,
    revealed_by text not null,
    foreign key (organisation_id, environment, recipient_id, version) references registered_recipient_versions
  );
  create index registered_recipient_reveals_by_recipient
    on registered_recipient_reveals (organisation_id, environment, recipient_id, version)`;

/**
 * The sealed details of the recipients of plans; and recipients that organisations keep under an id, with every version of their
 * details. A version's details are sealed, and its mask and fingerprint stand beside them; the address of a wallet is public.
 * `registered_recipient_reveals` says who saw which version.
 */
export const recipients: RawBuilder<unknown> = sql.join([ofPlans, registered, versions, reveals], sql`;`);
