import { CUT_LENGTH, FIELD_LENGTHS, referenceForm, umlautForm } from '@fairway/statements';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { PlanScope } from '../plans/planScope.ts';
import { isStanding } from '../plans/standingMovement.ts';
import { isOwnId } from './words.ts';

/** How many forms of references are looked up by one query. */
const FORMS_AT_ONCE = 5_000;
/** How long the form of a beginning must be: a field of 16 characters leaves as many of a reference with four signs. */
export const LEAST_BEGINNING = 12;
/** How many references that begin with a form are looked at. */
const MOST_BEGUN = 20;
/** Stands for the plans of references that are not looked at. */
const OTHER_PLAN = '';

/**
 * What a form of a reference names. `reference`: as it is ours, or the form itself where it is the beginning of one.
 * `planIds`: the plans that it names, two at most. `begunPlanIds`: the plans that have a reference which begins with it
 * and is longer. Such a beginning of an id of ours names its plan. `cutPlanIds`: those of such plans, two at most, whose
 * reference a field cuts to just this form. `isByChance`: only clients have chosen it, and it is so
 * short that a text may have it by chance, such as an amount.
 */
export type NamedPayment = {
  readonly reference: string;
  readonly planIds: readonly string[];
  readonly begunPlanIds: readonly string[];
  readonly cutPlanIds: readonly string[];
  readonly isByChance: boolean;
};

/**
 * What forms of references name: the client's reference of a plan, or a reference of a payment of it. The payment was
 * made, has failed, or is still to be made. Two plans are found for each form at most. A third one says no more than
 * the second, and thousands of payments may have one reference.
 */
export async function paymentsNamed(
  transaction: Database,
  scope: PlanScope,
  forms: Iterable<string>,
): Promise<ReadonlyMap<string, NamedPayment>> {
  const all = [...new Set(forms)].filter((form) => form !== '');
  const named = new Map<string, NamedPayment>();
  for (let index = 0; index < all.length; index += FORMS_AT_ONCE) {
    const looked = all.slice(index, index + FORMS_AT_ONCE);
    const long = looked.filter((form) => form.length >= LEAST_BEGINNING);
    const known = await knownBeginnings(transaction, scope, long);
    const beginnings = long.filter((form) => known.has(beginningOf(form)));
    const part = [...looked.filter((form) => form.length < LEAST_BEGINNING), ...beginnings];
    for (const { text, first, last, is_clients } of await wholeOnes(transaction, scope, part)) {
      const form = referenceForm(text);
      named.set(form, {
        reference: text,
        planIds: first === last ? [first] : [first, last],
        ...{ begunPlanIds: [], cutPlanIds: [] },
        isByChance: is_clients && form.length < CUT_LENGTH,
      });
    }
    const begun = await begunOnes(transaction, scope, beginnings);
    const whole = begun.map(({ form }) => form).filter((form) => named.has(form));
    const cut = new Map((await cutOnes(transaction, scope, whole)).map((row) => [row.form, row]));
    for (const { form, first, last, count } of begun) {
      const plans = new Set([first, last, ...(count >= MOST_BEGUN ? [OTHER_PLAN] : [])]);
      const { reference = form, planIds = [] } = named.get(form) ?? {};
      const isId = isOwnId(form);
      const cutOf = cut.get(form);
      named.set(form, {
        reference,
        planIds: isId ? [...new Set([...planIds, ...plans])] : planIds,
        begunPlanIds: isId ? [] : [...plans],
        cutPlanIds: cutOf === undefined ? [] : [...new Set([cutOf.first, cutOf.last])],
        isByChance: false,
      });
    }
  }
  return named;
}

/**
 * A place where references of plans are kept, with an index of their forms. End-to-end ids are of their own form.
 * `newest`: the order of those of one plan. `isClients`: clients choose them.
 */
type Source = {
  readonly text: RawBuilder<unknown>;
  readonly form: RawBuilder<unknown>;
  readonly from: RawBuilder<unknown>;
  readonly newest: RawBuilder<unknown>;
  readonly isClients: boolean;
};

