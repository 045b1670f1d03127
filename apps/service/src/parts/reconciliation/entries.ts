import { unlessAway } from '@fairway/postgres';
import type {
  EntryDecision,
  EntryRefusal,
  EntryStatus,
  FoundMovement,
  KeptStatement,
  PlanScope,
  ShownEntry,
} from '@fairway/store';
import { ENTRY_ID_PATTERN, STATEMENT_ID_PATTERN, STATEMENT_LIMITS } from '@fairway/wire';
import {
  type Acting,
  addError,
  done,
  type FieldReader,
  type Fields,
  listedFields,
  type ListPart,
  type ListPartAsk,
  minorAmountField,
  type Outcome,
  type ProblemFacts,
  refuse,
  required,
  textField,
} from '@fairway/api';
import type { StatementParts } from './statementParts.ts';

const STATEMENT_ID = new RegExp(STATEMENT_ID_PATTERN);
const ENTRY_ID = new RegExp(ENTRY_ID_PATTERN);
const MOVEMENT_ID = /^mov_[0-9a-f]{40}$/;

const NO_SUCH_STATEMENT: ProblemFacts = {
  code: 'not-found',
  detail: 'There is no such statement; GET /v1/reconciliation/statements lists those of your organisation.',
};
const NO_SUCH_ENTRY: ProblemFacts = {
  code: 'not-found',
  detail: 'There is no such entry; the entries of a statement list those of your organisation.',
};

/** The statement with an id. */
export async function findStatement(
  { statements }: StatementParts,
  scope: PlanScope,
  statementId: string,
): Promise<Outcome<KeptStatement>> {
  if (!STATEMENT_ID.test(statementId)) return refuse(NO_SUCH_STATEMENT);
  const loaded = await statements.loadStatement(scope, statementId);
  return loaded.found === undefined ? refuse(NO_SUCH_STATEMENT) : done(loaded.found);
}

/** Statements of a scope, newest first. `after`: the id of one. */
export async function listStatements(
  { statements }: StatementParts,
  scope: PlanScope,
  page: ListPartAsk,
): Promise<Outcome<ListPart<KeptStatement>>> {
  const listed = await statements.listStatements(scope, page);
  return done({ items: listed.statements, next: listed.next });
}

/** An entry at its place. */
export type PlacedEntry = ShownEntry & { readonly position: number };

/** Entries of a statement. `after`: a position. */
export async function listEntries(
  { statements }: StatementParts,
  scope: PlanScope,
  ask: {
    readonly statementId: string;
    readonly status?: EntryStatus | undefined;
    readonly isDiffering?: boolean;
  },
  { limit, after }: ListPartAsk,
): Promise<Outcome<ListPart<PlacedEntry>>> {
  if (!STATEMENT_ID.test(ask.statementId)) return refuse(NO_SUCH_STATEMENT);
  const position = after === undefined ? undefined : Number(after);
  const listed = await statements.listEntries(scope, { ...ask, limit, after: position });
  if (!listed.ok) return refuse(NO_SUCH_STATEMENT);
  return done({ items: listed.entries, next: listed.next?.toString() });
}

/** Something that does not agree: an entry, or a movement that is none. */
export type Difference = { readonly entry: PlacedEntry } | { readonly movement: FoundMovement };

/** The differences between a statement and the ledger: entries first, then movements. `after`: the place of one. */
export async function listDifferences(
  parts: StatementParts,
  scope: PlanScope,
  statementId: string,
  { limit, after }: ListPartAsk,
): Promise<Outcome<ListPart<Difference>>> {
  const items: Difference[] = [];
  if (after === undefined || after.startsWith('e')) {
    const page = { limit, after: after?.slice(1) };
    const listed = await listEntries(parts, scope, { statementId, isDiffering: true }, page);
    if (!listed.ok) return listed;
    items.push(...listed.value.items.map((entry) => ({ entry })));
    if (listed.value.next !== undefined) return done({ items, next: `e${listed.value.next}` });
    if (items.length >= limit) return done({ items, next: placeOfDifference(items.at(-1)) });
  }
  if (!STATEMENT_ID.test(statementId)) return refuse(NO_SUCH_STATEMENT);
  const behind = after?.startsWith('mov_') === true ? after : undefined;
  const ask = { statementId, limit: limit - items.length, after: behind };
  const found = await parts.statements.unmatchedMovements(scope, ask);
  if (!found.ok) return refuse(NO_SUCH_STATEMENT);
  items.push(...found.movements.map((movement) => ({ movement })));
  return done({ items, next: found.next });
}

/** The `after` of the part that follows a difference. */
export function placeOfDifference(difference: Difference | undefined): string {
  if (difference === undefined) return '';
  return 'entry' in difference ? `e${difference.entry.position}` : difference.movement.movement.movementId;
}

