import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { PlanScope } from '../plans/planScope.ts';
import { isStanding } from '../plans/standingMovement.ts';
import { loadEntries } from './entryRows.ts';
import { type FoundMovement, isOfPlans, loadMovements, PAID_AT, planIdIn, shifted } from './movements.ts';
import type { EntryStatus, KeptEntry, MatchedMovement } from './statement.ts';
import { isStatement, loadStatements } from './statementRows.ts';

/**
 * An entry with the ids of the movements that it is matched with, or may be. `position`: its place in the statement.
 */
export type ShownEntry = {
  readonly entry: KeptEntry;
  readonly movements: ReadonlyMap<string, MatchedMovement>;
};

/** Entries of a statement in its order. `next`: the `after` of the next part, undefined at the end. */
export type ListedEntries =
  | {
      readonly ok: true;
      readonly entries: readonly (ShownEntry & { readonly position: number })[];
      readonly next: number | undefined;
    }
  | { readonly ok: false; readonly reason: 'STATEMENT_UNKNOWN' };

/** Which entries to list: those behind a position. `isDiffering`: those that are not wholly matched, or with what was taken back since. */
export type EntryAsk = {
  readonly statementId: string;
  readonly status?: EntryStatus | undefined;
  readonly isDiffering?: boolean;
  readonly limit: number;
  readonly after?: number | undefined;
};

/** Lists entries of a statement. */
export async function listEntries(
  database: Database,
  scope: PlanScope,
  ask: EntryAsk,
): Promise<ListedEntries> {
  const [statement] = await loadStatements(database, scope, isStatement(ask.statementId));
  if (statement === undefined) return { ok: false, reason: 'STATEMENT_UNKNOWN' };
  const places = await placesOf(database, scope, ask);
  const part = places.slice(0, ask.limit);
  const ids = part.map(({ entry_id }) => entry_id);
  const found = ids.length === 0 ? [] : await loadEntries(database, scope, sql`e.entry_id = any(${ids})`);
  const byId = new Map(found.map(({ kept }) => [kept.entryId, kept]));
  const shown = await withMovements(database, scope, [...byId.values()]);
  const entries = part.flatMap(({ entry_id: entryId, position }) => {
    const each = shown.get(entryId);
    return each === undefined ? [] : [{ ...each, position }];
  });
  return { ok: true, entries, next: places.length > ask.limit ? part.at(-1)?.position : undefined };
}

async function placesOf(
  database: Database,
  { organisationId, environment }: PlanScope,
  { statementId, status, isDiffering = false, limit, after = -1 }: EntryAsk,
): Promise<readonly { readonly entry_id: string; readonly position: number }[]> {
  const takenBack = sql`exists (select from entry_allocations a join movements later
    on (later.organisation_id, later.environment, later.plan_id, later.reverses)
      = (a.organisation_id, a.environment, a.plan_id, a.movement_seq)
    where a.organisation_id = ${organisationId} and a.environment = ${environment} and a.entry_id = e.entry_id)`;
  const { rows } = await sql<{ entry_id: string; position: number }>`
    select l.entry_id, l.position from statement_lines l
    join statement_entries e on (e.organisation_id, e.environment, e.entry_id)
      = (l.organisation_id, l.environment, l.entry_id)
    where l.organisation_id = ${organisationId} and l.environment = ${environment}
      and l.statement_id = ${statementId} and l.position > ${after}
      ${status === undefined ? sql`` : sql`and e.status = ${status}`}
      ${isDiffering ? sql`and (e.status in ('OPEN', 'TENTATIVE', 'PARTLY_MATCHED') or ${takenBack})` : sql``}
    order by l.position limit ${limit + 1}`.execute(database);
  return rows;
}

