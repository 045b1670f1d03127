import { cutForms, MATCH_DAYS } from '@fairway/statements';
import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { PlanScope } from '../plans/planScope.ts';
import { type FoundMovement, referencesOf, shifted } from './movements.ts';

/** The condition that `e`, a row of entries, may still be matched by itself: that of the indexes `statement_entries_open_…`. */
export const IS_TO_BE_MATCHED = sql`(not e.is_decided and not e.is_rest and e.status in ('OPEN', 'TENTATIVE'))`;

/**
 * The ids of the entries that are to be matched and may be one of these movements. They have a reference of it, whole or
 * cut, or its amount on a day near it.
 */
export async function entriesThatMayBe(
  transaction: Database,
  { organisationId, environment }: PlanScope,
  movements: readonly FoundMovement[],
): Promise<readonly string[]> {
  if (movements.length === 0) return [];
  const forms = [...new Set(movements.flatMap(referencesOf).flatMap(cutForms))];
  const days = movements.flatMap(({ money: { currency, minor }, on }) =>
    minor === undefined ? [] : [`${currency} ${minor} ${on}`],
  );
  const paid = [...new Set(days)].map((text) => {
    const [currency = '', amount = '', on = ''] = text.split(' ');
    return { currency, amount, first: day(on, -MATCH_DAYS), last: day(on, MATCH_DAYS) };
  });
  const all = (name: keyof (typeof paid)[number]) => paid.map((each) => each[name]);
  const isOwn = sql`e.organisation_id = ${organisationId} and e.environment = ${environment} and ${IS_TO_BE_MATCHED}`;
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

function day(on: string, dayCount: number): string {
  return shifted(on, dayCount).slice(0, 10);
}
