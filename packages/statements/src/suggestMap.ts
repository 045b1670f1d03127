import { minorDecimalsOf } from '@fairway/plan';
import { CsvError } from 'csv-parse';
import { parse } from 'csv-parse/sync';
import { type ColumnMap, DELIMITERS } from './columnMap.ts';
import { isLeftOut, isWithoutDay, lineOf, type Row } from './csvLine.ts';
import { headerOf } from './readCsv.ts';
import {
  type Column,
  columnsOf,
  currencyOf,
  dateFormatOf,
  decimalSeparatorOf,
  isAnyDay,
  leaveOutOf,
  ownColumnOf,
  wordOf,
} from './sampleColumns.ts';
import { FaultError, faultOf, type StatementFault, type StatementUnit } from './statement.ts';

/** How much of a file is looked at, and how many rows are shown. */
const [SAMPLE_LENGTH, SAMPLE_ROWS, SHOWN_ROWS] = [65_536, 200, 10];

/** A map as far as a sample shows it. */
export type SuggestedMap = Partial<Omit<ColumnMap, 'columns'>> & {
  readonly columns: Partial<ColumnMap['columns']>;
};
/** A row of a sample as the map reads it. `line`: where it ends. */
export type SampleRow = {
  readonly line: number;
  readonly unit: StatementUnit;
  readonly balance: bigint | undefined;
};
/**
 * What a sample of a CSV file shows. `missing`: what a map needs and the sample does not show. `doubts`: what to look at.
 * `rows`: the first ones as the map reads them; empty while something is missing. `fault`: why a row is not read.
 */
export type Suggestion = {
  readonly ok: true;
  readonly map: SuggestedMap;
  readonly missing: readonly string[];
  readonly doubts: readonly string[];
  readonly rows: readonly SampleRow[];
  readonly fault?: string;
};

/**
 * Proposes a column map for a CSV file from its beginning, and shows what it would read of the first rows. `known`: what
 * the caller knows already.
 */
export function suggestMap(
  text: string,
  known: Partial<Pick<ColumnMap, 'account' | 'currency'>>,
): Suggestion | StatementFault {
  try {
    return suggestionOf(sampleOf(text), known);
  } catch (error) {
    return faultOf(error);
  }
}

/** The rows of a file from its header on. */
type Sample = {
  readonly delimiter: ColumnMap['delimiter'];
  readonly header: Row;
  readonly rows: readonly Row[];
};

function sampleOf(text: string): Sample {
  // The last row may be cut.
  const end = text.length > SAMPLE_LENGTH ? text.lastIndexOf('\n', SAMPLE_LENGTH) + 1 : text.length;
  const sample = text.slice(0, end === 0 ? SAMPLE_LENGTH : end);
  const samples = DELIMITERS.flatMap((delimiter) => {
    const rows = rowsOf(sample, delimiter);
    const widths = Map.groupBy(rows, ({ record }) => record.length);
    const [width, alike] = [...widths].toSorted(([, a], [, b]) => b.length - a.length)[0] ?? [0, []];
    const at = rows.findIndex((row, index) => isHeader(row, width, rows[index + 1]));
    const header = rows[at];
    return width < 2 || header === undefined
      ? []
      : [{ delimiter, header, rows: rows.slice(at + 1), weight: width * alike.length }];
  });
  const [best] = samples.toSorted((a, b) => b.weight - a.weight);
  if (best === undefined)
    throw new FaultError(
      'No header was found: a row with the names of the columns, above a row with a day. Send the beginning of the CSV file, with its header and some rows.',
    );
  return best;
}

function rowsOf(text: string, delimiter: string): readonly Row[] {
  const options = {
    relax_column_count: true,
    skip_empty_lines: true,
    bom: true,
    info: true,
    to: SAMPLE_ROWS,
  };
  try {
    const parsed: unknown = parse(text, { ...options, delimiter, relax_quotes: true });
    return (parsed as { record: string[]; info: { lines: number } }[]).map(({ record, info }) => ({
      record,
      line: info.lines,
    }));
  } catch (error) {
    if (error instanceof CsvError) return [];
    throw error;
  }
}

