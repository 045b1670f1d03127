import { attempt, type Unavailable } from '@fairway/postgres';
import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { PlanScope } from '../plans/planScope.ts';

/** Whether a scope has a plan of a corridor: one look at the index of the lists by corridor. */
export function hasPlansOf(
  database: Database,
  { organisationId, environment }: PlanScope,
  corridorId: string,
): Promise<{ readonly ok: true; readonly hasPlans: boolean } | Unavailable> {
  return attempt(async () => {
    const { rows } = await sql<{ has_plans: boolean }>`
      select exists (
        select from plans p where p.organisation_id = ${organisationId} and p.environment = ${environment}
          and p.corridor_id = ${corridorId}
      ) as has_plans`.execute(database);
    return { ok: true, hasPlans: rows[0]?.has_plans === true };
  });
}
