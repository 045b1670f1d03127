import { sql } from 'kysely';

/** When backups were put back. Each begins an epoch of events. */
export const recoveries = sql`
  create table recoveries (
    epoch bigint primary key,
    since timestamptz not null unique,
    marked_at timestamptz not null
  )`;
