import type { ReportAsk, ReportPlace } from '@fairway/store';
import { REPORT_COLUMNS } from '@fairway/wire';
import type { ReadRows } from './reportRow.ts';
import { csvWriter, jsonWriter } from './textWriters.ts';
import type { FileFrame, Writer } from './writer.ts';
import { xlsxWriter } from './xlsxWriter.ts';

/** Writes the file of a report in parts, each of which is read when the one before was taken. */
export async function* reportFile(
  { type, format, columns: asked, toMs }: Pick<ReportAsk, 'type' | 'format' | 'columns' | 'toMs'>,
  read: ReadRows,
): AsyncGenerator<Buffer> {
  const columns = asked.filter((name) => REPORT_COLUMNS[type].includes(name));
  const writer = WRITERS[format]({ title: type, columns, toMs });
  yield writer.begin();
  let after: ReportPlace | undefined;
  do {
    const { rows, next } = await read(after);
    if (rows.length > 0)
      yield writer.rows(rows.map(({ cells }) => columns.map((column) => cells[column] ?? null)));
    after = next;
  } while (after !== undefined);
  yield writer.end();
}

const WRITERS: Readonly<Record<ReportAsk['format'], (frame: FileFrame) => Writer>> = {
  csv: csvWriter,
  json: jsonWriter,
  xlsx: xlsxWriter,
};
