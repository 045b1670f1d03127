import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** `approval`: who made a payment that a second person has to approve, and who has; null where it needs no approval. */
export const paymentApproval: Migration = {
  async up(database: Kysely<unknown>) {
    await sql`
      alter table plans add column approval jsonb;
      create index plans_to_approve on plans (organisation_id, environment, plan_id)
        where approval is not null and approval -> 'approved' is null and ended is null;`.execute(database);
  },
};