function sourcesOf({ organisationId, environment }: PlanScope): readonly Source[] {
  const clients = 'p.client_reference';
  const source = (text: string, form: string, from: RawBuilder<unknown>, newest: string): Source => ({
    ...{ text: sql.raw(text), form: sql.raw(`${form} collate "C"`), from, newest: sql.raw(newest) },
    isClients: text === clients,
  });
  const own = sql`p.organisation_id = ${organisationId} and p.environment = ${environment}`;
  const plans = sql`plans p where ${own}`;
  const steps = sql`plan_steps p where ${own} and p.payout is not null`;
  const paid = sql`step_attempts p where ${own} and p.payout is not null`;
  // The ledger has what was paid, and can take it back: then the reference may be another plan's.
  const attempts = sql`step_attempts p where ${own} and p.provider_reference is not null and p.outcome is null`;
  const movements = sql`movements p where ${own} and p.kind in ('PAYOUT', 'RETURN')`;
  const told = sql`${movements} and p.provider_reference is not null and ${isStanding('p')}`;
  // A payment that is not in the ledger yet, and may never be. A step forgets it, and its events do not.
  const [ofEvent, idOfEvent] = [`(p.command ->> 'providerReference')`, `(p.command ->> 'endToEndId')`];
  const noted = sql`plan_events p where ${own} and ${sql.raw(ofEvent)} is not null
    and p.command ->> 'type' in ('PAYOUT_HELD', 'DELIVERY_REPORTED')
    and (p.command ->> 'type' = 'PAYOUT_HELD' or p.command ->> 'status' in ('SENT', 'FAILED'))`;
  const asked = sql`plan_events p where ${own} and ${sql.raw(idOfEvent)} is not null`;
  const paidAs = `(p.payout ->> 'endToEndId')`;
  const [id, providers] = ['p.end_to_end_id', 'p.provider_reference'];
  const byProvider = `reference_form(${providers})`;
  return [
    source(clients, `reference_form(${clients})`, plans, 'p.plan_id'),
    source(id, id, plans, 'p.plan_id'),
    source(paidAs, paidAs, steps, 'p.position'),
    source(paidAs, paidAs, paid, 'p.position desc'),
    source(providers, byProvider, attempts, 'p.position desc'),
    source(ofEvent, `reference_form(${ofEvent})`, noted, 'p.revision desc'),
    source(idOfEvent, idOfEvent, asked, 'p.revision desc'),
    source(id, id, sql`${movements} and p.end_to_end_id is not null`, 'p.seq desc'),
    source(providers, byProvider, told, 'p.seq desc'),
  ];
}

/** How many references of each kind of a plan are looked at, the newest ones. */
const MOST_OF_PLAN = 100;

/** The references of a plan and of its payments, the newest ones of each kind. */
export async function referencesOfPlan(
  transaction: Database,
  scope: PlanScope,
  planId: string,
): Promise<readonly string[]> {
  const each = sourcesOf(scope).map(
    ({ text, from, newest }) => sql`(select ${text} as text from ${from} and p.plan_id = ${planId}
      order by ${newest} limit ${sql.lit(MOST_OF_PLAN)})`,
  );
  const { rows } = await sql<{ text: string }>`${sql.join(each, sql` union `)}`.execute(transaction);
  return rows.map(({ text }) => text);
}

type WholeRow = {
  readonly text: string;
  readonly first: string;
  readonly last: string;
  readonly is_clients: boolean;
};

async function wholeOnes(
  transaction: Database,
  scope: PlanScope,
  forms: readonly string[],
): Promise<readonly WholeRow[]> {
  const each = sourcesOf(scope).map(
    ({ text, form, from, isClients }) => sql`
      select ${text} as text, p.plan_id, ${sql.lit(isClients ? 1 : 0)} as by_client from ${from} and ${form} = any(${forms})`,
  );
  const { rows } = await sql<WholeRow>`
    select min(named.text) as text, min(named.plan_id) as first, max(named.plan_id) as last,
      min(named.by_client) = 1 as is_clients
    from (${sql.join(each, sql` union `)}) as named group by reference_form(named.text)`.execute(transaction);
  return rows;
}

type BegunRow = {
  readonly form: string;
  readonly first: string;
  readonly last: string;
  readonly count: number;
};

function beginningOf(form: string): string {
  return form.slice(0, LEAST_BEGINNING);
}

/** How many letters of references are compared first, and how many these may be with two letters for each umlaut. */
const [START_LENGTH, SPELLED_LENGTH] = [3, 6];
/** How many such beginnings there may be. */
const MOST_STARTS = 2_000;

/**
 * Finds which forms cannot name a payment, because no reference begins like them. Most references of an organisation
 * begin alike, and nearly all words of a long text otherwise. Each beginning is found by one step in an index.
 */
