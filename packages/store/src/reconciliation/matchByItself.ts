import {
  createTurns,
  MATCH_DAYS,
  type MatchEntry,
  matchEntries,
  type MatchResult,
  nameForm,
  type Proposal,
  referenceForm,
  referencesIn,
} from '@fairway/statements';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { CommandContext } from '../plans/commandContext.ts';
import type { PlanScope } from '../plans/planScope.ts';
import { recordset } from '@fairway/postgres';
import { isStanding } from '../plans/standingMovement.ts';
import { type FoundEntry, loadEntries, openDetails } from './entryRows.ts';
import { type FoundMovement, loadMovements, matchable, PAID_AT, referencesOf, shifted } from './movements.ts';
import { followCorrected } from './followCorrected.ts';
import { entriesThatMayBe, isToBeMatched, REFERENCE_STAGES } from './entriesThatMayBe.ts';
import { type NamedPayment, paymentsNamed } from './namedPayments.ts';
import { payeesOf } from './payees.ts';
import { releaseMatches, type ReleasedRow, withoutReleased, writeAllocations } from './released.ts';
import type { EntryStatus, KeptEntry, StatementChange, StatementParts } from './statement.ts';

/** How many entries are read and written at once, so that no statement of the database takes long. */
const READ_AT_ONCE = 2_000;
const WRITTEN_AT_ONCE = 500;
/** How many steps an entry takes until it can be matched: its name is opened, and brought into the form in which it is compared. */
const ENTRY_STEPS = 25;

/**
 * Matches those of some entries that nobody has decided about, in a transaction that holds the lock of
 * reconciliation. Answers what is to be published. Entries of any statement that may be the same movements are matched
 * with them. Those that were matched for their amount, day and name alone are matched again. So no movement is given to
 * one entry while another may be meant, and the order of telling changes nothing. The rivals of these rivals take part,
 * too, and stay as they are. `again`: entries that were matched by a reference and are judged once more.
 */
export async function matchByItself(
  transaction: Database,
  parts: StatementParts,
  scope: PlanScope,
  asked: { readonly entryIds: readonly string[]; readonly again?: readonly string[] },
  context: CommandContext,
): Promise<readonly StatementChange[]> {
  const { entryIds, again = [] } = asked;
  const open = [
    ...(await loadToBeMatched(transaction, scope, entryIds)),
    ...(await loadEach(
      transaction,
      scope,
      again,
      sql`and ${isToBeMatched(scope, REFERENCE_STAGES)}
      and e.status = 'MATCHED' and e.entry_id <> all(${entryIds})`,
    )),
  ];
  if (open.length === 0) return [];
  const own = await wantedOf(transaction, parts, scope, open);
  const days = daysOf(own);
  const near = await movementsFor(transaction, scope, own, { days, hopCount: 0 });
  const rivals = await withRivals(transaction, parts, scope, own, near);
  const around =
    rivals === own ? near : await movementsFor(transaction, scope, rivals, { days, hopCount: 1 });
  const all = rivals === own ? own : await withRivals(transaction, parts, scope, rivals, around);
  const movements =
    all === rivals ? around : await movementsFor(transaction, scope, all, { days, hopCount: 2 });
  const planIds = [...new Set(metBy(all, movements).map(({ planId }) => planId))];
  const followed = await followCorrected(transaction, scope, planIds, context);
  // What entries have of the movements is another amount now.
  if (followed.length > 0)
    return [...followed, ...(await matchByItself(transaction, parts, scope, asked, context))];
  const released = await releaseMatches(transaction, scope, all.found);
  const payees = await payeesOf(transaction, parts.sealing, scope, planIds);
  const results = await matchEntries(
    all.entries,
    withoutReleased(movements, released).map((each) => matchable(each, payees.get(each.planId))),
  );
  return writeResults(transaction, scope, { judged: rivals.found, movements, results, released }, context);
}

/** Entries with those that are to be matched, too, and may be the same of some movements. */
async function withRivals(
  transaction: Database,
  parts: StatementParts,
  scope: PlanScope,
  wanted: Wanted,
  movements: readonly FoundMovement[],
): Promise<Wanted> {
  const met = await entriesThatMayBe(transaction, scope, metBy(wanted, movements));
  const known = new Set(wanted.entries.map(({ entryId }) => entryId));
  const others = met.filter((entryId) => !known.has(entryId));
  if (others.length === 0) return wanted;
  const rivals = await wantedOf(transaction, parts, scope, await loadToBeMatched(transaction, scope, others));
  return {
    found: [...wanted.found, ...rivals.found],
    entries: [...wanted.entries, ...rivals.entries],
    named: new Map([...wanted.named, ...rivals.named]),
  };
}

/**
 * Entries as they are kept, and as they are matched. `named`: the forms of their references that are those of payments, with the plans; a large
 * file has a million others.
 */
type Wanted = {
  readonly found: readonly FoundEntry[];
  readonly entries: readonly MatchEntry[];
  readonly named: ReadonlyMap<string, readonly string[]>;
};

