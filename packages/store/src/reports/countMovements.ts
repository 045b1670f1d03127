import { attempt, type Unavailable } from '@fairway/postgres';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { PlanScope } from '../plans/planScope.ts';
import type { ReportAsk, ReportFilter } from './report.ts';

/** Which rows are counted. */
export type RowsAsk = Pick<ReportAsk, 'type' | 'fromMs' | 'toMs' | 'filter'>;

/**
 * Counts the movements that would be rows of a report if it were made now, but no further than `most`. Those that no report has had yet
 * are counted in the period in which they would be booked.
 */
export function countMovements(
  database: Database,
  { organisationId, environment }: PlanScope,
  { type, fromMs, toMs, filter }: RowsAsk,
  most: number,
): Promise<{ readonly ok: true; readonly count: number } | Unavailable> {
  const [from, to] = [new Date(fromMs).toISOString(), new Date(toMs).toISOString()];
  const plans =
    filter.corridorId === undefined
      ? sql``
      : sql`join plans p on (p.organisation_id, p.environment, p.plan_id) = (m.organisation_id, m.environment, m.plan_id)`;
  const mine = sql`m.organisation_id = ${organisationId} and m.environment = ${environment}
    ${filtered(type === 'execution-quality' ? { ...filter, kind: 'SWAP_IN' } : filter)}`;
  return attempt(async () => {
    const { rows } = await sql<{ row_count: bigint }>`
      with seal as (
        select max(sealed_to) as sealed_to from ledger_seals
        where organisation_id = ${organisationId} and environment = ${environment}
      )
      select count(*) as row_count from (
        (select from movements m ${plans}
          where ${mine} and m.booked_at >= ${from}::timestamptz and m.booked_at < ${to}::timestamptz limit ${most})
        union all
        (select from movements m ${plans} cross join seal
          where ${mine} and m.booked_at is null and m.recorded_at < ${to}::timestamptz
            and greatest(m.recorded_at, seal.sealed_to) >= ${from}::timestamptz
            and greatest(m.recorded_at, seal.sealed_to) < ${to}::timestamptz limit ${most})
        limit ${most}
      ) found`.execute(database);
    const rowCount = rows[0]?.row_count ?? 0n;
    return { ok: true, count: Number(rowCount) };
  });
}

/** What a filter asks of `m`, a movement, and `p`, its plan: to be added to a condition. */
export function filtered({ corridorId, kind }: ReportFilter): RawBuilder<unknown> {
  const ofCorridor = corridorId === undefined ? sql`` : sql`and p.corridor_id = ${corridorId}`;
  return kind === undefined ? ofCorridor : sql`${ofCorridor} and m.kind = ${kind}`;
}
