import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Which keys seal recipients is asked at each start. An operator may have built the index before, while plans were written
 * (docs/operating.md).
 */
export const recipientKeys: Migration = {
  async up(database: Kysely<unknown>) {
    await sql`create index if not exists recipients_by_key on recipients (key_id)`.execute(database);
  },
};
