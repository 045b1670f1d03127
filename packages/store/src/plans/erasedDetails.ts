import type { Database } from '../database/database.ts';
import type { PlanScope } from './planScope.ts';

/** Whether the details of who is to be paid are destroyed, and nobody else was named since. */
export async function isErased(
  database: Database,
  { organisationId, environment }: PlanScope,
  planId: string,
): Promise<boolean> {
  const kept = await database
    .selectFrom('recipients')
    .select('field')
    .where('organisation_id', '=', organisationId)
    .where('environment', '=', environment)
    .where('plan_id', '=', planId)
    .where('field', '=', 'recipient')
    .executeTakeFirst();
  return kept === undefined;
}
