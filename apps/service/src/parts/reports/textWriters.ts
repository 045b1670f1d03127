import { stringify } from 'csv-stringify/sync';
import { type Cell, plainCell } from './cells.ts';
import type { FileFrame, Writer } from './writer.ts';

/** Makes the writer of a CSV file. */
export function csvWriter({ columns, byteOrderMark }: FileFrame): Writer {
  const mark = Buffer.from(byteOrderMark === true ? BYTE_ORDER_MARK : '');
  return {
    begin: () => Buffer.concat([mark, csvOf([[...columns]])]),
    rows: csvOf,
    end: () => Buffer.from(''),
  };
}

/** By this mark, spreadsheets know that a text is UTF-8. */
const BYTE_ORDER_MARK = '\ufeff';

/** Rows as RFC 4180 has them. A text that a spreadsheet would take for a formula has an apostrophe before it; numbers stay. */
function csvOf(rows: readonly Cell[][]): Buffer {
  const text = stringify(
    rows.map((row) => row.map(csvCell)),
    {
      record_delimiter: '\r\n',
      escape_formulas: true,
      cast: { object: (value) => ({ value: value['decimal'] as string, escape_formulas: false }) },
    },
  );
  return Buffer.from(text);
}

/**
 * A cell as csv-stringify takes it. Only a value that begins with a minus must be told apart from a text, which costs
 * time.
 */
function csvCell(cell: Cell): Cell {
  const isNegative =
    typeof cell === 'object' && cell !== null && 'decimal' in cell && cell.decimal.startsWith('-');
  if (isNegative) return cell;
  const plain = plainCell(cell);
  return typeof plain === 'string' ? withoutInnerFormulas(plain) : plain;
}

/**
 * A text whose parts are no formulas either: a spreadsheet that separates cells by semicolons or tabs splits a text there, quotation
 * marks or not.
 */
function withoutInnerFormulas(text: string): string {
  if (!/[;\t]/.test(text)) return text;
  return text.replace(/([;\t][\s"]*)(?=[=+\-@\uff1d\uff0b\uff0d\uff20])/g, "$1'");
}

/** Makes the writer of a JSON list with an object on each line. */
export function jsonWriter({ columns }: FileFrame): Writer {
  let between = '';
  return {
    begin: () => Buffer.from('['),
    rows(rows) {
      const text = `${between}\n${rows.map((row) => jsonOf(columns, row)).join(',\n')}`;
      between = ',';
      return Buffer.from(text);
    },
    end: () => Buffer.from('\n]\n'),
  };
}

/** A row as an object on one line. Amounts are texts, like everywhere in the API: many readers would round such numbers. */
function jsonOf(columns: readonly string[], row: readonly Cell[]): string {
  const members = columns.map((column, index) => [column, jsonCell(row[index] ?? null)]);
  return JSON.stringify(Object.fromEntries(members));
}

function jsonCell(cell: Cell): string | number | null {
  const plain = plainCell(cell);
  return typeof plain === 'bigint' ? String(plain) : plain;
}