/** The movements that entries may be: those with their amount, or with a reference of theirs. */
function metBy({ entries, named }: Wanted, movements: readonly FoundMovement[]): readonly FoundMovement[] {
  const amounts = new Set(entries.map(({ currency, minor }) => `${currency} ${minor}`));
  const plans = new Set([...named.values()].flat());
  return movements.filter(
    (found) =>
      amounts.has(`${found.money.currency} ${found.money.minor}`) ||
      plans.has(found.planId) ||
      referencesOf(found).some((reference) => named.has(referenceForm(reference))),
  );
}

type Days = { readonly first: string; readonly last: string };

/** The first and the last day of some entries. */
function daysOf({ entries }: Wanted): Days {
  let [first, last] = [entries[0]?.valueOn ?? '', ''];
  for (const { valueOn } of entries) {
    if (valueOn < first) first = valueOn;
    if (valueOn > last) last = valueOn;
  }
  return { first, last };
}

/** Loads those of some entries that are to be matched. */
function loadToBeMatched(
  transaction: Database,
  scope: PlanScope,
  entryIds: readonly string[],
): Promise<readonly FoundEntry[]> {
  return loadEach(transaction, scope, entryIds, sql`and ${isToBeMatched(scope)}`);
}

async function loadEach(
  transaction: Database,
  scope: PlanScope,
  entryIds: readonly string[],
  more: RawBuilder<unknown> = sql``,
): Promise<readonly FoundEntry[]> {
  const found: FoundEntry[] = [];
  for (let index = 0; index < entryIds.length; index += READ_AT_ONCE) {
    const part = entryIds.slice(index, index + READ_AT_ONCE);
    found.push(
      ...(await loadEntries(transaction, scope, sql`e.entry_id = any(${part}) ${more} order by e.entry_id`)),
    );
  }
  return found;
}

function matchEntryOf(parts: StatementParts, scope: PlanScope, found: FoundEntry): MatchEntry {
  const { entryId, direction, currency, minor, bookedOn, valueOn, isReversal } = found.kept;
  const { endToEndId, references } = found.kept;
  const { name, account } = openDetails(parts.sealing, scope, found) ?? {};
  return {
    ...{ entryId, direction, currency, minor, bookedOn, valueOn, isReversal, references },
    ...{ payments: [], begunPayments: [], mayNameMore: found.isFull },
    ...(endToEndId === undefined ? {} : { endToEndId }),
    ...(name === undefined ? {} : { nameForm: nameForm(name) }),
    ...(account === undefined ? {} : { accountForm: account }),
  };
}

/** Entries in the form in which they are matched, with the payments that they name. */
async function wantedOf(
  transaction: Database,
  parts: StatementParts,
  scope: PlanScope,
  found: readonly FoundEntry[],
): Promise<Wanted> {
  const entries: MatchEntry[] = [];
  const all = new Map<string, readonly string[]>();
  const turns = createTurns();
  // In parts, between which others have the thread.
  for (let index = 0; index < found.length; index += WRITTEN_AT_ONCE) {
    const part: MatchEntry[] = [];
    for (const each of found.slice(index, index + WRITTEN_AT_ONCE)) {
      part.push(matchEntryOf(parts, scope, each));
      await turns.step(ENTRY_STEPS);
    }
    const named = await paymentsNamed(transaction, scope, part.flatMap(formsIn));
    for (const [form, { planIds, begunPlanIds }] of named) all.set(form, [...planIds, ...begunPlanIds]);
    for (const entry of part) {
      const found = formsIn(entry).flatMap((form) => named.get(form) ?? []);
      const payments = [...new Set(found.flatMap(({ planIds }) => planIds))];
      const begunPayments = [...new Set(found.flatMap(({ begunPlanIds }) => begunPlanIds))];
      const sure = found.filter(({ isByChance }) => !isByChance);
      const chancePayments = withoutThoseOf(payments, sure);
      const whole = sure.filter(({ planIds, cutPlanIds }) => cutPlanIds.every((id) => planIds.includes(id)));
      const cutPayments = withoutThoseOf(payments, whole).filter((id) => !chancePayments.includes(id));
      entries.push({ ...entry, payments, chancePayments, cutPayments, begunPayments });
    }
  }
  return { found, entries, named: all };
}

/** The payments that none of some references name. */
function withoutThoseOf(payments: readonly string[], named: readonly NamedPayment[]): readonly string[] {
  const known = new Set(named.flatMap(({ planIds }) => planIds));
  return payments.filter((planId) => !known.has(planId));
}

/** The references of an entry in the form in which they are compared. */
function formsIn(entry: MatchEntry): readonly string[] {
  return referencesIn(entry).map(referenceForm);
}

/**
 * The movements that entries may be: of their references, and on days near theirs. `days`: of the entries that are asked
 * for. `hopCount`: others among the entries may be the same movements as these, in so many steps. A reference alone may
 * lead to another year.
 */
