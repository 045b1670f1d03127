import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { PlanScope } from '../plans/planScope.ts';

/** Whether a scope has a plan of a corridor. The index of plans by corridor answers this at one look. */
export async function hasPlansOf(
  database: Database,
  { organisationId, environment }: PlanScope,
  corridorId: string,
): Promise<{ readonly hasPlans: boolean }> {
  const { rows } = await sql<{ has_plans: boolean }>`
      select exists (
        select from plans p where p.organisation_id = ${organisationId} and p.environment = ${environment}
          and p.corridor_id = ${corridorId}
      ) as has_plans`.execute(database);
  return { hasPlans: rows[0]?.has_plans === true };
}
