import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Check values of sealing keys, and keys that are stored wrapped by one. Fingerprints under the key that lies in
 * `server_keys` have 32 bytes; those under the wrapped key begin with its version and have 33. The former version of
 * the service neither reads nor writes the tables, and keeps fingerprints of 32 bytes.
 */
export const keys: Migration = {
  async up(database: Kysely<unknown>) {
    for (const statement of [sealingKeys, wrappedKeys, unguarded]) await statement.execute(database);
  },
};

const sealingKeys = sql`
  create table sealing_keys (
    key_id text collate "C" primary key,
    check_value bytea not null check (length(check_value) = 16),
    created_at timestamptz not null default now()
  )`;

const wrappedKeys = sql`
  create table wrapped_keys (
    name text collate "C" primary key,
    version smallint not null check (version between 2 and 255),
    key_id text collate "C" not null,
    sealed bytea not null,
    created_at timestamptz not null default now()
  )`;

// Empty once reseal is done, so that looking for what is left costs nothing.
const unguarded = sql`
  create index plans_unguarded_fingerprint on plans (plan_id) where length(body_fingerprint) = 32`;
