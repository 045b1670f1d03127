import { minorDecimalsOf, type MovementId, movementIdOf, type PlanId } from '@fairway/plan';

import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { PlanScope } from '../plans/planScope.ts';
import { isInPart, type PartOfPeriod, placeOf, REPORT_ORDER } from './partOfPeriod.ts';
import type { ReportAsk, ReportPlace } from './report.ts';

/** What the custodian of a corridor pays in a currency, as an account whose statement can be written. */
export type PaidAccount = {
  readonly corridorId: string;
  readonly custodian: string;
  readonly currency: string;
};

/** The corridor and the time of a statement. */
export type EntriesAsk = Pick<ReportAsk, 'fromMs' | 'toMs'> & { readonly corridorId: string };

/**
 * The accounts of the payouts and returns of a time; without any, the account of the last one before. `unknown` tells
 * of the only account, when its movements have no known amount in its currency. It counts those that stand, of the
 * time or before it, and names the first of them.
 */
export type EntryFacts = {
  readonly accounts: readonly Omit<PaidAccount, 'corridorId'>[];
  readonly unknown?: UnknownEntries;
};

/** Movements of which nobody told the amount in the currency. `bookedAtMs`: of the first, when it was or would be booked. */
export type UnknownEntries = {
  readonly count: number;
  readonly first: { readonly movementId: MovementId; readonly planId: PlanId; readonly bookedAtMs: number };
};

/** How many entries bring money to an account, or take it away, and how much together, in minor units. */
export type EntrySum = { readonly entryCount: number; readonly minor: bigint };

/** The sums of a part of the entries; `next` is the `after` of the next part, undefined at the end. */
export type SummedPart = {
  readonly credits: EntrySum;
  readonly debits: EntrySum;
  readonly next: ReportPlace | undefined;
};

/** Which entries to add up: those that were booked in a time, of at most `limit` movements behind a place. */
export type SumPart = PartOfPeriod & { readonly limit: number };

/**
 * How entries of an account are found among movements `m` of plans `p`. `minor`: how much the bank moved, in minor units; null where that is
 * not known. `endToEndId`: also of what a reversal takes back. `isReported`: whether its amount was reported, by its row alone.
 * `isPlain`: of what takes nothing back, whether its amount is known without a look at other movements. Money that is
 * paid by a transfer on a chain, or comes back from there, is not in the account.
 */
type EntryParts = Readonly<
  Record<
    'join' | 'condition' | 'minor' | 'endToEndId' | 'isCredit' | 'isReported' | 'isPlain',
    RawBuilder<unknown>
  >
>;

/**
 * The parts of queries that read the entries of an account. A movement has the same amount for ever: it depends on rows that were
 * there when it was recorded. An amount that was reported to have been paid or to have come back counts first.
 * Without it, a return has the amount of the payment that came back as a whole. That is the payment with its
 * reference, or any, if all with as many units were of one amount. Otherwise the units of a pegged token count,
 * rounded down to the minor unit.
 */
