// Orders reports and reads their files, as the service does it, by libraries that the service does not use.
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import type { PlanScope, Report, ReportAsk, Store, TokenName } from '@fairway/store';
import { REPORT_COLUMNS } from '@fairway/wire';
import { parse } from 'csv-parse';
import {
  type CompleteReport,
  downloadReport,
  findComplete,
} from '../../../src/parts/reports/downloadReport.ts';
import { makeReport } from '../../../src/parts/reports/makeReport.ts';
import { orderReport } from '../../../src/parts/reports/orderReport.ts';
import type { FileRow } from '../../reportsHarness.ts';
import { ACTOR } from './histories.ts';

/** What is asked for: all columns where none are named. */
export type Ask = Pick<ReportAsk, 'type' | 'format' | 'fromMs' | 'toMs'> &
  Partial<Pick<ReportAsk, 'columns'>>;

/** Where reports are made. */
export type Desk = {
  /** Orders and makes a report. */
  make(scope: PlanScope, ask: Ask): Promise<CompleteReport>;
  /** Reads the file of a report, which has to be the bytes of which it was made. */
  rows(scope: PlanScope, report: CompleteReport): AsyncIterable<FileRow>;
  /** Has the file of a report written once more, which fails where it is another one. */
  again(scope: PlanScope, report: CompleteReport): Promise<void>;
};

/** Makes a desk on the reports of a store. `tokens`: what tokens are called. */
export function createDesk(
  reports: Store['reports'],
  tokens: readonly TokenName[],
  nowMs: () => number,
): Desk {
  const corridors = { find: () => undefined, list: () => [] };
  const organisationName = async () => 'Year';
  const told = { organisationName, tokenNames: () => tokens, nowMs };
  const parts = { environment: 'sandbox', reports, corridors, ...told } as const;
  const file = (scope: PlanScope, report: CompleteReport) =>
    downloadReport(parts, scope, report, (work) => work);
  return {
    async make(scope, ask) {
      const columns = ask.columns ?? REPORT_COLUMNS[ask.type];
      const order = { ...ask, columns, timezone: 'UTC', filter: {} };
      const ordered = await orderReport(parts, { scope, actor: ACTOR }, order);
      assert.ok(ordered.ok, JSON.stringify(ordered));
      const { reportId }: Report = ordered.value;
      assert.equal(await makeReport(parts, scope, reportId), undefined, 'the report is due');
      const found = await findComplete(parts, scope, reportId);
      assert.ok(found.ok, JSON.stringify(found));
      return found.value;
    },
    async *rows(scope, report) {
      if (report.format === 'csv') {
        const stream = Readable.from(file(scope, report)).compose(
          parse({ columns: true, record_delimiter: '\r\n' }),
        );
        for await (const row of stream) yield row as FileRow;
        return;
      }
      const bytes: Buffer[] = [];
      for await (const part of file(scope, report)) bytes.push(part);
      for (const row of JSON.parse(Buffer.concat(bytes).toString()) as Record<string, Cell>[])
        yield Object.fromEntries(Object.entries(row).map(([name, cell]) => [name, cellText(cell)]));
    },
    async again(scope, report) {
      for await (const part of file(scope, report)) assert.ok(part.length > 0);
    },
  };
}

type Cell = string | number | null;

/** A cell of JSON as CSV has it. */
function cellText(cell: Cell): string {
  return cell === null ? '' : String(cell);
}
