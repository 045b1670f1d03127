import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * `hold`: that the custodian holds the payment of a step back, why, and what it needs; null where it does not. An older process
 * neither shows a hold nor heeds it: it closes such a plan without `force`. What it writes leaves the column as it was, so a hold is
 * passed over once its payment is made or has ended (`withStandingHold`), and the next change of the step empties the column.
 */
export const holds: Migration = {
  async up(database: Kysely<unknown>) {
    await sql`alter table plan_steps add column hold jsonb`.execute(database);
  },
};
