import { TEXT_COLUMNS, type ColumnMap } from './columnMap.ts';
import { amountIn, type Cell, dayIn, directionOf, refuseCell } from './csvCells.ts';
import { isNoReference } from './references.ts';
import {
  checkedName,
  checkedReference,
  FaultError,
  FILE_LIMITS,
  keptReferences,
  type StatementUnit,
} from './statement.ts';

/** A row of a file, and where it ends. */
export type Row = { readonly record: readonly string[]; readonly line: number };
/** The places of the columns in a header; -1 for a name that is there twice. */
export type Header = ReadonlyMap<string, number>;
/** A line of the file by its columns, and what the account held after it. */
export type Line = { readonly unit: StatementUnit; readonly balance: bigint | undefined };

/** Finds the cells of a row by the names of their columns. A column that the map does not have is empty. */
type Cells = (column: string | undefined) => Cell;

function cellsOf({ record, line }: Row, header: Header): Cells {
  return (column) => ({
    text: (column === undefined ? '' : (record[header.get(column) ?? -1] ?? '')).trim(),
    place: `line ${line}, column ${JSON.stringify(column ?? '')}`,
  });
}

/** Whether the map leaves a row out. */
export function isLeftOut(row: Row, header: Header, { leaveOut }: ColumnMap): boolean {
  if (leaveOut === undefined) return false;
  const text = cellsOf(row, header)(leaveOut.column).text.toLowerCase();
  return leaveOut.values.some((value) => value.trim().toLowerCase() === text);
}

/** Whether a row has no day, as sums and remarks below the entries: no day begins with a letter. */
export function isWithoutDay(row: Row, header: Header, { columns }: ColumnMap): boolean {
  const cell = cellsOf(row, header);
  const isDay = (column: string | undefined) => /^\d/.test(cell(column).text);
  if (isDay(columns.bookedOn) || isDay(columns.valueOn)) return false;
  const isWhole = row.record.length >= header.size;
  const hasAmount = [columns.amount, columns.credit, columns.debit].some(
    (column) => cell(column).text !== '',
  );
  // A row that lacks nothing but its day may be a payment.
  return !(isWhole && hasAmount && cell(columns.bookedOn).text === '');
}

/** The entry of a row. Throws a FaultError that shows the cell. */
export function lineOf(row: Row, header: Header, map: ColumnMap): Line {
  const { columns } = map;
  const cell = cellsOf(row, header);
  const place = `line ${row.line}`;
  const extra = row.record.slice(header.size).some((text) => text.trim() !== '');
  if (row.record.length < header.size || extra)
    throw new FaultError(
      `${place}: the row has ${row.record.length} columns, the header ${header.size}. Compare delimiter and quotes with the file.`,
    );
  const signed = signedOf(cell, map, place);
  const [booked, value] = [cell(columns.bookedOn), cell(columns.valueOn)];
  const bookedOn = dayIn(booked.text === '' && value.text !== '' ? value : booked, map);
  const reference = (column: string | undefined) => {
    const { text, place: at } = cell(column);
    return isNoReference(text) ? '' : checkedReference(text, at);
  };
  checkedName(cell(columns.name).text, place);
  const textOf = (name: (typeof TEXT_COLUMNS)[number]) =>
    /reference|endToEndId/i.test(name) ? reference(columns[name]) : cell(columns[name]).text;
  const named = TEXT_COLUMNS.filter((name) => name !== 'reference').map(
    (name) => [name, textOf(name)] as const,
  );
  const texts = Object.fromEntries(named.filter(([, text]) => text !== ''));
  if (Object.values(texts).some((each) => each.length > FILE_LIMITS.textLength))
    throw new FaultError(`${place}: a text is too long.`);
  const references = [reference(columns.servicerReference), reference(columns.reference)];
  const balance = cell(columns.balance);
  return {
    balance: balance.text === '' ? undefined : amountIn(balance, map),
    unit: {
      direction: signed < 0n ? 'OUT' : 'IN',
      minor: signed < 0n ? -signed : signed,
      bookedOn,
      valueOn: value.text === '' ? bookedOn : dayIn(value, map),
      isReversal: false,
      isRest: false,
      references: keptReferences(references.filter((each) => each !== '')),
      ...texts,
    },
  };
}

/** The amount of a row, negative where money left. */
function signedOf(cell: Cells, map: ColumnMap, place: string): bigint {
  const { amount, direction, credit, debit } = map.columns;
  if (amount !== undefined) {
    const minor = amountIn(cell(amount), map);
    if (direction === undefined) return minor;
    const word = cell(direction);
    const found = directionOf(word.text);
    if (found === undefined)
      return refuseCell(
        word,
        'is no direction that is known, such as D and C, Debit and Credit, Af and Bij.',
      );
    if (minor < 0n && found === 'IN')
      return refuseCell(cell(amount), `has a minus, and the direction says that money came.`);
    return found === 'OUT' && minor > 0n ? -minor : minor;
  }
  const [came, left] = [credit, debit].map((column) => {
    const each = cell(column);
    return each.text === '' ? undefined : amountIn(each, map);
  });
  if (came === undefined && left === undefined)
    throw new FaultError(
      `${place}: the columns ${JSON.stringify(credit)} and ${JSON.stringify(debit)} are empty.`,
    );
  if ((came ?? 0n) !== 0n && (left ?? 0n) !== 0n)
    throw new FaultError(
      `${place}: the columns ${JSON.stringify(credit)} and ${JSON.stringify(debit)} both have an amount.`,
    );
  if ((came ?? 0n) < 0n) return refuseCell(cell(credit), 'has a minus, and the column says that money came.');
  const minor = left ?? 0n;
  return (came ?? 0n) - (minor < 0n ? -minor : minor);
}
