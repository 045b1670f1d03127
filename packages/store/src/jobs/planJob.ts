import { type Plan, workOf } from '@fairway/plan';
import { addJob, removeJob } from '@fairway/postgres';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { PlanScope } from '../plans/planScope.ts';

/** The task that does what a plan leaves to the service. */
export const PLAN_TASK = 'plan';

/** The payload of a plan's job. */
export type PlanJobPayload = PlanScope & { readonly planId: string };

/** The key of a plan's job; a plan never has a second waiting job. */
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
  const key = planJobKey(planId);
  if (delayMs === undefined) return removeJob(key);
  const payload: PlanJobPayload = { ...scope, planId };
  return addJob({ task: PLAN_TASK, key, payload, delayMs });
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
