import type { Plan, TimeMs } from '@fairway/plan';
import { attempt, type Unavailable } from '@fairway/postgres';
import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { PlanScope } from '../plans/planScope.ts';

/** So long after a restore was marked, plans that the backup did not have are made again with their deposits. */
const RESTORE_DAYS = '30 days';

/**
 * From when on a deposit may be of a plan although it is older than the plan: since a backup that was put back, where no
 * other plan ever had the deposit address. Undefined where no older deposit can be the plan's.
 */
export function lookBack(
  database: Database,
  { environment }: PlanScope,
  { planId, options, corridor }: Plan,
): Promise<{ ok: true; sinceMs: TimeMs | undefined } | Unavailable> {
  return attempt(async () => {
    const { rows } = await sql<{ since: Date }>`
      select since from recoveries
      where marked_at > clock_timestamp() - ${RESTORE_DAYS}::interval
        and not exists (
          select from plans any_owner
          where any_owner.environment = ${environment} and any_owner.source_chain_id = ${corridor.source.chainId}
            and any_owner.deposit_address = ${options.depositAddress?.toLowerCase() ?? null}
            and any_owner.plan_id <> ${planId})
      order by since limit 1`.execute(database);
    return { ok: true, sinceMs: rows[0]?.since.getTime() };
  });
}