/** Whether a row has names alone, and the next one a day. */
function isHeader({ record }: Row, width: number, next: Row | undefined): boolean {
  const names = record.filter((cell) => cell.trim() !== '');
  return (
    record.length === width &&
    names.length > 1 &&
    names.every((cell) => /\p{L}/u.test(cell) && !isAnyDay(cell)) &&
    next?.record.some((cell) => isAnyDay(cell)) === true
  );
}

function suggestionOf(
  { delimiter, header, rows }: Sample,
  known: Partial<Pick<ColumnMap, 'account' | 'currency'>>,
): Suggestion {
  const dated = rows.filter(({ record }) => record.some((cell) => isAnyDay(cell)));
  const columns = header.record.map(
    (name, index): Column => ({
      name: name.trim(),
      word: wordOf(name),
      cells: dated.map(({ record }) => (record[index] ?? '').trim()).filter((cell) => cell !== ''),
    }),
  );
  const days = dateFormatOf(columns);
  const separator = decimalSeparatorOf(columns);
  const own = ownColumnOf(columns, known.account);
  const account = known.account ?? own?.column.cells[0];
  const told = known.currency ?? currencyOf(columns);
  const currency = told !== undefined && minorDecimalsOf(told) !== undefined ? told : undefined;
  const leaveOut = leaveOutOf(columns);
  const as = {
    currency: currency ?? 'EUR',
    decimalSeparator: separator ?? '.',
    dateFormat: days?.format ?? 'YYYY-MM-DD',
  } as const;
  const map: SuggestedMap = {
    ...(account === undefined ? {} : { account }),
    ...(currency === undefined ? {} : { currency }),
    ...{
      delimiter,
      decimalSeparator: as.decimalSeparator,
      dateFormat: as.dateFormat,
      skipLines: header.line - 1,
    },
    ...(leaveOut === undefined ? {} : { leaveOut }),
    columns: columnsOf(columns, as, { own: own?.column, isOwnKnown: known.account !== undefined }),
  };
  const doubts = [
    ...(own?.isDoubtful === true
      ? [
          `account: all rows have the account in the column ${JSON.stringify(own.column.name)}. It may be that of a payee.`,
        ]
      : []),
    ...(days?.isDoubtful === true
      ? [`dateFormat: the days of the sample can be read in another way, too. Compare them with the file.`]
      : []),
    ...(separator === undefined
      ? [
          'decimalSeparator: no amount of the sample has decimals that show it. Compare the amounts with the file.',
        ]
      : []),
  ];
  const missing = missingIn(map);
  const shown = missing.length === 0 ? shownRows(header, rows, map as ColumnMap) : { rows: [] };
  return { ok: true, map, missing, doubts, ...shown };
}

function missingIn({ account, currency, columns }: SuggestedMap): readonly string[] {
  const isPaid =
    columns.amount !== undefined || (columns.credit !== undefined && columns.debit !== undefined);
  return [
    ...(account === undefined ? ['account'] : []),
    ...(currency === undefined ? ['currency'] : []),
    ...(columns.bookedOn === undefined ? ['columns.bookedOn'] : []),
    ...(isPaid ? [] : ['columns.amount']),
  ];
}

function shownRows(header: Row, rows: readonly Row[], map: ColumnMap): Pick<Suggestion, 'rows' | 'fault'> {
  const shown: SampleRow[] = [];
  try {
    const places = headerOf(header, map);
    for (const row of rows) {
      if (shown.length === SHOWN_ROWS) break;
      if (!isLeftOut(row, places, map) && !isWithoutDay(row, places, map))
        shown.push({ line: row.line, ...lineOf(row, places, map) });
    }
    return { rows: shown };
  } catch (error) {
    return { rows: shown, fault: faultOf(error).detail };
  }
}
