import type { Address, Asset, Mode, MovementKind, Side, TimeMs } from '@fairway/plan';

import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { PlanScope } from '../plans/planScope.ts';
import { isInPart, placeOf, REPORT_ORDER } from './partOfPeriod.ts';
import type { ReportPlace } from './report.ts';
import type { ReportPart } from './movementsOfPeriod.ts';

/**
 * A plan of which movements were booked in a period. `amountIn`: what was planned, of the `source`. `moved`: what was
 * booked in the period, and `total` up to its end, each by kind, side and asset. Amounts that were taken back count
 * as negative. `expected`: what the quote of its swap said, of the `target`. The times are those of movements that
 * stand at the end of the period. `depositedAtMs` is that of the last deposit that was asked for, `swappedAtMs` of
 * the first execution, `paidAtMs` of the last payout.
 */
export type PeriodPlan = {
  readonly planId: string;
  readonly clientReference: string;
  readonly corridorId: string;
  readonly mode: Mode;
  readonly source: PlannedAsset;
  readonly target: PlannedAsset;
  readonly amountIn: bigint;
  readonly expected?: bigint;
  readonly moved: readonly PlanSum[];
  readonly total: readonly PlanSum[];
  readonly createdAtMs: TimeMs;
  readonly depositedAtMs?: TimeMs;
  readonly swappedAtMs?: TimeMs;
  readonly paidAtMs?: TimeMs;
  readonly lastBookedAtMs: TimeMs;
  readonly metadata: Readonly<Record<string, string>>;
};

/** A token of a plan. */
export type PlannedAsset = Extract<Asset, { address: string }>;

/** The sum of the movements of a kind, a side and an asset, and of how many. */
export type PlanSum = {
  readonly kind: MovementKind;
  readonly side: Side;
  readonly asset: Asset;
  readonly units: bigint;
  readonly movementCount: number;
};

/** Plans in the order of reports; `next` is the `after` of the next part, undefined at the end. */
export type PlansOfPeriod = {
  readonly plans: readonly PeriodPlan[];
  readonly next: ReportPlace | undefined;
};

type Token = { chainId: number; token: Address };
type SumRow = {
  kind: MovementKind;
  side: Side;
  chain_id: number | null;
  address: Address | null;
  currency: string | null;
  moved: string;
  total: string;
  moved_count: number;
  total_count: number;
};
type Row = {
  plan_id: string;
  seq: number;
  booked_at: Date;
  client_reference: string;
  corridor_id: string;
  mode: Mode;
  source: Token;
  target: Token;
  amount_in: string;
  created_at: Date;
  sums: readonly SumRow[];
  expected: string | null;
  deposited_at: Date | null;
  swapped_at: Date | null;
  paid_at: Date | null;
  last_booked_at: Date;
  metadata: Readonly<Record<string, string>>;
};

/**
 * Reads a part of the plans of a sealed time. A plan has the place of its first movement in the period. All that is read was booked
 * before the end of the period or never changes, so a part is the same for ever.
 */
export async function plansOfPeriod(
  database: Database,
  scope: PlanScope,
  part: ReportPart,
): Promise<PlansOfPeriod> {
  const rows = await readRows(database, scope, part);
  const isFull = rows.length === part.limit;
  const last = isFull ? rows.at(-1) : await lastLookedAt(database, scope, part);
  const next = last && placeOf(last);
  return { plans: rows.map(planOf), next };
}

/**
 * How many movements are looked at for each plan that a part may have. Without a limit the database would look at all
 * later plans for each part, and add them up. It does so where it thinks that few of their movements are the first.
 */
const LOOKED_AT = 10;

/** The places of the movements behind that of a part, in the order of reports. */
function placesOf({ organisationId, environment }: PlanScope, part: ReportPart): RawBuilder<unknown> {
  return sql`select m.plan_id, m.seq, m.booked_at from movements m
    where m.organisation_id = ${organisationId} and m.environment = ${environment}
      and ${isInPart(part)}
    order by ${REPORT_ORDER}`;
}

/** The place up to which a part has looked; undefined where there was no more to look at. */
async function lastLookedAt(
  database: Database,
  scope: PlanScope,
  part: ReportPart,
): Promise<Pick<Row, 'booked_at' | 'plan_id' | 'seq'> | undefined> {
  const { rows } = await sql<Pick<Row, 'booked_at' | 'plan_id' | 'seq'>>`
    ${placesOf(scope, part)} offset ${part.limit}::int8 * ${LOOKED_AT}::int8 - 1 limit 1`.execute(database);
  return rows[0];
}

