import type { ReportAsk, ReportedMovement, ReportPlace, TokenName } from '@fairway/store';
import { MOVEMENT_COLUMNS, type MovementColumn } from '@fairway/wire';
import { movementRow, tokenNames } from './movementCells.ts';
import { csvWriter, jsonWriter } from './textWriters.ts';
import type { FileFrame, Writer } from './writer.ts';
import { xlsxWriter } from './xlsxWriter.ts';

/** How many rows are read and written at once. The thread serves other requests between two parts. */
export const PART_ROWS = 100;

/** Reads the part of a report's movements behind a place; throws where the database is away. */
export type ReadPart = (after: ReportPlace | undefined) => Promise<{
  readonly movements: readonly ReportedMovement[];
  readonly next: ReportPlace | undefined;
}>;

/** Writes the file of a report in parts, each of which is read when the one before was taken. */
export async function* reportFile(
  { type, format, columns: asked, timezone, toMs }: Omit<ReportAsk, 'fromMs' | 'filter'>,
  tokens: readonly TokenName[],
  read: ReadPart,
): AsyncGenerator<Buffer> {
  const columns = asked.filter(isMovementColumn);
  const rowOf = movementRow(columns, timezone, tokenNames(tokens));
  const writer = WRITERS[format]({ title: type, columns, toMs });
  yield writer.begin();
  let after: ReportPlace | undefined;
  do {
    const { movements, next } = await read(after);
    if (movements.length > 0) yield writer.rows(movements.map(rowOf));
    after = next;
  } while (after !== undefined);
  yield writer.end();
}

const COLUMN_NAMES: ReadonlySet<string> = new Set(MOVEMENT_COLUMNS);

function isMovementColumn(name: string): name is MovementColumn {
  return COLUMN_NAMES.has(name);
}

const WRITERS: Readonly<Record<ReportAsk['format'], (frame: FileFrame) => Writer>> = {
  csv: csvWriter,
  json: jsonWriter,
  xlsx: xlsxWriter,
};
