import { pipeline } from 'node:stream/promises';
import { CsvError, parse } from 'csv-parse';
import { assertBalanced, signedMinor } from './balance.ts';
import { type ColumnMap, TEXT_COLUMNS } from './columnMap.ts';
import { dayOf, minorOf } from './money.ts';
import { checked } from './readCamt.ts';
import { csvRows } from './csvRows.ts';
import {
  type Balance,
  checkedName,
  checkedReference,
  comparableAccount,
  FaultError,
  FILE_LIMITS,
  faultOf,
  keptReferences,
  type ReadStatements,
  type StatementSection,
  type StatementUnit,
} from './statement.ts';
import { createTurns } from './turns.ts';

/** A line of the file by its columns, and what the account held after it. */
type Line = { readonly unit: StatementUnit; readonly balance: bigint | undefined };

/**
 * Reads the entries of one account from the text of a CSV file, which may come in parts. Where the map names a column with balances, the
 * entries must lead from each balance to the next, oldest or newest first.
 *
 * @example
 * ```ts
 * import { type ColumnMap, readCsv } from '@fairway/statements';
 *
 * declare const parts: AsyncIterable<string>;
 * declare const map: ColumnMap;
 * const read = await readCsv(parts, map);
 * if (!read.ok) console.log(read.detail); // 'line 7: …'
 * ```
 */
export async function readCsv(
  parts: AsyncIterable<string> | Iterable<string>,
  map: ColumnMap,
): Promise<ReadStatements> {
  try {
    const lines = await linesOf(parts, map);
    return { ok: true, sections: checked([sectionOf(lines, map)]) };
  } catch (error) {
    return faultOf(error);
  }
}

type Row = { readonly record: readonly string[]; readonly line: number };

async function linesOf(
  parts: AsyncIterable<string> | Iterable<string>,
  map: ColumnMap,
): Promise<readonly Line[]> {
  const parser = parse({
    delimiter: map.delimiter,
    bom: true,
    from_line: map.skipLines + 1,
    skip_empty_lines: true,
    info: true,
    relax_column_count: false,
  });
  let header: ReadonlyMap<string, number> | undefined;
  const lines: Line[] = [];
  const turns = createTurns();
  try {
    await pipeline(csvRows(parts, map), parser, async (rows: AsyncIterable<ParsedRow>) => {
      for await (const { record, info } of rows) {
        const row = { record, line: info.lines };
        if (header === undefined) header = headerOf(row, map);
        else lines.push(lineOf(row, header, map));
        if (lines.length > FILE_LIMITS.units)
          throw new FaultError(`A file may have ${FILE_LIMITS.units} entries. Send it in parts.`);
        await turns.step();
      }
    });
  } catch (error) {
    throw error instanceof CsvError ? notCsv(error) : error;
  }
  if (header === undefined) throw new FaultError('The file has no header with the names of the columns.');
  return lines;
}

type ParsedRow = { readonly record: readonly string[]; readonly info: { readonly lines: number } };

/** The library's messages quote the file; its codes do not. */
function notCsv(error: CsvError): FaultError {
  const { lines } = error as CsvError & { readonly lines?: unknown };
  const line = typeof lines === 'number' ? `line ${lines}: ` : '';
  return new FaultError(
    `${line}the file is not CSV as the map says (${error.code}). Compare delimiter, skipLines and quotes with it.`,
  );
}

function headerOf({ record, line }: Row, { columns }: ColumnMap): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  for (const [index, name] of record.entries()) {
    const trimmed = name.trim();
    if (places.has(trimmed)) places.set(trimmed, -1);
    else places.set(trimmed, index);
  }
  for (const [member, name] of Object.entries(columns)) {
    const place = places.get(name);
    if (place === undefined)
      throw new FaultError(
        `line ${line} was read as the header, and it has no column for columns.${member}. Correct the map: skipLines is how many lines are before the header, and columns has its names.`,
      );
    if (place === -1)
      throw new FaultError(`line ${line}: the header has the column for columns.${member} twice.`);
  }
  return places;
}

