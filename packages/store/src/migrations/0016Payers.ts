import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Finds the plans whose deposit came from an account: what the custodian sends there may be their refund. */
export const payers: Migration = {
  async up(database: Kysely<unknown>) {
    await sql`create index movements_payer on movements (environment, chain_id, from_address)
      where kind = 'DEPOSIT'`.execute(database);
  },
};
