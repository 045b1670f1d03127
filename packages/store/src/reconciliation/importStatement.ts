import { randomUUIDv7 } from 'node:crypto';
import { end } from '@fairway/recipients';
import { accountForm, type StatementUnit } from '@fairway/statements';
import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { recordset, surely } from '@fairway/postgres';
import type { CommandContext } from '../plans/commandContext.ts';
import type { PlanScope } from '../plans/planScope.ts';
import { accountTag, identifiedLines, type Line, MOST_KNOWN, TooManyKnownError } from './identifiedLines.ts';
import { beginReconciliation, lockReconciliation } from './bookLock.ts';
import { writeStatementEvents } from './writeStatementEvents.ts';
import {
  type FoundEntry,
  loadEntries,
  maskOf,
  openDetails,
  sealedColumns,
  unitColumns,
} from './entryRows.ts';
import { matchByItself } from './matchByItself.ts';
import { takePlace } from './readings.ts';
import { withNamedPayments } from './namesInTexts.ts';
import type { KeptStatement, StatementFile, StatementChange, StatementParts } from './statement.ts';
import { isStatement, loadStatements } from './statementRows.ts';

/** The statement of a file. EXISTS: the same bytes were kept before, read in the same way. */
export type ImportedStatement = {
  readonly ok: true;
  readonly outcome: 'IMPORTED' | 'EXISTS';
  readonly statement: KeptStatement;
};

/** More statements of an account are known for the days of a file than it can be compared with. */
export type TooManyKnown = { readonly ok: false; readonly reason: 'TOO_MANY_KNOWN'; readonly most: number };

/**
 * Keeps the statements of a file, and matches its entries, all of it or nothing. The same bytes, read in the same way, are one import: what is
 * still open of it is matched again. Read with another column map, they take the place of what was read of them before. Throws when there is no key to seal with.
 */
export async function importStatement(
  parts: StatementParts,
  scope: PlanScope,
  file: StatementFile,
  context: CommandContext,
): Promise<ImportedStatement | TooManyKnown> {
  const write = () =>
    parts.database
      .transaction()
      .execute((transaction) => write1(transaction, parts, scope, file, context))
      .catch((cause: unknown): TooManyKnown => {
        if (!(cause instanceof TooManyKnownError)) throw cause;
        return { ok: false, reason: 'TOO_MANY_KNOWN', most: MOST_KNOWN };
      });
  // This is committed first, so that payments that are told during a long import are matched after it.
  await beginReconciliation(parts.database, scope);
  return surely(write);
}

async function write1(
  transaction: Database,
  parts: StatementParts,
  scope: PlanScope,
  file: StatementFile,
  context: CommandContext,
): Promise<ImportedStatement> {
  await lockReconciliation(transaction, scope);
  const isRead = sql`s.sha256 = ${file.sha256} and s.map_digest is not distinct from ${file.mapDigest ?? null}::bytea`;
  const [same] = await loadStatements(transaction, scope, isRead);
  const statementId = same?.statementId ?? file.statementId;
  const updated = same === undefined ? await insert(transaction, parts, scope, file, context) : [];
  const replaced = await takePlace(transaction, scope, statementId, new Date(context.atMs).toISOString());
  const { organisationId, environment } = scope;
  const { rows: lines } = await sql<{ entry_id: string }>`
    select distinct l.entry_id from statement_lines l
    where l.organisation_id = ${organisationId} and l.environment = ${environment}
      and l.statement_id = ${statementId}
    order by l.entry_id`.execute(transaction);
  const entryIds = lines.map((line) => line.entry_id);
  const matched = await matchByItself(transaction, parts, scope, { entryIds }, context);
  const [statement] = await loadStatements(transaction, scope, isStatement(statementId));
  if (statement === undefined) throw new Error('A statement must be there once it was written.');
  const imported = same === undefined ? [{ type: 'statement.imported', statement } as const] : [];
  await writeStatementEvents(
    transaction,
    parts,
    scope,
    [...imported, ...updated, ...replaced, ...matched],
    context.atMs,
  );
  const isOwn = same === undefined || same.statementId === file.statementId;
  return { ok: true, outcome: isOwn ? 'IMPORTED' : 'EXISTS', statement };
}

/** How many entries are written by one query. */
const WRITTEN_AT_ONCE = 500;

