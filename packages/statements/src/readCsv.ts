import { pipeline } from 'node:stream/promises';
import { CsvError, parse } from 'csv-parse';
import { signedMinor } from './balance.ts';
import type { ColumnMap } from './columnMap.ts';
import { type Header, isLeftOut, isWithoutDay, type Line, lineOf, type Row } from './csvLine.ts';
import { csvRows } from './csvRows.ts';
import { checked } from './readCamt.ts';
import {
  comparableAccount,
  FaultError,
  FILE_LIMITS,
  faultOf,
  type ReadStatements,
  type StatementSection,
} from './statement.ts';
import { createTurns } from './turns.ts';

/**
 * Reads the entries of one account from the text of a CSV file, which may come in parts. Where the map names a column
 * with balances, the entries must lead from each balance to the next, oldest or newest first. Rows without a day below
 * the entries are passed over.
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
    relax_column_count: true,
  });
  let header: Header | undefined;
  const lines: Line[] = [];
  // The rows without a day since the last entry.
  let rest: Row[] = [];
  const turns = createTurns();
  try {
    await pipeline(csvRows(parts, map), parser, async (rows: AsyncIterable<ParsedRow>) => {
      for await (const { record, info } of rows) {
        await turns.step();
        const row = { record, line: info.lines };
        if (header === undefined) header = headerOf(row, map);
        else if (isLeftOut(row, header, map)) continue;
        else if (isWithoutDay(row, header, map) && rest.length < MOST_FOOTERS) rest.push(row);
        else {
          for (const before of rest) lineOf(before, header, map);
          rest = [];
          lines.push(lineOf(row, header, map));
        }
        if (lines.length > FILE_LIMITS.units)
          throw new FaultError(`A file may have ${FILE_LIMITS.units} entries. Send it in parts.`);
      }
    });
  } catch (error) {
    throw error instanceof CsvError ? notCsv(error) : error;
  }
  if (header === undefined) throw new FaultError('The file has no header with the names of the columns.');
  // If no row has a day, the map is wrong.
  if (lines.length === 0) for (const row of rest) lineOf(row, header, map);
  return lines;
}

/** How many rows without a day may stand below the entries. */
const MOST_FOOTERS = 20;

type ParsedRow = { readonly record: readonly string[]; readonly info: { readonly lines: number } };

/** The library's messages quote the file; its codes do not. */
function notCsv(error: CsvError): FaultError {
  const { lines } = error as CsvError & { readonly lines?: unknown };
  const line = typeof lines === 'number' ? `line ${lines}: ` : '';
  return new FaultError(
    `${line}the file is not CSV as the map says (${error.code}). Compare delimiter, skipLines and quotes with it.`,
  );
}

/** The places of the columns by the names in the header. Throws a FaultError where one of the map is not there. */
export function headerOf({ record, line }: Row, { columns, leaveOut }: ColumnMap): Header {
  const places = new Map<string, number>();
  for (const [index, name] of record.entries()) {
    const trimmed = name.trim();
    if (places.has(trimmed)) places.set(trimmed, -1);
    else places.set(trimmed, index);
  }
  const members: (readonly [string, string])[] = Object.entries(columns).map(([member, name]) => [
    `columns.${member}`,
    name,
  ]);
  if (leaveOut !== undefined) members.push(['leaveOut.column', leaveOut.column]);
  for (const [member, name] of members) {
    const place = places.get(name);
    if (place === undefined)
      throw new FaultError(
        `line ${line} was read as the header, and it has no column for ${member} (${JSON.stringify(name)}). Correct the map: skipLines is how many lines are before the header, and columns has its names.`,
      );
    if (place === -1)
      throw new FaultError(
        `line ${line}: the header has the column for ${member} (${JSON.stringify(name)}) twice.`,
      );
  }
  return places;
}

function sectionOf(lines: readonly Line[], { account, currency }: ColumnMap): StatementSection {
  const section = {
    account: comparableAccount(account),
    currency,
    units: lines.map(({ unit }) => unit).filter(({ minor }) => minor > 0n),
  };
  if (!lines.some(({ balance }) => balance !== undefined)) return section;
  const balances = balancesOf(lines) ?? balancesOf(lines.toReversed());
  if (balances === undefined)
    throw new FaultError(
      'The balances do not follow from the entries, neither oldest nor newest first. Send the whole statement, or correct the map.',
    );
  return { ...section, ...balances };
}

/**
 * What the account held before the first of some lines and after the last. Not each line need have its balance.
 * Undefined where they do not follow from the entries.
 */
function balancesOf(lines: readonly Line[]): Pick<StatementSection, 'opening' | 'closing'> | undefined {
  let opening: bigint | undefined;
  let sum = 0n;
  for (const { unit, balance } of lines) {
    sum += signedMinor(unit);
    if (balance === undefined) continue;
    opening ??= balance - sum;
    if (opening + sum !== balance) return undefined;
  }
  const [first, last] = [lines.at(0), lines.at(-1)];
  if (opening === undefined || first === undefined || last === undefined) return undefined;
  return {
    opening: { minor: opening, on: first.unit.bookedOn },
    closing: { minor: opening + sum, on: last.unit.bookedOn },
  };
}
