import { minorDecimalsOf, type MovementId, movementIdOf, type PlanId, type TimeMs } from '@fairway/plan';

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

/** Which entries to read or to add up: those that were booked in a time, at most `limit` behind a place. */
export type SumPart = PartOfPeriod & { readonly limit: number };

/** Whether the account of a plan `p` is this one. The database does not know how many are, so movements are read before. */
export function isOfAccount({ custodian, currency }: PaidAccount): RawBuilder<unknown> {
  return sql`(p.corridor -> 'target' ->> 'custodian' = ${custodian}
    and p.corridor -> 'target' ->> 'currency' = ${currency})`;
}

/** The condition that a row is of a scope. */
export function isOf(alias: string, { organisationId, environment }: PlanScope): RawBuilder<unknown> {
  const column = (name: string) => sql.ref(`${alias}.${name}`);
  return sql`${column('organisation_id')} = ${organisationId} and ${column('environment')} = ${environment}`;
}

/** The plans of movements `m` of a scope. */
export function plansIn(scope: PlanScope): RawBuilder<unknown> {
  return sql`join plans p on ${isOf('p', scope)} and p.plan_id = m.plan_id`;
}

/**
 * The facts of a statement of a corridor's account, if it were made now. Movements that no report has had yet count
 * in the period in which they would be booked.
 */
export async function entryFacts(database: Database, scope: PlanScope, ask: EntriesAsk): Promise<EntryFacts> {
  const accounts = await accountsOf(database, scope, ask);
  const [account, ...others] = accounts;
  if (account === undefined || others.length > 0 || minorDecimalsOf(account.currency) === undefined)
    return { accounts };
  const unknown = await unknownEntries(database, scope, { corridorId: ask.corridorId, ...account }, ask.toMs);
  return unknown === undefined ? { accounts } : { accounts, unknown };
}

type Account = EntryFacts['accounts'][number];

async function accountsOf(
  database: Database,
  scope: PlanScope,
  { corridorId, fromMs, toMs }: EntriesAsk,
): Promise<readonly Account[]> {
  const [from, to] = [new Date(fromMs).toISOString(), new Date(toMs).toISOString()];
  const isPaid = sql`m.corridor_id = ${corridorId} and m.kind in ('PAYOUT', 'RETURN')`;
  const accountsIn = async (movements: RawBuilder<unknown>) => {
    const { rows } = await sql<Account>`
      select distinct p.corridor -> 'target' ->> 'custodian' as custodian, p.corridor -> 'target' ->> 'currency' as currency
      from ${movements} m ${plansIn(scope)}`.execute(database);
    return rows;
  };
  const found: Account[] = [];
  const look = async (part: RawBuilder<unknown>) => void found.push(...(await accountsIn(part)));
  await inParts<{ booked_at: string; plan_id: string; seq: number }>(
    database,
    {
      rows: sql`${isOf('m', scope)} and m.booked_at >= ${from}::timestamptz and m.booked_at < ${to}::timestamptz and ${isPaid}`,
      order: REPORT_ORDER,
      placeOf: ({ booked_at, plan_id, seq }) => sql`${booked_at}::timestamptz, ${plan_id}, ${seq}`,
    },
    look,
  );
  await inParts<{ recorded_at: string; plan_id: string; seq: number }>(
    database,
    {
      rows: sql`${isUnbooked(scope, to)} and greatest(m.recorded_at, ${sealOf(scope)}) >= ${from}::timestamptz and ${isPaid}`,
      order: sql`m.recorded_at, m.plan_id, m.seq`,
      placeOf: ({ recorded_at, plan_id, seq }) => sql`${recorded_at}::timestamptz, ${plan_id}, ${seq}`,
    },
    look,
  );
  if (found.length > 0) return distinct(found);
  return accountsIn(sql`(
    select m.plan_id from movements m
    where ${isOf('m', scope)} and m.booked_at < ${from}::timestamptz and ${isPaid}
    order by m.booked_at desc, m.plan_id desc, m.seq desc limit 1)`);
}

function distinct(accounts: readonly Account[]): readonly Account[] {
  const named = new Map(
    accounts.map((account) => [JSON.stringify([account.custodian, account.currency]), account]),
  );
  return [...named.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, account]) => account);
}