async function insert(
  transaction: Database,
  parts: StatementParts,
  scope: PlanScope,
  file: StatementFile,
  context: CommandContext,
): Promise<readonly StatementChange[]> {
  const { organisationId, environment } = scope;
  let lineCount = 0;
  for (const { units } of file.sections) lineCount += units.length;
  const lines = identifiedLines(transaction, parts, scope, file.sections);
  const key = { organisation_id: organisationId, environment };
  const at = new Date(context.atMs).toISOString();
  const statement = {
    ...{ ...key, statement_id: file.statementId, sha256: `\\x${file.sha256.toString('hex')}` },
    ...{ format: file.format, map_name: file.mapName ?? null, line_count: lineCount },
    map_digest: file.mapDigest === undefined ? null : `\\x${file.mapDigest.toString('hex')}`,
    ...{ made_by: context.actor, created_at: at },
  };
  const sections = file.sections.map(({ account, currency, number, opening, closing }, position) => ({
    ...{ ...key, statement_id: file.statementId, position, currency },
    account_tag: `\\x${accountTag(parts, scope, account).toString('hex')}`,
    account_masked: `…${end(account)}`,
    number: number ?? null,
    opening: opening === undefined ? null : String(opening.minor),
    opening_on: opening?.on ?? null,
    closing: closing === undefined ? null : String(closing.minor),
    closing_on: closing?.on ?? null,
  }));
  await sql`insert into statements select * from ${recordset('statements', [statement])}`.execute(
    transaction,
  );
  await sql`insert into statement_sections
    select * from ${recordset('statement_sections', sections)}`.execute(transaction);
  const published: StatementChange[] = [];
  let part: Line[] = [];
  let written = 0;
  for await (const line of lines) {
    part.push(line);
    if (part.length < WRITTEN_AT_ONCE && written + part.length < lineCount) continue;
    const changed = await insertLines(transaction, parts, scope, { file, first: written, part }, at);
    for (const each of changed) published.push(each);
    written += part.length;
    part = [];
  }
  return published;
}

type Part = {
  readonly file: StatementFile;
  readonly first: number;
  readonly part: readonly Line[];
};

/** Writes a part of the lines of a statement, and the entries that are new. Returns which entries have changed. */
async function insertLines(
  transaction: Database,
  parts: StatementParts,
  scope: PlanScope,
  { file, first, part: read }: Part,
  at: string,
): Promise<readonly StatementChange[]> {
  const part = await withNamedPayments(transaction, parts, scope, read);
  const { organisationId, environment } = scope;
  const key = { organisation_id: organisationId, environment };
  const { rows: known } = await sql<{ entry_id: string; identity: Buffer }>`
    select e.entry_id, e.identity from statement_entries e
    where e.organisation_id = ${organisationId} and e.environment = ${environment}
      and e.identity = any(${part.map(({ identity }) => identity)})`.execute(transaction);
  const idOf = new Map(known.map(({ entry_id: entryId, identity }) => [identity.toString('hex'), entryId]));
  const old = part.filter(({ identity }) => idOf.has(identity.toString('hex')));
  const rows = part.flatMap(({ unit, wordTags, hasMoreWords, section, identity }) => {
    const hex = identity.toString('hex');
    if (idOf.has(hex)) return [];
    const entryId = `ent_${randomUUIDv7().replaceAll('-', '')}`;
    idOf.set(hex, entryId);
    return [
      {
        ...{ ...key, entry_id: entryId, identity: `\\x${hex}`, direction: unit.direction },
        ...{
          currency: file.sections[section]?.currency,
          amount: String(unit.minor),
          booked_on: unit.bookedOn,
        },
        ...{ is_reversal: unit.isReversal, is_rest: unit.isRest },
        ...unitColumns(unit),
        ...{ word_tags: wordTags, has_more_words: hasMoreWords },
        ...sealedColumns(parts.sealing, scope, entryId, unit),
        ...{ status: 'OPEN', proposals: [], is_decided: false, updated_at: at },
      },
    ];
  });
  await sql`insert into statement_entries
    select * from ${recordset('statement_entries', rows)}`.execute(transaction);
  const lines = part.map(({ section, identity }, index) => ({
    ...{ ...key, statement_id: file.statementId, position: first + index, section },
    entry_id: idOf.get(identity.toString('hex')),
  }));
  await sql`insert into statement_lines
    select * from ${recordset('statement_lines', lines)}`.execute(transaction);
  const told = new Map(old.map(({ unit, identity }) => [idOf.get(identity.toString('hex')) ?? '', unit]));
  const tags = old.map(({ wordTags, hasMoreWords, identity }) => ({
    ...{ entry_id: idOf.get(identity.toString('hex')), word_tags: wordTags, has_more_words: hasMoreWords },
  }));
  // What was erased is not kept again.
  await sql`update statement_entries e set word_tags = c.word_tags, has_more_words = c.has_more_words
    from ${recordset('statement_entries', tags)} as c
    where e.organisation_id = ${organisationId} and e.environment = ${environment}
      and e.entry_id = c.entry_id and e.sealed is not null
      and (e.word_tags, e.has_more_words) is distinct from (c.word_tags, c.has_more_words)`.execute(
    transaction,
  );
  return updateEntries(transaction, parts, scope, told, at);
}

