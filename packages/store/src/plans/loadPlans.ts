import type { Plan } from '@fairway/plan';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { PlanScope } from './planScope.ts';
import type { PlanRows } from './planRows.ts';
import { rowsToPlan } from './rowsToPlan.ts';

/** A plan with its scope and the fingerprint of the request that made it. */
export type LoadedPlan = { scope: PlanScope; plan: Plan; bodyFingerprint: Buffer };

/**
 * Loads whole plans by one statement. `condition` is about `p`, a row of `plans`, and may end with an order and a
 * limit. Amounts come as text: a JSON number would lose their last digits. Rows come as one JSON value,
 * because an array of PostgreSQL takes several times as long to read.
 */
export async function loadPlans(database: Database, condition: RawBuilder<unknown>): Promise<LoadedPlan[]> {
  const { rows } = await sql<LoadedRows>`
    select to_jsonb(p) || jsonb_build_object('amount_in', p.amount_in::text) as plan,
      (
        select coalesce(jsonb_agg(to_jsonb(s) || jsonb_build_object(
          'expected', s.expected::text, 'received', s.received::text, 'confirmed', s.confirmed::text,
          'asset_amount', s.asset_amount::text, 'paid_amount', s.paid_amount::text) order by s.position), '[]')
        from plan_steps s where ${isOfPlan('s')}
      ) as steps,
      (
        select coalesce(jsonb_agg(to_jsonb(a) || jsonb_build_object(
          'amount_out', a.amount_out::text, 'min_amount_out', a.min_amount_out::text) order by a.position), '[]')
        from step_attempts a where ${isOfPlan('a')}
      ) as attempts,
      (
        select coalesce(jsonb_agg(to_jsonb(e) || jsonb_build_object('amount', e.amount::text)), '[]')
        from step_evidence e where ${isOfPlan('e')}
      ) as evidence,
      (
        select coalesce(jsonb_agg(
          to_jsonb(r) || jsonb_build_object('amount', r.amount::text) order by r.position), '[]')
        from plan_returns r where ${isOfPlan('r')}
      ) as returns
    from plans p where ${condition}`.execute(database);
  return rows.map((row) => ({
    scope: {
      organisationId: row.plan.organisation_id,
      environment: row.plan.environment as PlanScope['environment'],
    },
    plan: rowsToPlan(row),
    // In JSON a bytea is \x and hexadecimal digits.
    bodyFingerprint: Buffer.from(row.plan.body_fingerprint.slice(2), 'hex'),
  }));
}

type LoadedRows = PlanRows & { plan: { body_fingerprint: string } };

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
 * Loads a plan and locks it until the transaction ends. There are two statements, because only a statement that begins
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
  return rows.length === 0 ? undefined : loadPlan(transaction, scope, planId);
}