export function entriesOf(scope: PlanScope, { corridorId, custodian, currency }: PaidAccount): EntryParts {
  const minorDecimals = minorDecimalsOf(currency);
  if (minorDecimals === undefined) throw new Error(`${currency} has no minor unit.`);
  const paidIn = (row: string) => sql`${sql.ref(`${row}.paid`)} -> 'asset' ->> 'currency' = ${currency}`;
  const paidMinor = (row: string) =>
    sql`case when ${paidIn(row)} then (${sql.ref(`${row}.paid`)} ->> 'amount')::numeric end`;
  const decimals = sql`(p.corridor -> 'target' ->> 'decimals')::integer`;
  const isPegged = sql`(p.corridor -> 'target' ->> 'conversion' = 'PEGGED' and ${decimals} is not null)`;
  const power = (exponent: RawBuilder<unknown>) => sql`('1' || repeat('0', ${exponent}))::numeric`;
  const standing = standingPayments(scope);
  return {
    // It is looked up for each movement. The database does not know how many plans match a condition on JSON, and
    // would begin with them all.
    join: sql`
      cross join lateral (
        select o.tx_hash, o.end_to_end_id, case when ${paidMinor('o')} is null then origin.tx_hash end as origin_tx_hash, coalesce(
          ${paidMinor('o')},
          case when origin.actual = o.actual and origin.provider_reference = o.provider_reference then origin.minor end,
          alike.minor,
          case when ${isPegged} then div(o.actual * ${power(sql`${minorDecimals}::integer`)}, ${power(decimals)}) end
        ) as minor, p.corridor -> 'target' ->> 'custodian' = ${custodian}
          and p.corridor -> 'target' ->> 'currency' = ${currency} as is_of_account
        from movements o
        left join lateral (
          select f.tx_hash, f.provider_reference, f.actual, ${paidMinor('f')} as minor
          from movements f where ${standing('f')}
          order by f.provider_reference is not distinct from o.provider_reference desc, f.seq desc limit 1
        ) origin on true
        left join lateral (
          select case when count(*) = count(${paidMinor('g')}) and min(${paidMinor('g')}) = max(${paidMinor('g')})
            then min(${paidMinor('g')}) end as minor
          from movements g where ${standing('g')} and g.actual = o.actual
        ) alike on true
        where ${isOf('o', scope)} and o.plan_id = m.plan_id and o.seq = coalesce(m.reverses, m.seq)
        offset 0
      ) told`,
    condition: sql`m.kind in ('PAYOUT', 'RETURN') and told.tx_hash is null and told.origin_tx_hash is null
      and p.corridor_id = ${corridorId} and told.is_of_account`,
    minor: sql`told.minor`,
    endToEndId: sql`told.end_to_end_id`,
    isReported: paidIn('m'),
    isPlain: sql`(${paidIn('m')} or ${isPegged})`,
    isCredit: sql`((m.kind = 'RETURN') <> (m.reverses is not null))`,
  };
}

/** The condition that a row is a payment that stood when `o`, a return, was recorded. */
function standingPayments(scope: PlanScope): (alias: string) => RawBuilder<unknown> {
  return (alias) => {
    const of = (column: string) => sql.ref(`${alias}.${column}`);
    return sql`o.kind = 'RETURN' and ${isOf(alias, scope)} and ${of('plan_id')} = o.plan_id
      and ${of('kind')} = 'PAYOUT' and ${of('reverses')} is null and ${of('seq')} < o.seq
      and not exists (
        select from movements t
        where ${isOf('t', scope)} and t.plan_id = o.plan_id and t.reverses = ${of('seq')} and t.seq < o.seq)`;
  };
}

/** The condition that a row is of a scope. */
function isOf(alias: string, { organisationId, environment }: PlanScope): RawBuilder<unknown> {
  const column = (name: string) => sql.ref(`${alias}.${name}`);
  return sql`${column('organisation_id')} = ${organisationId} and ${column('environment')} = ${environment}`;
}

/** The plans of movements `m` of a scope. */
function plansIn(scope: PlanScope): RawBuilder<unknown> {
  return sql`join plans p on ${isOf('p', scope)} and p.plan_id = m.plan_id`;
}

/**
 * The facts of a statement of a corridor's account, if it were made now. Movements that no report has had yet count
 * in the period in which they would be booked.
 */
