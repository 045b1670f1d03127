import { type Plan, workOf } from '@fairway/plan';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../database.ts';
import type { PlanScope } from '../payments/planScope.ts';

/** The task that does what a plan leaves to the service. */
export const PLAN_TASK = 'plan';

/** What a job says of its plan. */
export type PlanJobPayload = PlanScope & { readonly planId: string };

/** A plan's job is found by this key, and there is never a second one of it. */
export function planJobKey(planId: string): string {
  return `plan:${planId}`;
}

/** How long until the plan's work is due by the service's clock; undefined when there is none. */
export function workDelayMs(plan: Plan, nowMs: number): number | undefined {
  const work = workOf(plan);
  if (work === undefined) return undefined;
  return work.kind === 'PASS_TIME' ? Math.max(0, work.atMs - nowMs) : 0;
}

/**
 * An expression that sets the plan's job within the statement and the transaction that write the plan: one job
 * when there is work, none when there is not. The delay counts from the database's wall clock, as the service's own
 * may have been advanced. A job that is running just then is not interrupted: it is detached, and a new one waits.
 */
export function planJob(scope: PlanScope, planId: string, delayMs: number | undefined): RawBuilder<unknown> {
  if (delayMs === undefined) return sql`(graphile_worker.remove_job(${planJobKey(planId)})).id`;
  const payload: PlanJobPayload = { ...scope, planId };
  // More tries than there will ever be: work that is owed stays owed.
  return sql`(graphile_worker.add_job(${PLAN_TASK}, payload => ${JSON.stringify(payload)}::json,
    job_key => ${planJobKey(planId)}, max_attempts => 32767,
    run_at => clock_timestamp() + ${delayMs}::float8 * interval '1 millisecond')).id`;
}

/** Sets the plan's job in a statement of its own. */
export async function setPlanJob(
  transaction: Database,
  scope: PlanScope,
  planId: string,
  delayMs: number | undefined,
): Promise<void> {
  await sql`select ${planJob(scope, planId, delayMs)}`.execute(transaction);
}