export async function startsOfReferences(
  transaction: Database,
  scope: PlanScope,
): Promise<(form: string) => boolean> {
  const each = sourcesOf(scope).map(({ form, from }) => {
    const start = sql`(substr(${form}, 1, ${sql.lit(START_LENGTH)}) collate "C")`;
    const behind = sql`(seen.start || case when length(seen.start) < ${sql.lit(START_LENGTH)} then '' else ${BEHIND_ALL} end)`;
    return sql`(with recursive seen (start) as (
        (select ${start} from ${from} order by ${form} limit 1)
        union all
        select (select ${start} from ${from} and ${form} > ${behind} order by ${form} limit 1)
        from seen where seen.start is not null
      ) select start from seen where start is not null limit ${sql.lit(MOST_STARTS + 1)})`;
  });
  const { rows } = await sql<{ start: string }>`${sql.join(each, sql` union all `)}`.execute(transaction);
  if (rows.length > MOST_STARTS) return () => true;
  const starts = new Set(rows.map(({ start }) => start));
  const startOf = (form: string) => form.slice(0, START_LENGTH);
  // An umlaut at the beginning may be spelled with two letters.
  return (form) =>
    starts.has(startOf(form)) || starts.has(startOf(umlautForm(form.slice(0, SPELLED_LENGTH))));
}

/**
 * The beginnings of forms with which a reference begins. The words of a text in a row have one beginning, and nearly
 * always it is that of no reference.
 */
async function knownBeginnings(
  transaction: Database,
  scope: PlanScope,
  forms: readonly string[],
): Promise<ReadonlySet<string>> {
  const each = sourcesOf(scope).map(
    ({ form, from }) => sql`exists (select from ${from} and ${form} >= w.form and ${form} < w.last)`,
  );
  const { rows } = await sql<{ form: string }>`
    select w.form from ${formsToEnds([...new Set(forms.map(beginningOf))])}
    where ${sql.join(each, sql` or `)}`.execute(transaction);
  return new Set(rows.map(({ form }) => form));
}

/** The plans of references that begin with a form and are longer. */
async function begunOnes(
  transaction: Database,
  scope: PlanScope,
  forms: readonly string[],
): Promise<readonly BegunRow[]> {
  if (forms.length === 0) return [];
  const each = sourcesOf(scope).map(
    ({ form, from }) => sql`(select p.plan_id from ${from} and ${form} > w.form and ${form} < w.last
      order by ${form} limit ${sql.lit(MOST_BEGUN)})`,
  );
  const { rows } = await sql<BegunRow>`
    select w.form, min(begun.plan_id) as first, max(begun.plan_id) as last, count(*)::integer as count
    from ${formsToEnds(forms)} cross join lateral (${sql.join(each, sql` union all `)}) as begun
    group by w.form`.execute(transaction);
  return rows;
}

/** How many references that begin with a form are compared with it as a field would cut them. */
const MOST_CUT = 1_000;

/** The plans of longer references that a field cuts to just a form, with their signs or without. */
async function cutOnes(
  transaction: Database,
  scope: PlanScope,
  forms: readonly string[],
): Promise<readonly Omit<BegunRow, 'count'>[]> {
  if (forms.length === 0) return [];
  const each = sourcesOf(scope).map(
    ({ text, form, from }) => sql`(select p.plan_id, ${text} as text from ${from}
      and ${form} > w.form and ${form} < w.last order by ${form} limit ${sql.lit(MOST_CUT)})`,
  );
  const cut = FIELD_LENGTHS.map(
    (length) => sql`length(w.form) = ${sql.lit(length)}
      or reference_form(substr(longer.text, 1, ${sql.lit(length)})) = w.form`,
  );
  const { rows } = await sql<Omit<BegunRow, 'count'>>`
    select w.form, min(longer.plan_id) as first, max(longer.plan_id) as last
    from ${formsToEnds(forms)} cross join lateral (${sql.join(each, sql` union all `)}) as longer
    where ${sql.join(cut, sql` or `)} group by w.form`.execute(transaction);
  return rows;
}

/** No character is behind the last one of Unicode. */
const BEHIND_ALL = '\u{10FFFF}';

/** Forms, each with what comes behind all texts that begin with it. */
function formsToEnds(forms: readonly string[]): RawBuilder<unknown> {
  const ends = forms.map((form) => `${form}${BEHIND_ALL}`);
  return sql`unnest(${forms}::text[], ${ends}::text[]) as w (form, last)`;
}