/**
 * Updates entries of which another statement tells more. One that was matched by itself is open again: it may be another payment. That of
 * a name that was erased stays, because it could not be judged as it was.
 */
async function updateEntries(
  transaction: Database,
  parts: StatementParts,
  scope: PlanScope,
  told: ReadonlyMap<string, StatementUnit>,
  at: string,
): Promise<readonly StatementChange[]> {
  const { organisationId, environment } = scope;
  const ids = [...told.keys()];
  if (ids.length === 0) return [];
  const before = await loadEntries(transaction, scope, sql`e.entry_id = any(${ids})`);
  const rows = before.flatMap((found) => {
    const { kept, sealed } = found;
    const unit = told.get(kept.entryId);
    if (unit === undefined || isKnownAlready(parts, scope, found, unit)) return [];
    // What was erased is not kept again.
    const details =
      sealed === undefined
        ? { key_id: null, sealed: null }
        : sealedColumns(parts.sealing, scope, kept.entryId, unit);
    return [{ entry_id: kept.entryId, ...unitColumns(unit), ...details }];
  });
  if (rows.length === 0) return [];
  const changed = new Set(rows.map((row) => row.entry_id));
  const reopened = before
    .filter(({ kept, isDecided, sealed }) => kept.status === 'MATCHED' && !isDecided && sealed !== undefined)
    .map(({ kept }) => kept.entryId)
    .filter((entryId) => changed.has(entryId));
  await sql`delete from entry_allocations a
    where a.organisation_id = ${organisationId} and a.environment = ${environment}
      and a.entry_id = any(${reopened})`.execute(transaction);
  await sql`update statement_entries e set value_on = c.value_on, servicer_reference = c.servicer_reference,
      end_to_end_id = c.end_to_end_id, "references" = c."references", reference_forms = c.reference_forms, code = c.code, masked = c.masked,
      key_id = c.key_id, sealed = c.sealed, updated_at = ${at},
      status = case when e.entry_id = any(${reopened}) then 'OPEN' else e.status end
    from ${recordset('statement_entries', rows)} as c
    where e.organisation_id = ${organisationId} and e.environment = ${environment}
      and e.entry_id = c.entry_id`.execute(transaction);
  const after = await loadEntries(transaction, scope, sql`e.entry_id = any(${[...changed]})`);
  const old = new Map(before.map(({ kept }) => [kept.entryId, kept]));
  return after.map(({ kept }) => ({
    type: 'statement_entry.updated',
    before: old.get(kept.entryId),
    after: kept,
  }));
}

/** Whether a unit tells nothing new of an entry. */
function isKnownAlready(
  { sealing }: StatementParts,
  scope: PlanScope,
  found: FoundEntry,
  unit: StatementUnit,
): boolean {
  const { valueOn, servicerReference, endToEndId, references, code, masked } = found.kept;
  const { name, account } = maskOf(unit);
  const isSame =
    JSON.stringify([
      valueOn,
      servicerReference,
      endToEndId,
      references,
      code,
      masked.name,
      masked.account,
    ]) ===
    JSON.stringify([
      ...[unit.valueOn, unit.servicerReference, unit.endToEndId, unit.references, unit.code],
      ...[name, account],
    ]);
  if (!isSame || found.sealed === undefined) return isSame;
  const details = openDetails(sealing, scope, found);
  return details?.name === unit.name && details?.account === (unit.account && accountForm(unit.account));
}
