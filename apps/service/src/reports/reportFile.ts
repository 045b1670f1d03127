import { stringify } from 'csv-stringify/sync';
import type { ReportAsk, ReportedMovement, ReportPlace, TokenName } from '@fairway/store';
import { MOVEMENT_COLUMNS, type MovementColumn } from '@fairway/wire';
import type { Cell } from './cells.ts';
import { movementRow, tokenNames } from './movementCells.ts';

/** How many rows are read and written at once. The thread serves other requests between two parts. */
export const PART_ROWS = 100;

/** Reads the part of a report's movements behind a place; throws where the database is away. */
export type ReadPart = (after: ReportPlace | undefined) => Promise<{
  readonly movements: readonly ReportedMovement[];
  readonly next: ReportPlace | undefined;
}>;

/** Writes the file of a report in parts, each of which is read when the one before was taken. */
export async function* reportFile(
  { format, columns: asked, timezone }: Pick<ReportAsk, 'format' | 'columns' | 'timezone'>,
  tokens: readonly TokenName[],
  read: ReadPart,
): AsyncGenerator<string> {
  const columns = asked.filter(isMovementColumn);
  const rowOf = movementRow(columns, timezone, tokenNames(tokens));
  const { begin, rows, end } = WRITERS[format](columns);
  yield begin;
  let isFirst = true;
  let after: ReportPlace | undefined;
  do {
    const { movements, next } = await read(after);
    if (movements.length > 0) {
      yield rows(movements.map(rowOf), isFirst);
      isFirst = false;
    }
    after = next;
  } while (after !== undefined);
  yield end;
}

const COLUMN_NAMES: ReadonlySet<string> = new Set(MOVEMENT_COLUMNS);

function isMovementColumn(name: string): name is MovementColumn {
  return COLUMN_NAMES.has(name);
}

/** How a file is written: its begin, some rows, and its end. */
type Writer = {
  readonly begin: string;
  rows(rows: readonly Cell[][], isFirst: boolean): string;
  readonly end: string;
};

const WRITERS: Readonly<Record<ReportAsk['format'], (columns: readonly string[]) => Writer>> = {
  csv: (columns) => ({ begin: csvOf([[...columns]]), rows: csvOf, end: '' }),
  json: (columns) => ({
    begin: '[',
    rows: (rows, isFirst) => `${isFirst ? '' : ','}\n${rows.map((row) => jsonOf(columns, row)).join(',\n')}`,
    end: '\n]\n',
  }),
};

/** Rows as RFC 4180 has them. A text that a spreadsheet would take for a formula has an apostrophe before it; numbers stay. */
function csvOf(rows: readonly Cell[][]): string {
  return stringify(
    rows.map((row) => row.map(csvCell)),
    {
      record_delimiter: '\r\n',
      escape_formulas: true,
      cast: { object: (value) => ({ value: value['decimal'] as string, escape_formulas: false }) },
    },
  );
}

/** A cell as csv-stringify takes it. Only what begins with a minus needs to be told apart from a text, which costs time. */
function csvCell(cell: Cell): Cell {
  return typeof cell === 'object' && cell?.decimal.startsWith('-') === false ? cell.decimal : cell;
}

/** A row as an object on one line. Amounts are texts, like everywhere in the API: many readers would round such numbers. */
function jsonOf(columns: readonly string[], row: readonly Cell[]): string {
  const members = columns.map((column, index) => [column, jsonCell(row[index] ?? null)]);
  return JSON.stringify(Object.fromEntries(members));
}

function jsonCell(cell: Cell): string | number | null {
  if (typeof cell === 'bigint') return String(cell);
  return typeof cell === 'object' && cell !== null ? cell.decimal : cell;
}