function lineOf({ record, line }: Row, header: ReadonlyMap<string, number>, map: ColumnMap): Line {
  const { columns, currency } = map;
  const place = `line ${line}`;
  const cell = (name: string | undefined) =>
    name === undefined ? '' : (record[header.get(name) ?? -1] ?? '').trim();
  const signed = signedIn(cell, map, place);
  const bookedOn = dayOf(isoDay(cell(columns.bookedOn), map), place);
  const valueText = cell(columns.valueOn);
  for (const name of ['servicerReference', 'reference', 'endToEndId'] as const)
    checkedReference(cell(columns[name]), place);
  checkedName(cell(columns.name), place);
  const references = [cell(columns.servicerReference), cell(columns.reference)].filter((each) => each !== '');
  const texts = Object.fromEntries(
    TEXT_COLUMNS.filter((name) => name !== 'reference')
      .map((name) => [name, cell(columns[name])] as const)
      .filter(([, value]) => value !== ''),
  );
  if (Object.values(texts).some((each) => each.length > FILE_LIMITS.textLength))
    throw new FaultError(`${place}: a text is too long.`);
  const balance = columns.balance === undefined ? undefined : signedOf(cell(columns.balance), map, place);
  return {
    balance,
    unit: {
      direction: signed < 0n ? 'OUT' : 'IN',
      minor: signed < 0n ? -signed : signed,
      bookedOn,
      valueOn: valueText === '' ? bookedOn : dayOf(isoDay(valueText, map), place),
      isReversal: false,
      isRest: false,
      references: keptReferences(references),
      ...texts,
    },
  };

  function signedOf(text: string, { decimalSeparator }: ColumnMap, at: string): bigint {
    const [, sign = '', digits = ''] = /^([+-]?)(.*)$/s.exec(text) ?? [];
    const group = decimalSeparator === '.' ? ',' : '.';
    const isGrouped = new RegExp(`^\\d{1,3}(\\${group}\\d{3})+(\\${decimalSeparator}|$)`).test(digits);
    const plain = isGrouped ? digits.replaceAll(group, '') : digits;
    // A point where a comma is meant would make a thousandfold of it, so that it is refused and not guessed.
    if (plain.includes(group))
      throw new FaultError(`${at}: an amount is not written with the map's decimalSeparator.`);
    const minor = minorOf(plain.replace(decimalSeparator, '.'), currency, at);
    return sign === '-' ? -minor : minor;
  }

  function signedIn(read: typeof cell, of: ColumnMap, at: string): bigint {
    if (of.columns.amount !== undefined) return signedOf(read(of.columns.amount), of, at);
    const [credit, debit] = [read(of.columns.credit), read(of.columns.debit)];
    if ((credit === '') === (debit === ''))
      throw new FaultError(`${at}: exactly one of the columns for credit and debit must have an amount.`);
    const minor = signedOf(credit === '' ? debit : credit, of, at);
    if (minor < 0n) throw new FaultError(`${at}: the columns for credit and debit have no signs.`);
    return credit === '' ? -minor : minor;
  }
}

const ORDERS: Readonly<Record<ColumnMap['dateFormat'], RegExp>> = {
  'YYYY-MM-DD': /^(?<y>\d{4})-(?<m>\d{2})-(?<d>\d{2})$/,
  'DD.MM.YYYY': /^(?<d>\d{2})\.(?<m>\d{2})\.(?<y>\d{4})$/,
  'DD/MM/YYYY': /^(?<d>\d{2})\/(?<m>\d{2})\/(?<y>\d{4})$/,
  'MM/DD/YYYY': /^(?<m>\d{2})\/(?<d>\d{2})\/(?<y>\d{4})$/,
  YYYYMMDD: /^(?<y>\d{4})(?<m>\d{2})(?<d>\d{2})$/,
};

function isoDay(text: string, { dateFormat }: ColumnMap): string {
  const { y = '', m = '', d = '' } = ORDERS[dateFormat].exec(text)?.groups ?? {};
  return `${y}-${m}-${d}`;
}

function sectionOf(lines: readonly Line[], { account, currency, columns }: ColumnMap): StatementSection {
  const section = {
    account: comparableAccount(account),
    currency,
    units: lines.map(({ unit }) => unit).filter(({ minor }) => minor > 0n),
  };
  if (columns.balance === undefined || lines.length === 0) return section;
  const [first, last] = [lines.at(0), lines.at(-1)];
  if (first === undefined || last === undefined) return section;
  const isForward = leads(lines);
  if (!isForward && !leads(lines.toReversed()))
    throw new FaultError(
      'The balances do not follow from the entries, neither oldest nor newest first. Send the whole statement, or correct the map.',
    );
  const [oldest, newest] = isForward ? [first, last] : [last, first];
  const balanced = {
    ...section,
    opening: balanceAt(oldest, (oldest.balance ?? 0n) - signedMinor(oldest.unit)),
    closing: balanceAt(newest, newest.balance ?? 0n),
  };
  assertBalanced(balanced, 'The file');
  return balanced;
}

function leads(lines: readonly Line[]): boolean {
  return lines.every(({ balance, unit }, index) => {
    const before = lines[index - 1]?.balance;
    return before === undefined || before + signedMinor(unit) === balance;
  });
}

function balanceAt({ unit }: Line, minor: bigint): Balance {
  return { minor, on: unit.bookedOn };
}
