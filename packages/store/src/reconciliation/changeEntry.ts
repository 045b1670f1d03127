import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { CommandContext } from '../plans/commandContext.ts';
import type { PlanScope } from '../plans/planScope.ts';
import { recordset } from '@fairway/postgres';
import { lockReconciliation } from './bookLock.ts';
import { writeStatementEvents } from './writeStatementEvents.ts';
import { loadEntries } from './entryRows.ts';
import { directionOfPayment, type FoundMovement, isOfPlans, loadMovements, planIdIn } from './movements.ts';
import { followCorrected } from './followCorrected.ts';
import { isReplaced, READ_OTHERWISE } from './readings.ts';
import type { Allocation, KeptEntry, StatementChange, StatementParts } from './statement.ts';

/** A part of an entry that a person says is a part of a movement. `minor`: above 0, in minor units of the entry's currency. */
export type AskedAllocation = { readonly movementId: string; readonly minor: bigint };

/** What a person decides about an entry. MATCH: the entry is these parts of movements, and no others. */
export type EntryDecision =
  | {
      readonly type: 'MATCH';
      readonly allocations: readonly AskedAllocation[];
    }
  | { readonly type: 'UNMATCH' }
  | { readonly type: 'IGNORE'; readonly reason: string };

/**
 * Why a decision is not carried out; `index` is the allocation's. MOVEMENT_UNKNOWN: the scope has no such payout or return, or it was taken
 * back. MOVEMENT_TOO_SMALL: other entries (`entryIds`, at most five) have the rest of it: `leftMinor` is left. ENTRY_TOO_SMALL: all allocations come to more than the
 * entry. ENTRY_MATCHED: an entry that is matched is not ignored.
 */
export type EntryRefusal =
  | { readonly ok: false; readonly reason: 'ENTRY_UNKNOWN' | 'ENTRY_MATCHED' }
  | {
      readonly ok: false;
      readonly reason: 'ENTRY_TOO_SMALL';
      readonly askedMinor: bigint;
      readonly entryMinor: bigint;
    }
  | {
      readonly ok: false;
      readonly reason: 'MOVEMENT_UNKNOWN' | 'DIRECTION_DIFFERS' | 'CURRENCY_DIFFERS';
      readonly index: number;
    }
  | {
      readonly ok: false;
      readonly reason: 'MOVEMENT_TOO_SMALL';
      readonly index: number;
      readonly leftMinor: bigint;
      readonly entryIds: readonly string[];
    };

/** The entry after a decision. */
export type DecidedEntry = { readonly ok: true; readonly entry: KeptEntry } | EntryRefusal;

/** Carries a decision about an entry out, with its event. A decision that changes nothing writes nothing. */
export async function decideEntry(
  parts: StatementParts,
  scope: PlanScope,
  entryId: string,
  decision: EntryDecision,
  context: CommandContext,
): Promise<DecidedEntry> {
  return parts.database.transaction().execute(async (transaction): Promise<DecidedEntry> => {
    await lockReconciliation(transaction, scope);
    if (decision.type === 'MATCH') {
      const planIds = decision.allocations.flatMap(({ movementId }) => planIdIn(movementId) ?? []);
      const followed = await followCorrected(transaction, scope, planIds, context);
      await writeStatementEvents(transaction, parts, scope, followed, context.atMs);
    }
    const [found] = await loadEntries(transaction, scope, sql`e.entry_id = ${entryId}`);
    if (found === undefined) return { ok: false, reason: 'ENTRY_UNKNOWN' };
    const { kept, isDecided } = found;
    if (decision.type === 'MATCH') {
      const checked = await checkMatch(transaction, scope, kept, decision);
      if (!checked.ok) return checked;
      if (isSame(kept, decision.allocations)) return { ok: true, entry: kept };
      const status = sumOf(decision.allocations) === kept.minor ? 'MATCHED' : 'PARTLY_MATCHED';
      return write(
        transaction,
        parts,
        scope,
        kept,
        { status, movements: checked.movements },
        decision,
        context,
      );
    }
    if (decision.type === 'IGNORE') {
      if (kept.allocations.length > 0) return { ok: false, reason: 'ENTRY_MATCHED' };
      if (kept.status === 'IGNORED' && kept.ignoredReason === decision.reason)
        return { ok: true, entry: kept };
      const ignored = { status: 'IGNORED', ignoredReason: decision.reason } as const;
      return write(transaction, parts, scope, kept, ignored, decision, context);
    }
    // An entry of an import that another reading of its file has replaced is none that is to be matched.
    if (await isReplaced(transaction, scope, entryId)) {
      if (kept.status === 'IGNORED' && kept.ignoredReason === READ_OTHERWISE)
        return { ok: true, entry: kept };
      const ignored = { status: 'IGNORED', ignoredReason: READ_OTHERWISE } as const;
      return write(transaction, parts, scope, kept, ignored, decision, context);
    }
    if (kept.status === 'OPEN' && isDecided) return { ok: true, entry: kept };
    return write(transaction, parts, scope, kept, { status: 'OPEN' }, decision, context);
  });
}

function sumOf(allocations: readonly { readonly minor: bigint }[]): bigint {
  let sum = 0n;
  for (const { minor } of allocations) sum += minor;
  return sum;
}