export async function entryFacts(
  database: Database,
  scope: PlanScope,
  { corridorId, fromMs, toMs }: EntriesAsk,
): Promise<EntryFacts> {
  const [from, to] = [new Date(fromMs).toISOString(), new Date(toMs).toISOString()];
  const mine = isOf('m', scope);
  const seal = sql`coalesce((select s.sealed_to from ledger_seals s where ${isOf('s', scope)}), '-infinity')`;
  const isPaid = sql`m.kind in ('PAYOUT', 'RETURN')`;
  const unbooked = (countsFrom: string) => sql`(
    select m.*, greatest(m.recorded_at, ${seal}) as counts_at from movements m
    where ${mine} and ${isPaid} and m.booked_at is null and m.recorded_at < ${to}::timestamptz
      and greatest(m.recorded_at, ${seal}) >= ${countsFrom}::timestamptz
      and greatest(m.recorded_at, ${seal}) < ${to}::timestamptz)`;
  const accountsIn = async (movements: RawBuilder<unknown>, rest: RawBuilder<unknown>) => {
    const { rows } = await sql<Omit<PaidAccount, 'corridorId'>>`
      select p.corridor -> 'target' ->> 'custodian' as custodian, p.corridor -> 'target' ->> 'currency' as currency
      from ${movements} m ${plansIn(scope)} where p.corridor_id = ${corridorId} ${rest}`.execute(database);
    return rows;
  };
  const grouped = sql`group by 1, 2 order by 1, 2 limit 3`;
  const before = sql`(select m.* from movements m where ${mine} and ${isPaid} and m.booked_at < ${from}::timestamptz)`;
  let accounts = await accountsIn(unbooked(from), grouped);
  await searchBooked(database, scope, { from, to }, async (part) => {
    accounts = distinct([...accounts, ...(await accountsIn(part, grouped))]);
  });
  if (accounts.length === 0)
    accounts = await accountsIn(before, sql`order by m.booked_at desc, m.plan_id desc, m.seq desc limit 1`);
  const [account, ...others] = accounts;
  if (account === undefined || others.length > 0 || minorDecimalsOf(account.currency) === undefined)
    return { accounts };
  const of = { corridorId, ...account };
  let all: UnknownRow | undefined;
  // Those before the period are in its opening balance. Movements that are not booked yet come behind all that are.
  await searchBooked(database, scope, { from: '-infinity', to }, async (part) => {
    all = together(all, await firstUnknown(database, scope, of, part));
  });
  all = together(all, await firstUnknown(database, scope, of, unbooked('-infinity')));
  if (all === undefined) return { accounts };
  const { plan_id: planId, seq, counts_at: at, unknown_count: count } = all;
  const first = { movementId: movementIdOf(planId, seq), planId, bookedAtMs: at.getTime() };
  return { accounts, unknown: { count: Number(count), first } };
}

function distinct(accounts: EntryFacts['accounts']): Omit<PaidAccount, 'corridorId'>[] {
  const named = new Map(
    accounts.map((account) => [JSON.stringify([account.custodian, account.currency]), account]),
  );
  return [...named.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, account]) => account);
}

type UnknownRow = { plan_id: PlanId; seq: number; counts_at: Date; unknown_count: bigint };

/**
 * The first of some movements that stands and has no known amount, and how many such there are. Each movement has a
 * time `counts_at`.
 */
async function firstUnknown(
  database: Database,
  scope: PlanScope,
  account: PaidAccount,
  movements: RawBuilder<unknown>,
): Promise<UnknownRow | undefined> {
  const { join, condition, minor, isReported, isPlain } = entriesOf(scope, account);
  // What is plainly known comes first: to look for the plan, and for the payment that came back, takes time.
  const { rows } = await sql<UnknownRow>`
    select m.plan_id, m.seq, m.counts_at, count(*) over () as unknown_count
    from ${movements} m ${plansIn(scope)} ${join}
    where m.reverses is null and ${isReported} is not true and ${isPlain} is not true and ${condition} and ${minor} is null
      and not exists (
        select from movements later
        where ${isOf('later', scope)} and later.plan_id = m.plan_id and later.reverses = m.seq)
    order by m.counts_at, m.plan_id, m.seq limit 1`.execute(database);
  return rows[0];
}

/** How many movements one query looks through, so that it does not take long. */
const SEARCHED_AT_ONCE = 20_000;

