import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { PlanScope } from '../plans/planScope.ts';

/**
 * Begins the reconciliation of an organisation, unless it has begun, by its row of `reconciliation_books`. That table
 * has nothing to do with when a bank or a report has booked something. From its commit on, payments that are told
 * have a job which matches them.
 */
export async function beginReconciliation(
  database: Database,
  { organisationId, environment }: PlanScope,
): Promise<void> {
  await sql`insert into reconciliation_books (organisation_id, environment)
    values (${organisationId}, ${environment}) on conflict do nothing`.execute(database);
}

/**
 * Locks the statements and entries of an organisation until the transaction ends: only one process matches at a time.
 */
export async function lockReconciliation(transaction: Database, scope: PlanScope): Promise<void> {
  await beginReconciliation(transaction, scope);
  const { organisationId, environment } = scope;
  await sql`select from reconciliation_books
    where organisation_id = ${organisationId} and environment = ${environment} for update`.execute(
    transaction,
  );
}
