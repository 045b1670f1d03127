import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { PlanScope } from '../plans/planScope.ts';
import type { ReportAsk, ReportFilter } from './report.ts';

/** Which rows are counted. */
export type RowsAsk = Pick<ReportAsk, 'type' | 'fromMs' | 'toMs' | 'filter'>;

/**
 * Counts the rows that a report would have if it were made now, but no further than `most`. Those that no report has had yet
 * are counted in the period in which they would be booked.
 */
export async function countMovements(
  database: Database,
  { organisationId, environment }: PlanScope,
  { type, fromMs, toMs, filter }: RowsAsk,
  most: number,
): Promise<{ readonly count: number }> {
  const [from, to] = [new Date(fromMs).toISOString(), new Date(toMs).toISOString()];
  const mine = sql`m.organisation_id = ${organisationId} and m.environment = ${environment}
    ${filtered(type === 'execution-quality' ? { ...filter, kind: 'SWAP_IN' } : filter)}`;
  // A report of plans looks at all movements, because many are of one plan.
  const [counted, mostRead] = type === 'plans' ? [sql`distinct plan_id`, null] : [sql`plan_id`, most];
  const { rows } = await sql<{ row_count: bigint }>`
      with seal as (
        select max(sealed_to) as sealed_to from ledger_seals
        where organisation_id = ${organisationId} and environment = ${environment}
      )
      select count(*) as row_count from (select ${counted} from (
        (select m.plan_id, m.seq from movements m
          where ${mine} and m.booked_at >= ${from}::timestamptz and m.booked_at < ${to}::timestamptz limit ${mostRead})
        union all
        (select m.plan_id, m.seq from movements m cross join seal
          where ${mine} and m.booked_at is null and m.recorded_at < ${to}::timestamptz
            and greatest(m.recorded_at, seal.sealed_to) >= ${from}::timestamptz
            and greatest(m.recorded_at, seal.sealed_to) < ${to}::timestamptz limit ${mostRead})
      ) found limit ${most}) counted`.execute(database);
  const rowCount = rows[0]?.row_count ?? 0n;
  return { count: Number(rowCount) };
}

/** What a filter asks of `m`, a movement: to be added to a condition. */
export function filtered({ corridorId, kind }: ReportFilter): RawBuilder<unknown> {
  const ofCorridor = corridorId === undefined ? sql`` : sql`and m.corridor_id = ${corridorId}`;
  return kind === undefined ? ofCorridor : sql`${ofCorridor} and m.kind = ${kind}`;
}
