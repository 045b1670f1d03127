import { createHash } from 'node:crypto';
import { defined } from '@fairway/values';
import type { PlanScope, Report, ReportEnd, TokenName } from '@fairway/store';
import { tokenNames } from './movementCells.ts';
import { mostRowsOf, tooManyRows } from './mostRows.ts';
import { PART_ROWS, rowsOf } from './readRows.ts';
import { reconciledNow, showsReconciliation } from './reconciledRows.ts';
import { reportFile } from './reportFile.ts';
import type { ReportParts } from './reportParts.ts';
import type { ReadRows } from './reportRow.ts';
import { createTotals, tokenKey } from './totals.ts';
import { payoutStatementFrame } from './payoutStatementFrame.ts';
import { payoutStatementHead } from './payoutStatementHead.ts';

/**
 * How long after its period a report waits. A row that a process recorded in the period is committed by then. If the
 * process was stopped before, the row is in the next period.
 */
export const SETTLE_MS = 5_000;
/** How many movements are booked in one transaction. */
const BOOKED_AT_ONCE = 2_000;
/** How often a report is begun before it is given up. Between two tries is as much time as between those of every job. */
const MOST_TRIES = 20;

/**
 * Makes a report that is PENDING, or answers in how many milliseconds it is due. May be repeated, also at the same time in another
 * process: the same comes of it. Throws where the database is away.
 */
export async function makeReport(
  parts: ReportParts,
  scope: PlanScope,
  reportId: string,
): Promise<number | undefined> {
  const { reports } = parts;
  const { found } = await reports.load(scope, reportId);
  if (found === undefined || found.status !== 'PENDING') return undefined;
  const waitMs = found.toMs + SETTLE_MS - parts.nowMs();
  if (waitMs > 0) return waitMs;
  const { tries } = await reports.begin(scope, reportId);
  if (tries === undefined) return undefined;
  const end = tries > MOST_TRIES ? { failure: GAVE_UP } : await endOf(parts, scope, found, tries);
  await reports.end(scope, reportId, end, parts.nowMs());
  return undefined;
}

const GAVE_UP = {
  code: 'GAVE_UP',
  detail: `The report was begun ${MOST_TRIES} times and never finished. Ask for it again; if that fails, too, tell the operator, whose log says why.`,
} as const;

async function endOf(
  parts: ReportParts,
  scope: PlanScope,
  report: Report,
  making: number,
): Promise<ReportEnd> {
  const { reports, environment } = parts;
  const { tokens } = await reports.nameTokens(environment, parts.tokenNames());
  while (!(await reports.bookMovements(scope, report.toMs, BOOKED_AT_ONCE)).isSealed);
  const most = mostRowsOf(report);
  // Rows may have come since the request was accepted.
  if (most !== undefined && (await reports.countRows(scope, report, most + 1)).count > most)
    return { failure: { code: 'TOO_MANY_ROWS', detail: tooManyRows(report, most) } };
  const statement =
    report.format === 'camt.053' ? await payoutStatementHead(reports, scope, report) : undefined;
  if (statement !== undefined && 'detail' in statement)
    return { failure: { code: 'FORMAT_NOT_SUPPORTED', detail: statement.detail } };
  const totals = createTotals(tokenNames(tokens));
  const kept = showsReconciliation(report) ? { making, partRows: PART_ROWS } : undefined;
  const reconciled = kept && reconciledNow(reports, scope, report, kept);
  const read = rowsOf(reports, scope, report, { tokens, statement: statement?.head, reconciled });
  const shown = columnsShown(report);
  const file = reportFile(
    report,
    shown.noting(read),
    totals,
    statement && payoutStatementFrame(scope, report, statement.head),
  );
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const part of file) {
    hash.update(part);
    bytes += part.length;
  }
  const used = tokensOf(totals.seen(), tokens);
  const sha256 = hash.digest('hex');
  const emptyColumns = shown.empty();
  const told = defined({ statement: statement?.head, reconciled: kept, emptyColumns });
  return { result: { ...totals.end(), bytes, sha256, tokens: used, ...told } };
}

/** Notes which columns of metadata the rows of a report have something in. A name that no plan has may be misspelt. */
function columnsShown({ columns }: Report) {
  const missing = new Set(columns.filter((column) => column.startsWith('metadata.')));
  let rowCount = 0;
  return {
    noting:
      (read: ReadRows): ReadRows =>
      async (after) => {
        const part = await read(after);
        rowCount += part.rows.length;
        if (missing.size > 0)
          for (const { cells } of part.rows)
            for (const name of missing) if (Object.hasOwn(cells, name)) missing.delete(name);
        return part;
      },
    empty: () => (missing.size === 0 || rowCount === 0 ? undefined : [...missing]),
  };
}

/** The names of the tokens that a report shows. */
function tokensOf(seen: ReadonlySet<string>, tokens: readonly TokenName[]): readonly TokenName[] {
  return tokens.filter((token) => seen.has(tokenKey(token)));
}
