import type { ReportAsk, ReportPlace } from '@fairway/store';
import { NAMEABLE_COLUMNS } from '@fairway/wire';
import { camtWriter } from './camtWriter.ts';
import type { ReadRows, ReportRow } from './reportRow.ts';
import type { PayoutStatementFrame } from './payoutStatementFrame.ts';
import { csvWriter, jsonWriter } from './textWriters.ts';
import type { FileFrame, Writer } from './writer.ts';
import { xlsxWriter } from './xlsxWriter.ts';

/** What of a report says how its file is written. */
type WrittenReport = Pick<ReportAsk, 'type' | 'format' | 'columns' | 'toMs'>;

/** Writes the file of a report in parts, each of which is read when the one before was taken. `statement`: of camt.053. */
export async function* reportFile(
  report: WrittenReport,
  read: ReadRows,
  statement?: PayoutStatementFrame,
): AsyncGenerator<Buffer> {
  const writer = statement === undefined ? cellsWriter(report) : entriesWriter(statement);
  yield writer.begin();
  let after: ReportPlace | undefined;
  do {
    const { rows, next } = await read(after);
    if (rows.length > 0) yield writer.rows(rows);
    after = next;
  } while (after !== undefined);
  yield writer.end();
}

/** Writes rows by their cells. */
function cellsWriter({ type, format, columns: asked, toMs }: WrittenReport) {
  if (format === 'camt.053') throw new Error('A statement must be written with its frame.');
  const columns = asked.filter((name) => NAMEABLE_COLUMNS[type].includes(name));
  const { begin, rows: write, end } = WRITERS[format]({ title: type, columns, toMs });
  const rows = (read: readonly ReportRow[]) =>
    write(read.map(({ cells }) => columns.map((column) => cells[column] ?? null)));
  return { begin, rows, end };
}

/** Writes rows by their entries. */
function entriesWriter(statement: PayoutStatementFrame) {
  const { begin, entries, end } = camtWriter(statement);
  const rows = (read: readonly ReportRow[]) => entries(read.flatMap(({ entry }) => entry ?? []));
  return { begin, rows, end };
}

const WRITERS: Readonly<Record<Exclude<ReportAsk['format'], 'camt.053'>, (frame: FileFrame) => Writer>> = {
  csv: csvWriter,
  json: jsonWriter,
  xlsx: xlsxWriter,
};
