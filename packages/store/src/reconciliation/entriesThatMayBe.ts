import { cutForms, MATCH_DAYS, type MatchedBy, referenceForm } from '@fairway/statements';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { PlanScope } from '../plans/planScope.ts';
import { isStanding } from '../plans/standingMovement.ts';
import { type FoundMovement, referencesOf, shifted } from './movements.ts';

/**
 * The condition that `e`, a row of entries, is to be matched by itself. One that was matched for its amount, day and
 * name is matched again, because what was told since may be the same payment. `by`: what else led to a match that is
 * judged again. A name that was erased cannot be compared again, and an entry stays on a movement that was taken back. The first line is the condition of the indexes `statement_entries_own_…`.
 */
export function isToBeMatched(
  { organisationId, environment }: PlanScope,
  by: readonly MatchedBy[] = ['AMOUNT_DATE_NAME'],
): RawBuilder<unknown> {
  return sql`not e.is_decided and not e.is_rest and e.status in ('OPEN', 'TENTATIVE', 'MATCHED')
    and (e.status <> 'MATCHED' or (e.sealed is not null and exists (
      select from entry_allocations a join movements b on b.organisation_id = ${organisationId}
        and b.environment = ${environment} and b.plan_id = a.plan_id and b.seq = a.movement_seq
      where a.organisation_id = ${organisationId} and a.environment = ${environment} and a.entry_id = e.entry_id
        and a.matched_by = any(${by}) and ${isStanding('b')})))`;
}

/**
 * The ids of the entries that are to be matched and may be one of these movements. They have a reference of it, whole or
 * cut, or its amount on a day near it. `more`: forms of references beside those.
 */
export async function entriesThatMayBe(
  transaction: Database,
  scope: PlanScope,
  movements: readonly FoundMovement[],
  more: readonly string[] = [],
): Promise<readonly string[]> {
  if (movements.length === 0 && more.length === 0) return [];
  const forms = [...new Set([...movements.flatMap(referencesOf).flatMap(cutForms), ...more])];
  const days = movements.flatMap(({ money: { currency, minor }, on }) =>
    minor === undefined ? [] : [`${currency} ${minor} ${on}`],
  );
  const paid = [...new Set(days)].map((text) => {
    const [currency = '', amount = '', on = ''] = text.split(' ');
    return { currency, amount, first: day(on, -MATCH_DAYS), last: day(on, MATCH_DAYS) };
  });
  const all = (name: keyof (typeof paid)[number]) => paid.map((each) => each[name]);
  const isOwn = sql`e.organisation_id = ${scope.organisationId} and e.environment = ${scope.environment}
    and ${isToBeMatched(scope)}`;
  // Each part has an index of its own.
  const { rows } = await sql<{ entry_id: string }>`
    select e.entry_id from statement_entries e where ${isOwn} and e.reference_forms ?| ${forms}
    union
    select e.entry_id
    from unnest(${all('currency')}::text[], ${all('amount')}::numeric[], ${all('first')}::date[], ${all('last')}::date[])
      as paid (currency, amount, first_day, last_day)
    join statement_entries e
      on e.currency = paid.currency and e.amount = paid.amount and e.value_on between paid.first_day and paid.last_day
    where ${isOwn}`.execute(transaction);
  return rows.map((row) => row.entry_id);
}

/**
 * The ids of the entries that were matched by a reference which may be one of these, cut at the length of a field. Another
 * plan may have been the only one with such a reference until now.
 */
export async function entriesOfCut(
  transaction: Database,
  scope: PlanScope,
  references: readonly string[],
): Promise<readonly string[]> {
  const whole = new Set(references.map(referenceForm));
  const forms = [...new Set(references.flatMap(cutForms))].filter((form) => !whole.has(form));
  const { rows } = await sql<{ entry_id: string }>`
    select e.entry_id from statement_entries e
    where e.organisation_id = ${scope.organisationId} and e.environment = ${scope.environment}
      and ${isToBeMatched(scope, REFERENCE_STAGES)} and e.status = 'MATCHED'
      and e.reference_forms ?| ${forms}`.execute(transaction);
  return rows.map((row) => row.entry_id);
}

/** What leads to a match by a reference that may be a cut one. */
export const REFERENCE_STAGES: readonly MatchedBy[] = ['PROVIDER_REFERENCE', 'CLIENT_REFERENCE'];

function day(on: string, dayCount: number): string {
  return shifted(on, dayCount).slice(0, 10);
}
