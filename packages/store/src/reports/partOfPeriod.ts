import { type RawBuilder, sql } from 'kysely';
import type { ReportAsk, ReportPlace } from './report.ts';

/** A part of a period: what was booked in it behind a place, or from its beginning on. */
export type PartOfPeriod = Pick<ReportAsk, 'fromMs' | 'toMs'> & { readonly after?: ReportPlace | undefined };

/** The order of reports, in which parts follow each other, of `m`, a row of movements. */
export const REPORT_ORDER = sql`m.booked_at, m.plan_id, m.seq`;

/** The condition that `m`, a row of movements, is in a part of a period. */
export function isInPart({ fromMs, toMs, after }: PartOfPeriod): RawBuilder<unknown> {
  const begin = new Date(after?.bookedAtMs ?? fromMs).toISOString();
  const behind =
    after === undefined
      ? sql``
      : sql`and (${REPORT_ORDER}) > (${begin}::timestamptz, ${after.planId}, ${after.seq})`;
  return sql`m.booked_at >= ${begin}::timestamptz and m.booked_at < ${new Date(toMs).toISOString()}::timestamptz ${behind}`;
}

/** The place of a row in the order of reports. */
export function placeOf(row: { booked_at: Date; plan_id: string; seq: number }): ReportPlace {
  return { bookedAtMs: row.booked_at.getTime(), planId: row.plan_id, seq: row.seq };
}