/** Entries with the movements that they are matched with, or may be, by the ids of the entries. */
export async function withMovements(
  database: Database,
  scope: PlanScope,
  entries: readonly KeptEntry[],
): Promise<ReadonlyMap<string, ShownEntry>> {
  const idsOf = ({ allocations, proposals }: KeptEntry) =>
    [...allocations, ...proposals].map(({ movementId }) => movementId);
  const planIds = [...new Set(entries.flatMap(idsOf).flatMap((id) => planIdIn(id) ?? []))];
  const found = planIds.length === 0 ? [] : await loadMovements(database, scope, isOfPlans(planIds));
  const byId = new Map(found.map((each) => [each.movement.movementId as string, each]));
  return new Map(
    entries.map((entry) => {
      const movements = idsOf(entry).flatMap((id): [string, MatchedMovement][] => {
        const movement = byId.get(id);
        return movement === undefined ? [] : [[id, movement]];
      });
      return [entry.entryId, { entry, movements: new Map(movements) }];
    }),
  );
}

/** Movements of the days of a statement that no entry wholly has. `next`: the `after` of the next part. */
export type UnmatchedMovements =
  | {
      readonly ok: true;
      readonly movements: readonly FoundMovement[];
      readonly next: string | undefined;
    }
  | { readonly ok: false; readonly reason: 'STATEMENT_UNKNOWN' };

/**
 * Lists payouts and returns in the currencies of a statement that are not wholly in entries of any statement. Their
 * days are from the first to the last of which the statement has an entry or a balance. `after`: the id of a
 * movement.
 */
export async function unmatchedMovements(
  database: Database,
  scope: PlanScope,
  {
    statementId,
    limit,
    after,
  }: { readonly statementId: string; readonly limit: number; readonly after?: string | undefined },
): Promise<UnmatchedMovements> {
  const [statement] = await loadStatements(database, scope, isStatement(statementId));
  if (statement === undefined) return { ok: false, reason: 'STATEMENT_UNKNOWN' };
  const { organisationId, environment } = scope;
  // Days of the balances, too: a payment that the bank does not have is often of a day on which it booked nothing.
  const { rows } = await sql<{ first: string; last: string }>`
      select min(told.first)::text as first, max(told.last)::text as last from (
        select min(e.booked_on) as first, max(e.booked_on) as last from statement_lines l
        join statement_entries e on (e.organisation_id, e.environment, e.entry_id)
          = (l.organisation_id, l.environment, l.entry_id)
        where l.organisation_id = ${organisationId} and l.environment = ${environment}
          and l.statement_id = ${statementId}
        union all
        select c.opening_on, c.closing_on from statement_sections c
        where c.organisation_id = ${organisationId} and c.environment = ${environment}
          and c.statement_id = ${statementId}
      ) told`.execute(database);
  const [days] = rows;
  if (days === undefined) throw new Error('A statement has entries.');
  const currencies = [...new Set(statement.sections.map(({ currency }) => currency))];
  const found = await loadMovements(
    database,
    scope,
    sql`${isStanding('m')} and ${PAID_AT} >= ${shifted(days.first, 0)}::timestamptz
        and ${PAID_AT} < ${shifted(days.last, 1)}::timestamptz
        and coalesce(m.paid -> 'asset' ->> 'currency', p.corridor -> 'target' ->> 'currency') = any(${currencies})
        and ${after === undefined ? sql`true` : isBehind(after)}
        order by m.plan_id, m.seq`,
  );
  const open = found.filter(({ money, taken }) =>
    money.minor === undefined ? taken === 0n : taken < money.minor,
  );
  const movements = open.slice(0, limit);
  return {
    ok: true,
    movements,
    next: open.length > limit ? movements.at(-1)?.movement.movementId : undefined,
  };
}

/** The id of a movement is that of its plan and its number: those of a plan are told apart once they are read. */
function isBehind(movementId: string) {
  const planId = planIdIn(movementId) ?? '';
  const digits = movementId.slice(-8);
  return sql`(m.plan_id, m.seq) > (${planId}, ${BigInt(`0x${digits}`)}::int)`;
}
