import { createHash, randomUUIDv7 } from 'node:crypto';
import type { KeptMap, KeptStatement, StatementFile } from '@fairway/store';
import {
  type ColumnMap,
  isMt940,
  type ReadStatements,
  readCamt,
  readCsv,
  readMt940,
  suggestMap,
  type Suggestion,
} from '@fairway/statements';
import { type Acting, done, invalidFields, type Outcome, refuse, tryLater, type Upload } from '@fairway/api';
import { isOwnAccount } from '../reports/index.ts';
import { findMap } from './maps.ts';
import type { StatementParts } from './statementParts.ts';
import { beginOf, NotTextError, textOf } from './textOf.ts';
import { digestOf, invalid, type UploadedFile, uploadedFile } from './uploadedFile.ts';

const CANNOT_SEAL = tryLater(
  'upstream-unavailable',
  'This deployment has no key to seal names and accounts with; tell the operator.',
  60,
);

const OWN_REPORT =
  'This file was made by Fairway (a report in camt.053): it would confirm the ledger by itself. Send the statement of your bank.';

/** A statement that was imported. `isReplayed`: the same bytes were imported before, with the same map. */
export type Imported = { readonly statement: KeptStatement; readonly isReplayed: boolean };

/** Imports a file: reads it, keeps it, and matches its entries. */
export async function importFile(
  parts: StatementParts,
  { scope, actor }: Acting,
  upload: Upload,
  mapInQuery: string | undefined,
): Promise<Outcome<Imported>> {
  if (!parts.canSeal) return refuse(CANNOT_SEAL);
  const uploaded = await uploadedFile(upload);
  if (!uploaded.ok) return uploaded;
  const { bytes, map = mapInQuery } = uploaded.value;
  const mapped = map === undefined ? done(undefined) : await findMap(parts, scope, map);
  if (!mapped.ok) {
    if (mapped.problem.code !== 'not-found') return mapped;
    const detail = 'There is no column map of this name; GET /v1/reconciliation/maps lists them.';
    return refuse(invalidFields([{ pointer: '/query/map', detail }]));
  }
  const read = await readFile(uploaded.value, mapped.value?.map);
  if (!read.ok && read.pointer !== undefined)
    return refuse(invalidFields([{ pointer: read.pointer, detail: read.detail }]));
  if (!read.ok) return refuse(invalid(read.detail));
  if (mapped.value === undefined && read.sections.some(({ account }) => isOwnAccount(account)))
    return refuse(invalid(OWN_REPORT));
  const file: StatementFile = {
    statementId: `stm_${randomUUIDv7().replaceAll('-', '')}`,
    sha256: await digestOf(bytes),
    format: read.format,
    ...(mapped.value === undefined ? {} : mapOf(mapped.value)),
    sections: read.sections,
  };
  const imported = await parts.statements.importStatement(scope, file, {
    actor,
    atMs: parts.nowMs(),
  });
  if (!imported.ok)
    return refuse(
      invalid(
        `More than ${imported.most} statements of an account are known for the days of this file, too many to compare it with. Send statements of fewer days.`,
      ),
    );
  return done({ statement: imported.statement, isReplayed: imported.outcome === 'EXISTS' });
}

/** Proposes a column map for a CSV file. Nothing is kept. */
export async function suggestForFile(
  upload: Upload,
  known: Partial<Pick<ColumnMap, 'account' | 'currency'>>,
): Promise<Outcome<Suggestion>> {
  const uploaded = await uploadedFile(upload);
  if (!uploaded.ok) return uploaded;
  try {
    let text = '';
    for await (const part of textOf(uploaded.value.bytes, uploaded.value.charset)) text += part;
    const found = suggestMap(text, known);
    return found.ok ? done(found) : refuse(invalid(found.detail));
  } catch (error) {
    if (!(error instanceof NotTextError)) throw error;
    return refuse(invalid(error.message));
  }
}

/** What is kept of a map beside what was read with it. */
function mapOf({ name, map }: KeptMap): Pick<StatementFile, 'mapName' | 'mapDigest'> {
  // The database has given the members an order of its own.
  return { mapName: name, mapDigest: createHash('sha256').update(JSON.stringify(map)).digest() };
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

/** The statements of a file with its format; or what is wrong with it, and with the choice of its map. */
type ReadFile =
  | (Extract<ReadStatements, { readonly ok: true }> & Pick<StatementFile, 'format'>)
  | { readonly ok: false; readonly detail: string; readonly pointer?: string };

async function readFile({ bytes, charset }: UploadedFile, map: ColumnMap | undefined): Promise<ReadFile> {
  try {
    const begin = await beginOf(bytes, charset);
    const detail = map === undefined ? missingMap(begin) : needlessMap(begin);
    if (detail !== undefined) return { ok: false, pointer: '/query/map', detail };
    const text = textOf(bytes, charset);
    if (map !== undefined) return withFormat(await readCsv(text, map), 'csv');
    if (isMt940(begin)) return withFormat(await readMt940(text), 'mt940');
    const read = await readCamt(text);
    return withFormat(read, read.format ?? 'camt.053');
  } catch (error) {
    if (!(error instanceof NotTextError)) throw error;
    return { ok: false, detail: error.message };
  }
}

function withFormat(read: ReadStatements, format: StatementFile['format']): ReadFile {
  return read.ok ? { ok: true, sections: read.sections, format } : read;
}
