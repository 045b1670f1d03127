import { sql } from 'kysely';

/** Holds the server key, or only its fingerprint where the operator keeps the key. */
export const serverKeys = sql`
  create table server_keys (
    purpose text primary key,
    key bytea,
    fingerprint bytea not null,
    created_at timestamptz not null default now()
  )`;
