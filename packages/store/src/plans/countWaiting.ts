import { attempt, type Unavailable } from '@fairway/postgres';
import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { PlanScope } from './planScope.ts';

/** How many plans of an organisation wait for their first money; `most` where there are more. */
export function countWaiting(
  database: Database,
  { organisationId, environment }: PlanScope,
  most: number,
): Promise<{ readonly ok: true; readonly count: number } | Unavailable> {
  return attempt(async () => {
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from (
        select from plans p
        where p.organisation_id = ${organisationId} and p.environment = ${environment} and p.status = 'PENDING'
        limit ${most}) as waiting`.execute(database);
    return { ok: true, count: rows[0]?.count ?? 0 };
  });
}
