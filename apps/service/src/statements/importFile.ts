import { createHash, randomUUIDv7 } from 'node:crypto';
import type { KeptMap, KeptStatement, StatementFile } from '@fairway/store';
import { type ReadStatements, readCamt, readCsv } from '@fairway/statements';
import type { Acting } from '../payments/paymentParts.ts';
import { done, invalidFields, type Outcome, refuse, tryLater } from '../problems/problem.ts';
import { isOwnAccount } from '../reports/payoutStatementFrame.ts';
import { findMap } from './maps.ts';
import type { StatementParts } from './statementParts.ts';
import { digestOf, invalid, NotTextError, textOf, type Upload, uploadedFile } from './uploadedFile.ts';

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
  const begin = bytes.subarray(0, 256).toString('utf8');
  const fault = mapped.value === undefined ? missingMap(begin) : needlessMap(begin);
  if (fault !== undefined) return refuse(invalidFields([{ pointer: '/query/map', detail: fault }]));
  const read = await readFile(bytes, mapped.value?.map);
  if (!read.ok) return refuse(invalid(read.detail));
  if (mapped.value === undefined && read.sections.some(({ account }) => isOwnAccount(account)))
    return refuse(invalid(OWN_REPORT));
  const file: StatementFile = {
    statementId: `stm_${randomUUIDv7().replaceAll('-', '')}`,
    sha256: await digestOf(bytes),
    ...(mapped.value === undefined ? { format: 'camt.053' } : { format: 'csv', ...mapOf(mapped.value) }),
    sections: read.sections,
  };
  const imported = await parts.statements.importStatement(scope, file, parts.decimalsOf, {
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

/** What is kept of a map beside what was read with it. */
function mapOf({ name, map }: KeptMap): Pick<StatementFile, 'mapName' | 'mapDigest'> {
  // The database has given the members an order of its own.
  return { mapName: name, mapDigest: createHash('sha256').update(JSON.stringify(map)).digest() };
}

function missingMap(begin: string): string | undefined {
  if (/^\s*(\uFEFF)?\s*</.test(begin)) return undefined;
  return 'map is missing; it must be the name of the column map of a CSV file. A file of camt.053 begins with <.';
}

function needlessMap(begin: string): string | undefined {
  if (!/^\s*(\uFEFF)?\s*<(\?xml|([\w.-]+:)?Document)[\s>]/.test(begin)) return undefined;
  return 'map is given, but the file is XML. Send a file of camt.053 without map.';
}

async function readFile(
  bytes: Buffer,
  map: Parameters<typeof readCsv>[1] | undefined,
): Promise<ReadStatements> {
  try {
    return await (map === undefined ? readCamt(textOf(bytes)) : readCsv(textOf(bytes), map));
  } catch (error) {
    if (!(error instanceof NotTextError)) throw error;
    return { ok: false, detail: error.message };
  }
}