async function readRows(database: Database, scope: PlanScope, part: ReportPart): Promise<readonly Row[]> {
  const { organisationId, environment } = scope;
  const { fromMs, toMs, filter, limit } = part;
  const [from, to] = [new Date(fromMs).toISOString(), new Date(toMs).toISOString()];
  const ofCorridor = filter.corridorId === undefined ? sql`` : sql`and p.corridor_id = ${filter.corridorId}`;
  // Found by their plan: the index of what is booked, which a bare comparison would offer, seems short while it was just filled.
  const isOfPlan = (alias: string) => {
    const column = (name: string) => sql.ref(`${alias}.${name}`);
    return sql`${column('organisation_id')} = ${organisationId} and ${column('environment')} = ${environment}
      and ${column('plan_id')} = m.plan_id and coalesce(${column('booked_at')}, 'infinity') < ${to}::timestamptz`;
  };
  const { rows } = await sql<Row>`
      with looked_at as materialized (${placesOf(scope, part)} limit ${limit}::int8 * ${LOOKED_AT}::int8),
      firsts as materialized (
        select m.plan_id, m.seq, m.booked_at
        from looked_at m
        join plans p on p.organisation_id = ${organisationId} and p.environment = ${environment} and p.plan_id = m.plan_id
        where m.seq = (
          select b.seq from movements b where ${isOfPlan('b')} and coalesce(b.booked_at, '-infinity') >= ${from}::timestamptz
          order by b.booked_at, b.seq limit 1) ${ofCorridor}
        order by m.booked_at, m.plan_id, m.seq limit ${limit}
      )
      select m.plan_id, m.seq, m.booked_at, p.client_reference, p.corridor_id, p.mode, p.metadata, p.corridor -> 'source' as source,
        p.corridor -> 'target' as target, p.amount_in::text as amount_in, p.created_at, sums.sums, stood.*
      from firsts m
      join plans p on p.organisation_id = ${organisationId} and p.environment = ${environment} and p.plan_id = m.plan_id
      cross join lateral (
        select jsonb_agg(to_jsonb(x) order by x.kind, x.side, x.chain_id, x.address, x.currency) as sums from (
          select e.kind, e.side, e.asset_chain_id as chain_id, e.asset_address as address, e.asset_currency as currency,
            coalesce(sum(case when e.reverses is null then e.actual else -e.actual end)
              filter (where e.booked_at >= ${from}::timestamptz), 0)::text as moved,
            sum(case when e.reverses is null then e.actual else -e.actual end)::text as total,
            count(*) filter (where e.booked_at >= ${from}::timestamptz) as moved_count, count(*) as total_count
          from movements e where ${isOfPlan('e')}
          group by e.kind, e.side, e.asset_chain_id, e.asset_address, e.asset_currency
        ) x
      ) sums
      cross join lateral (
        select max(s.happened_at) filter (where s.stands = 'DEPOSIT' and s.reason is null) as deposited_at,
          min(s.happened_at) filter (where s.stands = 'SWAP_OUT') as swapped_at,
          max(s.happened_at) filter (where s.stands = 'PAYOUT') as paid_at,
          (max(s.expected) filter (where s.stands = 'SWAP_OUT' and s.reason is null))::text as expected,
          max(s.booked_at) as last_booked_at
        from (
          select e.reason, e.expected, e.booked_at,
            coalesce(e.block_time, e.occurred_at, e.recorded_at) as happened_at,
            case when e.reverses is null and not exists (
              select from movements r where ${isOfPlan('r')} and r.reverses = e.seq) then e.kind end as stands
          from movements e where ${isOfPlan('e')}
        ) s
      ) stood
      order by m.booked_at, m.plan_id, m.seq`.execute(database);
  return rows;
}

function planOf(row: Row): PeriodPlan {
  const token = ({ chainId, token: address }: Token): PlannedAsset => ({ chainId, address });
  const { deposited_at, swapped_at, paid_at, expected, sums } = row;
  return {
    planId: row.plan_id,
    clientReference: row.client_reference,
    corridorId: row.corridor_id,
    mode: row.mode,
    source: token(row.source),
    target: token(row.target),
    amountIn: BigInt(row.amount_in),
    ...(expected === null ? {} : { expected: BigInt(expected) }),
    moved: sums
      .filter(({ moved_count }) => moved_count > 0)
      .map((sum) => sumOf(sum, sum.moved, sum.moved_count)),
    total: sums.map((sum) => sumOf(sum, sum.total, sum.total_count)),
    createdAtMs: row.created_at.getTime(),
    ...(deposited_at === null ? {} : { depositedAtMs: deposited_at.getTime() }),
    ...(swapped_at === null ? {} : { swappedAtMs: swapped_at.getTime() }),
    ...(paid_at === null ? {} : { paidAtMs: paid_at.getTime() }),
    lastBookedAtMs: row.last_booked_at.getTime(),
    metadata: row.metadata,
  };
}

function sumOf(
  { kind, side, chain_id, address, currency }: SumRow,
  units: string,
  movementCount: number,
): PlanSum {
  const asset =
    chain_id === null || address === null ? { currency: currency ?? '' } : { chainId: chain_id, address };
  return { kind, side, asset, units: BigInt(units), movementCount };
}