/** Looks through the payouts and returns that were booked from a time on and before another, in parts, oldest first. */
async function searchBooked(
  database: Database,
  scope: PlanScope,
  { from, to }: Readonly<Record<'from' | 'to', string>>,
  search: (part: RawBuilder<unknown>) => Promise<void>,
): Promise<void> {
  const booked = sql`${isOf('m', scope)} and m.booked_at >= ${from}::timestamptz and m.booked_at < ${to}::timestamptz`;
  const placed = sql`(m.booked_at, m.plan_id, m.seq)`;
  let behind = sql``;
  for (;;) {
    const { rows: ends } = await sql<{ booked_at: string; plan_id: string; seq: number }>`
      select m.booked_at::text as booked_at, m.plan_id, m.seq from movements m where ${booked} ${behind}
      order by m.booked_at, m.plan_id, m.seq offset ${SEARCHED_AT_ONCE - 1} limit 1`.execute(database);
    const [end] = ends;
    const place = end && sql`(${end.booked_at}::timestamptz, ${end.plan_id}, ${end.seq})`;
    const upTo = place === undefined ? sql`` : sql`and ${placed} <= ${place}`;
    await search(sql`(
      select m.*, m.booked_at as counts_at from movements m
      where ${booked} and m.kind in ('PAYOUT', 'RETURN') ${behind} ${upTo})`);
    if (place === undefined) return;
    behind = sql`and ${placed} > ${place}`;
  }
}

/** The unknown movements of two times together. */
function together(early: UnknownRow | undefined, late: UnknownRow | undefined): UnknownRow | undefined {
  if (early === undefined || late === undefined) return early ?? late;
  return { ...early, unknown_count: early.unknown_count + late.unknown_count };
}

type SumRow = {
  credit_count: bigint;
  credit_minor: string;
  debit_count: bigint;
  debit_minor: string;
  movement_count: bigint;
  booked_at: Date | null;
  plan_id: string | null;
  seq: number | null;
};

/** Adds up a part of the entries of an account in a sealed time. Added up again, a part is the same for ever. */
export async function sumEntries(
  database: Database,
  scope: PlanScope,
  account: PaidAccount,
  part: SumPart,
): Promise<SummedPart> {
  const { limit } = part;
  const { join, condition, minor, isCredit } = entriesOf(scope, account);
  // A part of all movements, because those of one corridor can be far between.
  const { rows } = await sql<SumRow>`
      with part as materialized (
        select m.* from movements m
        where ${isOf('m', scope)}
          and ${isInPart(part)}
        order by ${REPORT_ORDER} limit ${limit}
      ), entries as (
        select ${minor} as minor, ${isCredit} as is_credit from part m ${plansIn(scope)} ${join} where ${condition}
      ), sums as (
        select count(minor) filter (where is_credit) as credit_count,
          coalesce(sum(minor) filter (where is_credit), 0)::text as credit_minor,
          count(minor) filter (where not is_credit) as debit_count,
          coalesce(sum(minor) filter (where not is_credit), 0)::text as debit_minor
        from entries
      )
      select sums.*, (select count(*) from part) as movement_count, last.booked_at, last.plan_id, last.seq
      from sums left join (select * from part order by booked_at desc, plan_id desc, seq desc limit 1) last on true`.execute(
    database,
  );
  const [row] = rows;
  if (row === undefined) throw new Error('A sum has a row.');
  const { booked_at, plan_id, seq, credit_count: creditCount, debit_count: debitCount } = row;
  const isLast = booked_at === null || plan_id === null || seq === null || row.movement_count < BigInt(limit);
  return {
    credits: { entryCount: Number(creditCount), minor: BigInt(row.credit_minor) },
    debits: { entryCount: Number(debitCount), minor: BigInt(row.debit_minor) },
    next: isLast ? undefined : placeOf({ booked_at, plan_id, seq }),
  };
}
