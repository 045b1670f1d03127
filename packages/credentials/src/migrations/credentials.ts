import { sql } from 'kysely';

// A request brings only the user name, so this alone is the key, without the organisation.
/** Organisations and their credentials. */
export const credentials = sql`
  create table organisations (
    id text primary key,
    name text not null unique,
    created_at timestamptz not null
  );
  create table credentials (
    id text primary key,
    organisation_id text not null references organisations,
    environment text not null,
    permissions text[] not null,
    secret_hash bytea not null,
    previous_secret_hash bytea,
    previous_valid_until timestamptz,
    expires_at timestamptz,
    revoked_at timestamptz,
    created_at timestamptz not null,
    constraint credentials_previous_secret check ((previous_secret_hash is null) = (previous_valid_until is null))
  );
  create index credentials_by_organisation on credentials (organisation_id, id)`;
