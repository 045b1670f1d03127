import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * What a restore needs: from which block a chain is read again, and when a backup was put back.
 */
const recoveries = sql`
  alter table chain_records add column reread_from bigint;
  create table recoveries (
    epoch bigint primary key,
    since timestamptz not null unique,
    marked_at timestamptz not null
  )`;

/**
 * Finds a plan by the first six bytes of the tags of its attempts, also of attempts that a restored database has lost. An
 * operator may have built the index before, while plans were written (docs/operating.md).
 */
export const planTags: Migration = {
  async up(database: Kysely<unknown>) {
    await sql`
      create index if not exists plans_by_tag on plans
        (environment, substr(sha256(('fairway plan ' || plan_id)::bytea), 1, 6))`.execute(database);
    await recoveries.execute(database);
  },
};
