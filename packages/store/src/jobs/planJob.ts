import { type Plan, type Work, workOf } from '@fairway/plan';
import { addJob, removeJob } from '@fairway/postgres';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { PlanScope } from '../plans/planScope.ts';

/** The task that does what a plan leaves to the service. */
export const PLAN_TASK = 'plan';

/** A need that a process cannot meet when its clock is not the database's. */
export const SOUND_CLOCK = 'SOUND_CLOCK';

/** The payload of a plan's job. */
export type PlanJobPayload = PlanScope & { readonly planId: string };

/** The key of a plan's job; a plan never has a second waiting job. */
export function planJobKey(planId: string): string {
  return `plan:${planId}`;
}

/** How long until work is due by the service's clock. */
export function workDelayMs(work: Work, nowMs: number): number {
  return work.kind === 'PASS_TIME' ? Math.max(0, work.atMs - nowMs) : 0;
}

/** How long until the plan's work is due; undefined when there is none. */
export function planDelayMs(plan: Plan, nowMs: number): number | undefined {
  const work = workOf(plan);
  return work && workDelayMs(work, nowMs);
}

/**
 * An expression that sets the plan's job within the query that writes the plan. There is one job when there is
 * work, and none without a delay. The delay counts from the database's wall clock, because the service's clock may
 * have been advanced. `needs`: what the process that does it has to be able to do.
 */
export function planJob(
  scope: PlanScope,
  planId: string,
  delayMs: number | undefined,
  needs?: typeof SOUND_CLOCK,
): RawBuilder<unknown> {
  const key = planJobKey(planId);
  if (delayMs === undefined) return removeJob(key);
  const payload: PlanJobPayload = { ...scope, planId };
  return addJob({ task: PLAN_TASK, key, payload, delayMs, ...(needs === undefined ? {} : { needs }) });
}

/** Sets the plan's job in a query of its own. */
export async function setPlanJob(
  transaction: Database,
  scope: PlanScope,
  planId: string,
  delayMs: number,
  needs?: typeof SOUND_CLOCK,
): Promise<void> {
  await sql`select ${planJob(scope, planId, delayMs, needs)}`.execute(transaction);
}