/** Up to when the periods of a scope are sealed. */
function sealOf(scope: PlanScope): RawBuilder<unknown> {
  return sql`coalesce((select s.sealed_to from ledger_seals s where ${isOf('s', scope)}), '-infinity')`;
}

/** The condition that no report has had `m` yet, and that it would be booked before a time. */
function isUnbooked(scope: PlanScope, to: string): RawBuilder<unknown> {
  return sql`${isOf('m', scope)} and m.booked_at is null and m.recorded_at < ${to}::timestamptz
    and ${sealOf(scope)} < ${to}::timestamptz`;
}

type UnknownRow = { plan_id: PlanId; seq: number; counts_at: Date; unknown_count: bigint };

/**
 * The entries of an account from before a time that stand and have no known amount. Those before a period are in its
 * opening balance.
 */
async function unknownEntries(
  database: Database,
  scope: PlanScope,
  account: PaidAccount,
  toMs: TimeMs,
): Promise<EntryFacts['unknown']> {
  const countsAt = sql`coalesce(m.booked_at, greatest(m.recorded_at, ${sealOf(scope)}))`;
  const first: UnknownRow[] = [];
  let unknownCount = 0;
  await inParts<{ plan_id: string; seq: number }>(
    database,
    {
      rows: sql`${isOf('m', scope)} and m.corridor_id = ${account.corridorId}
        and m.is_entry and m.entry_minor is null and m.reverses is null`,
      order: sql`m.plan_id, m.seq`,
      placeOf: ({ plan_id, seq }) => sql`${plan_id}, ${seq}`,
    },
    async (part) => {
      const { rows } = await sql<UnknownRow>`
        select m.plan_id, m.seq, ${countsAt} as counts_at, count(*) over () as unknown_count
        from ${part} m ${plansIn(scope)}
        where ${isOfAccount(account)} and ${countsAt} < ${new Date(toMs).toISOString()}::timestamptz
          and not exists (
            select from movements later
            where ${isOf('later', scope)} and later.plan_id = m.plan_id and later.reverses = m.seq)
        order by counts_at, m.plan_id, m.seq limit 1`.execute(database);
      first.push(...rows);
      for (const { unknown_count } of rows) unknownCount += Number(unknown_count);
    },
  );
  // Parts are in the order of plans, so of two at one time the earlier part has the first.
  const [earliest] = first.toSorted((a, b) => a.counts_at.getTime() - b.counts_at.getTime());
  if (earliest === undefined) return undefined;
  const { plan_id: planId, seq, counts_at: at } = earliest;
  return {
    count: unknownCount,
    first: { movementId: movementIdOf(planId, seq), planId, bookedAtMs: at.getTime() },
  };
}

/** How many movements one query looks through, so that it does not take long. */
const SEARCHED_AT_ONCE = 20_000;

/** Movements `m` that a condition finds, in an order that an index has. `placeOf`: the place of a row in the order. */
type SearchedMovements<Place> = {
  readonly rows: RawBuilder<unknown>;
  readonly order: RawBuilder<unknown>;
  readonly placeOf: (row: Place) => RawBuilder<unknown>;
};

/** Looks through movements in parts. */
async function inParts<Place>(
  database: Database,
  { rows, order, placeOf: placed }: SearchedMovements<Place>,
  search: (part: RawBuilder<unknown>) => Promise<void>,
): Promise<void> {
  let behind = sql``;
  for (;;) {
    const { rows: ends } = await sql<Place>`
      select m.booked_at::text as booked_at, m.recorded_at::text as recorded_at, m.plan_id, m.seq from movements m
      where ${rows} ${behind} order by ${order} offset ${SEARCHED_AT_ONCE - 1} limit 1`.execute(database);
    const [end] = ends;
    await search(
      sql`(select m.* from movements m where ${rows} ${behind} order by ${order} limit ${SEARCHED_AT_ONCE})`,
    );
    if (end === undefined) return;
    behind = sql`and (${order}) > (${placed(end)})`;
  }
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
  const { rows } = await sql<SumRow>`
      with part as materialized (
        select m.* from movements m
        where ${isOf('m', scope)}
          and ${isInPart(part)} and m.corridor_id = ${account.corridorId} and m.is_entry
        order by ${REPORT_ORDER} limit ${limit}
      ), entries as (
        select m.entry_minor as minor, (m.kind = 'RETURN') <> (m.reverses is not null) as is_credit
        from part m ${plansIn(scope)} where ${isOfAccount(account)}
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
