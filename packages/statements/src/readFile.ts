import type { ColumnMap } from './columnMap.ts';
import { type CamtFormat, readCamt } from './readCamt.ts';
import { readCsv } from './readCsv.ts';
import { isMt940, readMt940 } from './readMt940.ts';
import { faultOf, type ReadStatements, type StatementFault } from './statement.ts';
import { suggestMap, type Suggestion } from './suggestMap.ts';
import { beginOf, type SentFile, textOf } from './textOf.ts';

type Format = CamtFormat | 'mt940' | 'csv';

/** The statements of a file. `isOfMap`: the fault is that a column map is given or missing. */
export type ReadFile =
  | (Extract<ReadStatements, { readonly ok: true }> & { readonly format: Format })
  | (StatementFault & { readonly isOfMap?: true });

/**
 * Reads the statements of a file of camt or MT940, or those of a CSV file with its map. Other work has its turn
 * meanwhile.
 *
 * @example
 * ```ts
 * import { readStatementFile } from '@fairway/statements';
 *
 * declare const bytes: Buffer;
 * const read = await readStatementFile({ bytes }, undefined);
 * if (read.ok) console.log(read.sections[0]?.closing?.minor); // 1250000n: 12,500.00 EUR
 * ```
 */
export async function readStatementFile(file: SentFile, map: ColumnMap | undefined): Promise<ReadFile> {
  try {
    const begin = await beginOf(file);
    const detail = map === undefined ? missingMap(begin) : needlessMap(begin);
    if (detail !== undefined) return { ok: false, detail, isOfMap: true };
    const text = textOf(file);
    if (map !== undefined) return withFormat(await readCsv(text, map), 'csv');
    if (isMt940(begin)) return withFormat(await readMt940(text), 'mt940');
    const read = await readCamt(text);
    return withFormat(read, read.format ?? 'camt.053');
  } catch (error) {
    return faultOf(error);
  }
}

function withFormat(read: ReadStatements, format: Format): ReadFile {
  return read.ok ? { ok: true, sections: read.sections, format } : read;
}

/**
 * Proposes a column map for a CSV file from its beginning, and shows what it would read of the first rows. `known`: what
 * the caller knows already.
 *
 * @example
 * ```ts
 * import { suggestMapFor } from '@fairway/statements';
 *
 * const bytes = Buffer.from('Date,Amount\n2026-11-24,-1.00\n');
 * const found = await suggestMapFor({ bytes }, { account: 'A-1', currency: 'EUR' });
 * if (found.ok) console.log(found.map.columns); // { bookedOn: 'Date', amount: 'Amount' }
 * ```
 */
export async function suggestMapFor(
  file: SentFile,
  known: Partial<Pick<ColumnMap, 'account' | 'currency'>>,
): Promise<Suggestion | StatementFault> {
  try {
    let text = '';
    for await (const part of textOf(file)) text += part;
    return suggestMap(text, known);
  } catch (error) {
    return faultOf(error);
  }
}

function missingMap(begin: string): string | undefined {
  if (/^\s*(\uFEFF)?\s*</.test(begin) || isMt940(begin)) return undefined;
  return 'map is missing; it must be the name of the column map of a CSV file. A file of camt begins with <, and MT940 with :20:.';
}

function needlessMap(begin: string): string | undefined {
  if (isMt940(begin)) return 'map is given, but the file is MT940. Send it without map.';
  if (!/^\s*(\uFEFF)?\s*<[?\w]/.test(begin)) return undefined;
  return 'map is given, but the file is XML. Send a file of camt without map.';
}
