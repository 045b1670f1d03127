import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { PlanScope } from '../plans/planScope.ts';
import type { Report, ReportAsk, ReportFailure, ReportResult } from './report.ts';

type Definition = Pick<ReportAsk, 'timezone' | 'columns' | 'filter'>;

type ReportRow = {
  report_id: string;
  type: ReportAsk['type'];
  format: ReportAsk['format'];
  period_from: Date;
  period_to: Date;
  definition: Definition;
  status: Report['status'];
  result: ReportResult | null;
  failure: ReportFailure | null;
  made_by: string;
  created_at: Date;
  updated_at: Date;
};

/** Loads reports by one query. `condition` is about `r`, a row of them, and may end with an order, a limit or a lock. */
export async function loadReports(database: Database, condition: RawBuilder<unknown>): Promise<Report[]> {
  const { rows } = await sql<ReportRow>`
    select r.report_id, r.type, r.format, r.period_from, r.period_to, r.definition, r.status, r.result, r.failure,
      r.made_by, r.created_at, r.updated_at
    from reports r where ${condition}`.execute(database);
  return rows.map(reportOf);
}

/** The condition that `r` is this report. */
export function isReport({ organisationId, environment }: PlanScope, reportId: string): RawBuilder<unknown> {
  return sql`r.organisation_id = ${organisationId} and r.environment = ${environment} and r.report_id = ${reportId}`;
}

function reportOf(row: ReportRow): Report {
  const common = {
    reportId: row.report_id,
    type: row.type,
    format: row.format,
    fromMs: row.period_from.getTime(),
    toMs: row.period_to.getTime(),
    ...row.definition,
    madeBy: row.made_by,
    createdAtMs: row.created_at.getTime(),
    updatedAtMs: row.updated_at.getTime(),
  };
  if (row.result !== null) return { ...common, status: 'COMPLETE', result: row.result };
  if (row.failure !== null) return { ...common, status: 'FAILED', failure: row.failure };
  return { ...common, status: 'PENDING' };
}
