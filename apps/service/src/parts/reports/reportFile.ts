import type { ReportAsk, ReportPlace } from '@fairway/store';
import { METADATA_COLUMN_PATTERN, NAMEABLE_COLUMNS } from '@fairway/wire';
import { camtWriter } from './camtWriter.ts';
import type { ReadRows, ReportRow } from './reportRow.ts';
import type { PayoutStatementFrame } from './payoutStatementFrame.ts';
import { csvWriter, jsonWriter } from './textWriters.ts';
import type { Totals } from './totals.ts';
import type { FileFrame, Writer } from './writer.ts';
import { xlsxWriter } from './xlsxWriter.ts';

/** What of a report says how its file is written. */
type WrittenReport = Pick<ReportAsk, 'type' | 'format' | 'columns' | 'toMs' | 'byteOrderMark'>;

/**
 * Writes the file of a report in parts, each of which is read when the one before was taken. The rows are added to the
 * totals. `statement`: of camt.053.
 */
export async function* reportFile(
  report: WrittenReport,
  read: ReadRows,
  totals: Totals,
  statement?: PayoutStatementFrame,
): AsyncGenerator<Buffer> {
  const writer = statement === undefined ? cellsWriter(report) : entriesWriter(statement);
  yield writer.begin();
  let after: ReportPlace | undefined;
  do {
    const { rows, next } = await read(after);
    for (const row of rows) totals.add(row);
    if (rows.length > 0) yield writer.rows(rows);
    after = next;
  } while (after !== undefined);
  yield writer.end(totals);
}

/** Writes rows by what they have for a format. */
type RowsWriter = {
  begin(): Buffer;
  rows(rows: readonly ReportRow[]): Buffer;
  end(totals: Totals): Buffer;
};

const METADATA_COLUMN = new RegExp(METADATA_COLUMN_PATTERN, 'u');

/** Writes rows by their cells. */
function cellsWriter({ type, format, columns: asked, toMs, byteOrderMark }: WrittenReport): RowsWriter {
  if (format === 'camt.053') throw new Error('A statement must be written with its frame.');
  const columns = asked.filter((name) => NAMEABLE_COLUMNS[type].includes(name) || METADATA_COLUMN.test(name));
  const writer = WRITERS[format]({ title: type, columns, toMs, byteOrderMark });
  const cellsOf = (rows: readonly ReportRow[]) =>
    rows.map(({ cells }) => columns.map((column) => cells[column] ?? null));
  return {
    begin: writer.begin,
    rows: (rows) => writer.rows(cellsOf(rows)),
    end: (totals) => writer.end(totals.table()),
  };
}

/** Writes rows by their entries. */
function entriesWriter(statement: PayoutStatementFrame): RowsWriter {
  const { begin, entries, end } = camtWriter(statement);
  return { begin, rows: (rows) => entries(rows.flatMap(({ entry }) => entry ?? [])), end };
}

const WRITERS: Readonly<Record<Exclude<ReportAsk['format'], 'camt.053'>, (frame: FileFrame) => Writer>> = {
  csv: csvWriter,
  json: jsonWriter,
  xlsx: xlsxWriter,
};
