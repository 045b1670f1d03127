import { sql } from 'kysely';

/**
 * Holds the check values of sealing keys, and the keys that a sealing key has wrapped. The first byte of a fingerprint is the version of the wrapped key that made it.
 */
export const keys = sql`
  create table sealing_keys (
    key_id text collate "C" primary key,
    check_value bytea not null check (length(check_value) = 16),
    created_at timestamptz not null default now()
  );
  create table wrapped_keys (
    name text collate "C" primary key,
    version smallint not null check (version between 1 and 255),
    key_id text collate "C" not null,
    sealed bytea not null,
    created_at timestamptz not null default now()
  )`;
