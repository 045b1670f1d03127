import type { TimeMs } from '@fairway/plan';
import { addJob, recordset } from '@fairway/postgres';
import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { Row, RowChange } from '../database/schema.ts';
import { type PublishedEvent, writePublishedEvents } from '@fairway/outbox';
import { REPORT_TASK, reportJobKey } from './reportTask.ts';
import type { CommandContext } from '../plans/commandContext.ts';
import type { PlanScope } from '../plans/planScope.ts';
import { forgetOtherMakings } from './keptReconciliation.ts';
import type { Report, ReportAsk, ReportFailure, ReportResult } from './report.ts';
import { isReport, loadReports } from './reportRows.ts';

/** Makes the published events about a report, which is given as it is after a change. */
export type PublishedEventsOfReport = (report: Report) => readonly PublishedEvent[];

/** What operations on reports work with. */
export type ReportParts = {
  readonly database: Database;
  readonly publishedEventsOfReport: PublishedEventsOfReport;
};

/**
 * A new report. `delayMs`: how long its job waits, by the database's wall clock. `mostPending`: how many of the scope may be PENDING,
 * this one included; of requests at the same time some more may pass.
 */
export type NewReport = {
  readonly reportId: string;
  readonly ask: ReportAsk;
  readonly delayMs: number;
  readonly mostPending: number;
};

/** The report, or that it would be one too many. */
export type CreatedReport =
  | { readonly ok: true; readonly report: Report }
  | { readonly ok: false; readonly reason: 'TOO_MANY' };

/** Keeps a report that is to be made, with its job and its event, in one transaction. */
export async function createReport(
  { database, publishedEventsOfReport }: ReportParts,
  scope: PlanScope,
  { reportId, ask, delayMs, mostPending }: NewReport,
  { actor, atMs }: CommandContext,
): Promise<CreatedReport> {
  return database.transaction().execute(async (transaction): Promise<CreatedReport> => {
    const { organisationId, environment } = scope;
    const pending = await transaction
      .selectFrom('reports')
      .select('report_id')
      .where((eb) => eb.and({ organisation_id: organisationId, environment, status: 'PENDING' }))
      .limit(mostPending)
      .execute();
    if (pending.length >= mostPending) return { ok: false, reason: 'TOO_MANY' };
    const at = new Date(atMs).toISOString();
    const { type, format, fromMs, toMs, ...definition } = ask;
    const row = {
      organisation_id: organisationId,
      environment,
      report_id: reportId,
      ...{ type, format, definition, status: 'PENDING', tries: 0 },
      period_from: new Date(fromMs).toISOString(),
      period_to: new Date(toMs).toISOString(),
      ...{ made_by: actor, created_at: at, updated_at: at },
    };
    const payload = { ...scope, reportId };
    // Reports are made one at a time: the first of an organisation comes before the second of any other.
    const job = addJob({
      task: REPORT_TASK,
      key: reportJobKey(reportId),
      payload,
      delayMs,
      priority: pending.length,
    });
    await sql`with made as (insert into reports select * from ${recordset('reports', [row])})
        select ${job}`.execute(transaction);
    return {
      ok: true,
      report: await writeReportEvent(transaction, publishedEventsOfReport, scope, reportId, atMs),
    };
  });
}

function pendingReport(
  { organisationId, environment }: PlanScope,
  reportId: string,
): Pick<Row<'reports'>, 'organisation_id' | 'environment' | 'report_id' | 'status'> {
  return { organisation_id: organisationId, environment, report_id: reportId, status: 'PENDING' };
}

/**
 * Notes that a report is begun, and returns how often it was begun. Undefined when it is not PENDING, or not in the
 * scope.
 */
export async function beginReport(
  { database }: ReportParts,
  scope: PlanScope,
  reportId: string,
): Promise<{ readonly tries: number | undefined }> {
  const row = await database
    .updateTable('reports')
    .set((eb) => ({ tries: eb('tries', '+', 1) }))
    .where((eb) => eb.and(pendingReport(scope, reportId)))
    .returning('tries')
    .executeTakeFirst();
  return { tries: row?.tries };
}

/** How the making of a report came to an end. */
export type ReportEnd = { readonly result: ReportResult } | { readonly failure: ReportFailure };

/** Ends a report with its event. One that another process has ended before stays as it is. */
export async function endReport(
  { database, publishedEventsOfReport }: ReportParts,
  scope: PlanScope,
  reportId: string,
  end: ReportEnd,
  atMs: TimeMs,
): Promise<void> {
  const ended: RowChange<'reports'> =
    'result' in end
      ? { status: 'COMPLETE', result: JSON.stringify(end.result) }
      : { status: 'FAILED', failure: JSON.stringify(end.failure) };
  return database.transaction().execute(async (transaction) => {
    const rows = await transaction
      .updateTable('reports')
      .set({ ...ended, updated_at: new Date(atMs) })
      .where((eb) => eb.and(pendingReport(scope, reportId)))
      .returning('report_id')
      .execute();
    await forgetOtherMakings(transaction, scope, reportId);
    if (rows.length > 0) await writeReportEvent(transaction, publishedEventsOfReport, scope, reportId, atMs);
  });
}

/** Reads a report that was just written, and keeps its published events. */
async function writeReportEvent(
  transaction: Database,
  publishedEventsOfReport: PublishedEventsOfReport,
  scope: PlanScope,
  reportId: string,
  atMs: TimeMs,
): Promise<Report> {
  const [report] = await loadReports(transaction, isReport(scope, reportId));
  if (report === undefined) throw new Error('A report must be there once it was written.');
  await writePublishedEvents(transaction, scope, publishedEventsOfReport(report), atMs);
  return report;
}
