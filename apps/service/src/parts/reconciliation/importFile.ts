import { createHash, randomUUIDv7 } from 'node:crypto';
import type { KeptMap, KeptStatement, StatementFile } from '@fairway/store';
import { type ColumnMap, readStatementFile, suggestMapFor, type Suggestion } from '@fairway/statements';
import { type Acting, done, invalidFields, type Outcome, refuse, tryLater, type Upload } from '@fairway/api';
import { isOwnAccount } from '../reports/index.ts';
import { findMap } from './maps.ts';
import type { StatementParts } from './statementParts.ts';
import { digestOf, invalid, uploadedFile } from './uploadedFile.ts';

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
  const read = await readStatementFile(uploaded.value, mapped.value?.map);
  if (!read.ok)
    return refuse(
      read.isOfMap === true
        ? invalidFields([{ pointer: '/query/map', detail: read.detail }])
        : invalid(read.detail),
    );
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
  const found = await suggestMapFor(uploaded.value, known);
  return found.ok ? done(found) : refuse(invalid(found.detail));
}

/** What is kept of a map beside what was read with it. */
function mapOf({ name, map }: KeptMap): Pick<StatementFile, 'mapName' | 'mapDigest'> {
  // The database has given the members an order of its own.
  return { mapName: name, mapDigest: createHash('sha256').update(JSON.stringify(map)).digest() };
}
