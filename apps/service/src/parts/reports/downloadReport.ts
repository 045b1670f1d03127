import { createHash } from 'node:crypto';
import type { PlanScope, Report } from '@fairway/store';
import { done, type Outcome, refuse } from '@fairway/api';
import { findReport } from './orderReport.ts';
import { rowsOf } from './readRows.ts';
import { reconciledThen, withoutReconciliation } from './reconciledRows.ts';
import { reportFile } from './reportFile.ts';
import type { ReportParts } from './reportParts.ts';
import type { ReadRows } from './reportRow.ts';
import { tokenNames } from './movementCells.ts';
import { createTotals } from './totals.ts';
import { payoutStatementFrame } from './payoutStatementFrame.ts';

/** A report with a file. */
export type CompleteReport = Extract<Report, { status: 'COMPLETE' }>;

/** The report of an id, if it has a file. */
export async function findComplete(
  parts: ReportParts,
  scope: PlanScope,
  reportId: string,
): Promise<Outcome<CompleteReport>> {
  const found = await findReport(parts, scope, reportId);
  if (!found.ok) return found;
  const report = found.value;
  if (report.status === 'COMPLETE') return done(report);
  const detail =
    report.status === 'PENDING'
      ? 'The report is PENDING; read it until it is COMPLETE, and download it then.'
      : `The report has FAILED: ${report.failure.detail}`;
  return refuse({ code: 'report-not-ready', detail });
}

/**
 * Writes the file of a report anew. Its last part is held back until the whole is known to equal what was written
 * when the report was made. A file that differs ends early and with an error; only a bug or another version can cause
 * that. `turn`: runs a reading when it is its turn.
 */
export async function* downloadReport(
  { reports }: ReportParts,
  scope: PlanScope,
  report: CompleteReport,
  turn: (work: ReadRows) => ReadRows,
): AsyncGenerator<Buffer> {
  const { sha256, tokens, statement, reconciled: kept } = report.result;
  const reconciled = kept && reconciledThen(reports, scope, report, kept);
  const read = turn(
    rowsOf(reports, scope, report, { tokens, statement, reconciled, partRows: kept?.partRows }),
  );
  const shown = kept === undefined ? withoutReconciliation(report) : report;
  const frame = statement && payoutStatementFrame(scope, report, statement);
  const hash = createHash('sha256');
  let held: Buffer | undefined;
  const totals = createTotals(tokenNames(tokens));
  for await (const part of reportFile(shown, read, totals, frame)) {
    if (part.length === 0) continue;
    if (held !== undefined) yield held;
    held = part;
    hash.update(held);
  }
  if (hash.digest('hex') !== sha256)
    throw new Error(`The file of ${report.reportId} is no longer what it was when the report was made.`);
  if (held !== undefined) yield held;
}
