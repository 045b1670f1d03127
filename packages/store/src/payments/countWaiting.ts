import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { PlanScope } from '../plans/planScope.ts';

/** How many plans of an organisation wait for their first money; `most` where there are more. */
export async function countWaiting(
  database: Database,
  { organisationId, environment }: PlanScope,
  most: number,
): Promise<{ readonly count: number }> {
  const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from (
        select from plans p
        where p.organisation_id = ${organisationId} and p.environment = ${environment} and p.is_unfunded
        limit ${most}) as waiting`.execute(database);
  return { count: rows[0]?.count ?? 0 };
}
