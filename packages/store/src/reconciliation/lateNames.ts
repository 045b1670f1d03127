import { recordset } from '@fairway/postgres';
import { CUT_LENGTH, FILE_LIMITS, hasUmlaut, referenceForm, spelledOut } from '@fairway/statements';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { CommandContext } from '../plans/commandContext.ts';
import type { PlanScope } from '../plans/planScope.ts';
import { type FoundEntry, loadEntries } from './entryRows.ts';
import { LEAST_BEGINNING } from './namedPayments.ts';
import { wordTags } from './namesInTexts.ts';
import type { KeptEntry, StatementParts } from './statement.ts';

/** An entry that has got references. */
type Named = {
  readonly type: 'statement_entry.updated';
  readonly before: KeptEntry;
  readonly after: KeptEntry;
};
/** A reference of a plan, whole, or as a bank has cut it, in the form in which references are compared. */
export type Word = { readonly reference: string; readonly form: string; readonly isWhole: boolean };
type Row = { entry_id: string; reference_forms: readonly string[]; word_tags: readonly string[] };

/** References of a plan, and all that banks may leave of them. */
export function wordsOf(references: readonly string[]): readonly Word[] {
  return references.flatMap((reference) => {
    const spellings = hasUmlaut(reference) ? [reference, spelledOut(reference)] : [reference];
    return spellings.flatMap((spelling) => wordsOfForm(reference, referenceForm(spelling)));
  });
}

function wordsOfForm(reference: string, form: string): readonly Word[] {
  const cut = Array.from({ length: Math.max(0, form.length - CUT_LENGTH) }, (_, index) => ({
    ...{ reference, form: form.slice(0, CUT_LENGTH + index), isWhole: false },
  }));
  return [...cut, { reference, form, isWhole: true }];
}

/** How many days before its plan an entry may have a short reference of it, which is in many texts by chance. */
const DAYS_BEFORE = 10;

/**
 * The condition that `e`, a row of entries, is not long before a plan. Only then may words name that plan which are as
 * short as an amount.
 */
function isNearPlan({ organisationId, environment }: PlanScope, planId: string): RawBuilder<unknown> {
  return sql`e.value_on >= (select p.created_at::date - ${sql.lit(DAYS_BEFORE)} from plans p
    where p.organisation_id = ${organisationId} and p.environment = ${environment} and p.plan_id = ${planId})`;
}

/**
 * Gives the references of a plan to the entries whose texts have them, and which were imported before they were told. An
 * entry that was matched by itself is open again: it may be another payment. Answers what is to be published.
 */
export async function nameLate(
  transaction: Database,
  parts: StatementParts,
  scope: PlanScope,
  { planId, words: all }: { readonly planId: string; readonly words: readonly Word[] },
  { atMs }: CommandContext,
): Promise<readonly Named[]> {
  if (!parts.fingerprints.isGuarded) return [];
  const { organisationId, environment } = scope;
  const words = new Map<string, Word>();
  const tagOf = wordTags(parts, scope);
  for (const word of all)
    if (word.isWhole || word.form.length >= LEAST_BEGINNING) words.set(tagOf(word.form), word);
  const [short, long] = [true, false].map((isShort) =>
    [...words].flatMap(([tag, { form }]) => (form.length < CUT_LENGTH === isShort ? tag : [])),
  );
  const { rows } = await sql<Row>`
    select e.entry_id, e.reference_forms, e.word_tags from statement_entries e
    where e.organisation_id = ${organisationId} and e.environment = ${environment}
      and not e.is_decided and not e.is_rest and e.status in ('OPEN', 'TENTATIVE', 'MATCHED')
      and (e.word_tags ?| ${long} or (e.word_tags ?| ${short} and ${isNearPlan(scope, planId)}))
    order by e.entry_id`.execute(transaction);
  const added = new Map(rows.map((row) => [row.entry_id, newWords(row, words)]));
  const ids = rows.map((row) => row.entry_id).filter((entryId) => added.get(entryId)?.length !== 0);
  const before = await loadEntries(transaction, scope, sql`e.entry_id = any(${ids}) order by e.entry_id`);
  const changed = before.filter(({ kept }) => kept.references.length < FILE_LIMITS.references);
  await write(transaction, scope, changed, added, atMs);
  const changedIds = changed.map(({ kept }) => kept.entryId);
  const after = await loadEntries(
    transaction,
    scope,
    sql`e.entry_id = any(${changedIds}) order by e.entry_id`,
  );
  return after.map((each, index) => ({
    type: 'statement_entry.updated',
    before: changed[index]?.kept ?? each.kept,
    after: each.kept,
  }));
}

/** The words that a text has and its entry does not: none that only begins another one. */
function newWords(
  { reference_forms: known, word_tags: tags }: Row,
  words: ReadonlyMap<string, Word>,
): readonly Word[] {
  const found = tags.flatMap((tag) => words.get(tag) ?? []);
  const forms = [...known, ...found.map(({ form }) => form)];
  return found.filter(
    ({ form, isWhole }) =>
      !known.includes(form) && (isWhole || !forms.some((other) => other !== form && other.startsWith(form))),
  );
}

async function write(
  transaction: Database,
  { organisationId, environment }: PlanScope,
  entries: readonly FoundEntry[],
  added: ReadonlyMap<string, readonly Word[]>,
  atMs: number,
): Promise<void> {
  if (entries.length === 0) return;
  const reopened = entries.flatMap(({ kept, sealed }) =>
    kept.status === 'MATCHED' && sealed !== undefined ? [kept.entryId] : [],
  );
  await sql`delete from entry_allocations a
    where a.organisation_id = ${organisationId} and a.environment = ${environment}
      and a.entry_id = any(${reopened})`.execute(transaction);
  const rows = entries.map(({ kept: { entryId, endToEndId = '', references: own } }) => {
    const words = added.get(entryId) ?? [];
    const named = words.map(({ reference, form, isWhole }) => (isWhole ? reference : form));
    const references = [...new Set([...own, ...named])].slice(0, FILE_LIMITS.references);
    const forms = [endToEndId, ...references].map(referenceForm).filter((form) => form !== '');
    return { entry_id: entryId, references, reference_forms: [...new Set(forms)] };
  });
  await sql`update statement_entries e set "references" = c."references", reference_forms = c.reference_forms,
      updated_at = ${new Date(atMs).toISOString()},
      status = case when e.entry_id = any(${reopened}) then 'OPEN' else e.status end
    from ${recordset('statement_entries', rows)} as c
    where e.organisation_id = ${organisationId} and e.environment = ${environment}
      and e.entry_id = c.entry_id`.execute(transaction);
}
