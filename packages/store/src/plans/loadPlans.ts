import type { Plan } from '@fairway/plan';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { PlanScope } from './planScope.ts';
import { type ReadRows, rowsToPlan } from './rowsToPlan.ts';

/** A plan with its scope and the fingerprint of the request that made it. `listedStatus`: the status that lists find it by. */
export type LoadedPlan = {
  scope: PlanScope;
  plan: Plan;
  bodyFingerprint: Buffer;
  listedStatus: string;
};

/**
 * WHOLE: with every member. SHOWN: without the instructions and quotes that no answer shows, those of attempts that can
 * no longer be executed. A plan may have hundreds of them, a few kilobytes each.
 */
export type PlanExtent = 'WHOLE' | 'SHOWN';

const ATTEMPT_COLUMNS = sql`a.step_id, a.position, a.outcome, a.derived_at, a.not_after, a.amount_out::text,
  a.min_amount_out::text, a.tx_hash, a.submissions, a.failed_at, a.failure, a.provider_reference,
  a.payout`;
const ATTEMPT_PARTS: Readonly<Record<PlanExtent, RawBuilder<unknown>>> = {
  WHOLE: sql`a.instructions, a.quote`,
  SHOWN: sql`case when a.outcome in ('SUPERSEDED', 'FAILED') then '[]'::jsonb else a.instructions end as instructions,
    case when a.outcome <> 'SUPERSEDED' then a.quote end as quote`,
};

/** The columns of a movement `m` as `ReadMovementRow` has them, when they are read as JSON. */
export const MOVEMENT_COLUMNS = sql`m.seq, m.kind, m.side, m.step_id, m.attempt, m.asset_chain_id, m.asset_address,
  m.asset_currency, m.expected::text, m.actual::text, m.paid, m.fee, m.rate, m.estimated_rate, m.chain_id, m.tx_hash, m.log_index,
  m.block_number, m.block_hash, m.block_time, m.from_address, m.to_address, m.provider_reference, m.end_to_end_id,
  m.occurred_at, m.recorded_at, m.verification, m.reason, m.note,
  m.gas_units::text, m.gas_cost::text, m.market_amount::text, m.reverses`;

/**
 * Loads plans by one query. `condition` is about `p`, a row of `plans`, and may end with an order and a
 * limit. Rows come as one JSON value, because an array of PostgreSQL takes several times as long to read. The JSON is
 * written as json: jsonb takes three times as long to write. Amounts come as text, because a JSON number would lose
 * their last digits. Each row has the column first and its text last, and JSON.parse keeps the last of equal names.
 */
export async function loadPlans(
  database: Database,
  condition: RawBuilder<unknown>,
  extent: PlanExtent = 'WHOLE',
): Promise<LoadedPlan[]> {
  const { rows } = await sql<LoadedRows>`
    select
      (select row_to_json(x) from (select p.*, p.amount_in::text) x) as plan,
      (
        select coalesce(json_agg(x order by x.position), '[]') from (
          select s.*, s.expected::text, s.amount_left::text
          from plan_steps s where ${isOfPlan('s')}
        ) x
      ) as steps,
      (
        select coalesce(json_agg(x order by x.position), '[]') from (
          select ${ATTEMPT_COLUMNS}, ${ATTEMPT_PARTS[extent]} from step_attempts a where ${isOfPlan('a')}
        ) x
      ) as attempts,
      (
        select coalesce(json_agg(x), '[]') from (
          select e.* from step_evidence e where ${isOfPlan('e')}
        ) x
      ) as evidence,
      (
        select coalesce(json_agg(x order by x.position), '[]') from (
          select r.*, r.amount::text from plan_returns r where ${isOfPlan('r')}
        ) x
      ) as returns,
      (
        select coalesce(json_agg(x order by x.seq), '[]') from (
          select ${MOVEMENT_COLUMNS} from movements m where ${isOfPlan('m')}
        ) x
      ) as movements
    from plans p where ${condition}`.execute(database);
  return rows.map((row) => ({
    scope: {
      organisationId: row.plan.organisation_id,
      environment: row.plan.environment as PlanScope['environment'],
    },
    plan: rowsToPlan(row),
    // In JSON a bytea is \x and hexadecimal digits.
    bodyFingerprint: Buffer.from(row.plan.body_fingerprint.slice(2), 'hex'),
    listedStatus: row.plan.status,
  }));
}

type LoadedRows = ReadRows & { plan: { body_fingerprint: string; status: string } };

function isOfPlan(alias: string): RawBuilder<unknown> {
  return sql`(${sql.ref(`${alias}.organisation_id`)}, ${sql.ref(`${alias}.environment`)},
    ${sql.ref(`${alias}.plan_id`)}) = (p.organisation_id, p.environment, p.plan_id)`;
}

/** The condition that `p` is this plan. */
export function isPlan({ organisationId, environment }: PlanScope, planId: string): RawBuilder<unknown> {
  return sql`p.organisation_id = ${organisationId} and p.environment = ${environment} and p.plan_id = ${planId}`;
}

/** Loads a plan; undefined when the scope has no plan of this id. */
export async function loadPlan(
  database: Database,
  scope: PlanScope,
  planId: string,
): Promise<Plan | undefined> {
  const [found] = await loadPlans(database, isPlan(scope, planId));
  return found?.plan;
}

/**
 * Loads a plan and locks it until the transaction ends. There are two queries, because only a query that begins
 * after the lock was acquired sees the changes that the lock waited for.
 */
export async function lockPlan(
  transaction: Database,
  scope: PlanScope,
  planId: string,
): Promise<Plan | undefined> {
  const { rows } = await sql`select from plans p where ${isPlan(scope, planId)} for update`.execute(
    transaction,
  );
  if (rows.length === 0) return undefined;
  return loadPlan(transaction, scope, planId);
}