function isSame({ allocations, status }: KeptEntry, asked: readonly AskedAllocation[]): boolean {
  const spell = (all: readonly AskedAllocation[]) =>
    all
      .map(({ movementId, minor }) => `${movementId} ${minor}`)
      .toSorted()
      .join();
  return ['MATCHED', 'PARTLY_MATCHED'].includes(status) && spell(allocations) === spell(asked);
}

async function checkMatch(
  transaction: Database,
  scope: PlanScope,
  entry: KeptEntry,
  { allocations }: Extract<EntryDecision, { type: 'MATCH' }>,
): Promise<{ readonly ok: true; readonly movements: readonly FoundMovement[] } | EntryRefusal> {
  const askedMinor = sumOf(allocations);
  if (askedMinor > entry.minor)
    return { ok: false, reason: 'ENTRY_TOO_SMALL', askedMinor, entryMinor: entry.minor };
  const planIds = allocations.flatMap(({ movementId }) => planIdIn(movementId) ?? []);
  const found = await loadMovements(transaction, scope, isOfPlans(planIds));
  const movements: FoundMovement[] = [];
  for (const [index, { movementId, minor }] of allocations.entries()) {
    const movement = found.find((each) => each.movement.movementId === movementId);
    if (movement === undefined || movement.isTakenBack)
      return { ok: false, reason: 'MOVEMENT_UNKNOWN', index };
    const { money, taken } = movement;
    if (directionOfPayment(movement.movement) !== entry.direction)
      return { ok: false, reason: 'DIRECTION_DIFFERS', index };
    if (money.currency !== entry.currency) return { ok: false, reason: 'CURRENCY_DIFFERS', index };
    const own = sumOf(entry.allocations.filter((each) => each.movementId === movementId));
    // When nobody told the amount of a movement, an entry tells it: there is none left for another one.
    const wholeMinor = money.minor ?? (taken > own ? taken : minor);
    const leftMinor = wholeMinor - taken + own;
    if (minor > leftMinor) {
      const entryIds = await otherEntriesOf(transaction, scope, movement, entry.entryId);
      return { ok: false, reason: 'MOVEMENT_TOO_SMALL', index, leftMinor, entryIds };
    }
    movements.push(movement);
  }
  return { ok: true, movements };
}

/** How many entries a refusal names. */
const MOST_NAMED = 5;

/** The other entries that have parts of a movement. */
async function otherEntriesOf(
  transaction: Database,
  { organisationId, environment }: PlanScope,
  { planId, movement }: FoundMovement,
  entryId: string,
): Promise<readonly string[]> {
  const { rows } = await sql<{ entry_id: string }>`
    select a.entry_id from entry_allocations a
    where a.organisation_id = ${organisationId} and a.environment = ${environment}
      and a.plan_id = ${planId} and a.movement_seq = ${movement.seq} and a.entry_id <> ${entryId}
    order by a.entry_id limit ${MOST_NAMED}`.execute(transaction);
  return rows.map((row) => row.entry_id);
}

const TYPES = {
  MATCH: 'statement_entry.matched',
  UNMATCH: 'statement_entry.unmatched',
  IGNORE: 'statement_entry.ignored',
} as const;

async function write(
  transaction: Database,
  parts: StatementParts,
  scope: PlanScope,
  before: KeptEntry,
  next: Pick<KeptEntry, 'status' | 'ignoredReason'> & { readonly movements?: readonly FoundMovement[] },
  decision: EntryDecision,
  { actor, atMs }: CommandContext,
): Promise<DecidedEntry> {
  const { organisationId, environment } = scope;
  const { entryId } = before;
  const at = new Date(atMs).toISOString();
  await sql`delete from entry_allocations a
    where a.organisation_id = ${organisationId} and a.environment = ${environment}
      and a.entry_id = ${entryId}`.execute(transaction);
  const asked = decision.type === 'MATCH' ? decision.allocations : [];
  const by: Allocation['by'] = 'PERSON';
  const rows = asked.map(({ minor }, index) => ({
    ...{ organisation_id: organisationId, environment, entry_id: entryId },
    plan_id: next.movements?.[index]?.planId,
    movement_seq: next.movements?.[index]?.movement.seq,
    ...{ amount: String(minor), matched_by: by, made_by: actor, made_at: at },
  }));
  if (rows.length > 0)
    await sql`insert into entry_allocations
      select * from ${recordset('entry_allocations', rows)}`.execute(transaction);
  await sql`update statement_entries e set status = ${next.status}, proposals = '[]', is_decided = true,
      ignored_reason = ${next.ignoredReason ?? null}, updated_at = ${at}
    where e.organisation_id = ${organisationId} and e.environment = ${environment}
      and e.entry_id = ${entryId}`.execute(transaction);
  const [found] = await loadEntries(transaction, scope, sql`e.entry_id = ${entryId}`);
  if (found === undefined) throw new Error('An entry that was written must be there.');
  const change: StatementChange = { type: TYPES[decision.type], before, after: found.kept };
  await writeStatementEvents(transaction, parts, scope, [change], atMs);
  return { ok: true, entry: found.kept };
}