/** The entry with an id. */
export async function findEntry(
  { statements }: StatementParts,
  scope: PlanScope,
  entryId: string,
): Promise<Outcome<ShownEntry>> {
  if (!ENTRY_ID.test(entryId)) return refuse(NO_SUCH_ENTRY);
  const loaded = await statements.loadEntry(scope, entryId);
  return loaded.found === undefined ? refuse(NO_SUCH_ENTRY) : done(loaded.found);
}

/** Carries a decision about an entry out. */
export async function decide(
  parts: StatementParts,
  { scope, actor }: Acting,
  entryId: string,
  decision: EntryDecision,
): Promise<Outcome<ShownEntry>> {
  if (!ENTRY_ID.test(entryId)) return refuse(NO_SUCH_ENTRY);
  const context = { actor, atMs: parts.nowMs() };
  const decided = await parts.statements.decideEntry(scope, entryId, decision, context);
  if (!decided.ok) return refuse(refusalOf(decided));
  const shown = await unlessAway(parts.statements.showEntry(scope, decided.entry));
  // The decision is written: an answer without the movements says so, too.
  return done(shown === 'AWAY' ? { entry: decided.entry, movements: new Map() } : shown.shown);
}

function refusalOf(refusal: EntryRefusal): ProblemFacts {
  const mismatch = (detail: string): ProblemFacts => ({ code: 'match-mismatch', detail });
  switch (refusal.reason) {
    case 'ENTRY_UNKNOWN':
      return NO_SUCH_ENTRY;
    case 'ENTRY_MATCHED':
      return mismatch('The entry is matched; unmatch it first if it is no movement of a plan.');
    case 'ENTRY_TOO_SMALL':
      return mismatch(
        `The allocations come to ${refusal.askedMinor}, the entry has ${refusal.entryMinor} in all; they may come to less.`,
      );
    case 'MOVEMENT_UNKNOWN':
      return mismatch(
        `allocations/${refusal.index}: there is no such payout or return that still stands. If a payment was reported once more, name its newest movement; other kinds are no entries.`,
      );
    case 'DIRECTION_DIFFERS':
      return mismatch(
        `allocations/${refusal.index}: a payout is an entry with direction OUT, and a return one with IN.`,
      );
    case 'CURRENCY_DIFFERS':
      return mismatch(
        `allocations/${refusal.index}: the movement was paid in another currency than the entry is in.`,
      );
    case 'MOVEMENT_TOO_SMALL':
      return mismatch(
        `allocations/${refusal.index}: ${refusal.leftMinor} minor units of the movement are left for this entry, and more was named.${takenText(refusal.entryIds)}`,
      );
  }
}

/** Entries that have more of a movement than is left of it, and what to do about them. */
function takenText(entryIds: readonly string[]): string {
  if (entryIds.length === 0) return '';
  const [have, them] = entryIds.length === 1 ? ['has', 'it'] : ['have', 'them'];
  return ` ${entryIds.join(', ')} ${have} the rest: unmatch ${them} first if that is wrong, or name less.`;
}

const movementField: FieldReader<string> = {
  must: 'the id of a movement, such as "mov_" and 40 hex digits; the movements of a plan list them',
  read: (given) =>
    typeof given === 'string' && MOVEMENT_ID.test(given) ? { ok: true, value: given } : { ok: false },
};

/** Reads which movements an entry is; undefined when a field is wrong. */
export function readAllocations(
  fields: Fields,
): Extract<EntryDecision, { type: 'MATCH' }>['allocations'] | undefined {
  const most = STATEMENT_LIMITS.allocations;
  const listed = listedFields(fields, 'allocations', ['movementId', 'amount'], most);
  if (!fields.values.has('allocations'))
    addError(fields, 'allocations', `allocations is missing; it must be a list of 1 to ${most} objects.`);
  if (listed?.length === 0)
    addError(fields, 'allocations', 'allocations must not be empty; unmatch an entry instead.');
  const allocations = (listed ?? []).flatMap((each) => {
    const movementId = required(each, 'movementId', movementField);
    const minor = required(each, 'amount', minorAmountField);
    if (minor !== undefined && minor >= 10n ** 19n)
      addError(each, 'amount', 'amount must have at most 19 digits.');
    return movementId === undefined || minor === undefined ? [] : [{ movementId, minor }];
  });
  if (new Set(allocations.map(({ movementId }) => movementId)).size !== allocations.length)
    addError(fields, 'allocations', 'allocations must name each movement once.');
  return fields.errors.length > 0 ? undefined : allocations;
}

/** Reads why an entry is ignored; undefined when the field is wrong. */
export function readReason(fields: Fields): string | undefined {
  return required(fields, 'reason', textField(STATEMENT_LIMITS.reasonLength));
}