async function movementsFor(
  transaction: Database,
  scope: PlanScope,
  wanted: Wanted,
  { days, hopCount }: { readonly days: Days; readonly hopCount: number },
): Promise<readonly FoundMovement[]> {
  const { named } = wanted;
  const all = daysOf(wanted);
  const spanCount = 1 + 2 * hopCount;
  const apartDayCount = spanCount * MATCH_DAYS;
  const from = [shifted(days.first, -apartDayCount), shifted(all.first, -MATCH_DAYS)].toSorted().at(-1) ?? '';
  const [to = ''] = [shifted(days.last, apartDayCount + 1), shifted(all.last, MATCH_DAYS + 1)].toSorted();
  const forms = [...named.keys()];
  // Money that came back has no id of its own, and is found by the plan of its payment. A client's reference and the
  // beginning of any reference name a plan, too.
  const planIds = [...new Set([...named.values()].flat())];
  return loadMovements(
    transaction,
    scope,
    sql`${isStanding('m')} and (m.end_to_end_id collate "C" = any(${forms})
      or reference_form(m.provider_reference) collate "C" = any(${forms})
      or (m.plan_id = any(${planIds}) and not ${isOld(scope)})
      or (${PAID_AT} >= ${from}::timestamptz and ${PAID_AT} < ${to}::timestamptz))`,
  );
}

/** How many movements of a plan are looked at, the newest ones, where only the plan is named. */
const NEWEST_OF_PLAN = 200;

/** Whether `m`, a movement, is none of the newest ones of its plan: one plan can have thousands of payments. */
function isOld({ organisationId, environment }: PlanScope): RawBuilder<unknown> {
  return sql`exists (select from movements x where x.organisation_id = ${organisationId}
    and x.environment = ${environment} and x.plan_id = m.plan_id and x.seq = m.seq + ${sql.lit(NEWEST_OF_PLAN)})`;
}

/** What is written: the results of the entries that are judged. The rest of what was released is written back. */
type Judgement = {
  readonly judged: readonly FoundEntry[];
  readonly movements: readonly FoundMovement[];
  readonly results: readonly MatchResult[];
  readonly released: readonly ReleasedRow[];
};

async function writeResults(
  transaction: Database,
  scope: PlanScope,
  { judged, movements, results, released }: Judgement,
  { actor, atMs }: CommandContext,
): Promise<readonly StatementChange[]> {
  const before = new Map(judged.map(({ kept }) => [kept.entryId, kept]));
  const byId = new Map(movements.map((each) => [each.movement.movementId as string, each]));
  const key = { organisation_id: scope.organisationId, environment: scope.environment };
  const at = new Date(atMs).toISOString();
  const found = new Map(results.map((result) => [result.entryId, result]));
  const changes: { entry_id: string; status: string; proposals: unknown }[] = [];
  const allocations: object[] = [];
  const turns = createTurns();
  for (const [entryId, kept] of before) {
    await turns.step();
    const result = found.get(entryId);
    const proposals = result?.status === 'TENTATIVE' ? result.proposals : [];
    const status = result?.status ?? 'OPEN';
    if (isAsBefore(kept, status, result, proposals)) continue;
    changes.push({ entry_id: entryId, status, proposals });
    if (result?.status !== 'MATCHED') continue;
    const movement = byId.get(result.movementId);
    if (movement === undefined) throw new Error('An entry is matched with a movement that was given.');
    allocations.push({
      ...{ ...key, entry_id: entryId, plan_id: movement.planId, movement_seq: movement.movement.seq },
      ...{ amount: String(kept.minor), matched_by: result.by, made_by: actor, made_at: at },
    });
  }
  for (let index = 0; index < changes.length; index += WRITTEN_AT_ONCE)
    await sql`update statement_entries e set status = c.status, proposals = c.proposals, updated_at = ${at}
      from ${recordset('statement_entries', changes.slice(index, index + WRITTEN_AT_ONCE))} as c
      where e.organisation_id = ${scope.organisationId} and e.environment = ${scope.environment}
        and e.entry_id = c.entry_id`.execute(transaction);
  const changed = new Set(changes.map(({ entry_id }) => entry_id));
  const kept = released.filter(({ entry_id }) => !changed.has(entry_id));
  await writeAllocations(transaction, [...kept, ...allocations]);
  const ids = changes.map(({ entry_id }) => entry_id);
  const after = await loadEach(transaction, scope, ids);
  const afterById = new Map(after.map(({ kept }) => [kept.entryId, kept]));
  return ids.map((entryId) => {
    const kept = afterById.get(entryId);
    if (kept === undefined) throw new Error('An entry that was written must be there.');
    const type = kept.status === 'MATCHED' ? 'statement_entry.matched' : 'statement_entry.updated';
    return { type, before: before.get(entryId), after: kept };
  });
}

/** Whether an entry stands as before: also with the same movement, for the same reason. */
function isAsBefore(
  kept: KeptEntry,
  status: EntryStatus,
  result: MatchResult | undefined,
  proposals: readonly Proposal[],
): boolean {
  if (status !== kept.status) return false;
  if (result?.status !== 'MATCHED') return JSON.stringify(proposals) === JSON.stringify(kept.proposals);
  const [only] = kept.allocations;
  return only?.movementId === result.movementId && only.by === result.by;
}
