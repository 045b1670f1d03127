import { hasOtherJob, type TaskHandler } from '@fairway/postgres';
import type { Database } from '../database/database.ts';
import { lockPlan } from '../plans/loadPlans.ts';
import type { PlanScope } from '../plans/planScope.ts';
import { planDelayMs, type PlanJobPayload, planJobKey, setPlanJob } from './planJob.ts';

/**
 * If a job leaves due work undone, the next try waits. Without this delay the tries would follow each other for ever.
 */
const UNDONE_DELAY_MS = 5_000;

/** What became of a plan's work. WAITING: the plan waits for its chain, and needs no other job. */
export type WorkOutcome = 'WAITING' | 'TRIED';

/** Makes the handler of plans' jobs. `perform` does the work of a plan. */
export function planTask(
  database: Database,
  now: () => Date,
  perform: (scope: PlanScope, planId: string) => Promise<WorkOutcome>,
): TaskHandler {
  return async (payload, { id }) => {
    const { organisationId, environment, planId } = payload as PlanJobPayload;
    const scope = { organisationId, environment };
    const outcome = await perform(scope, planId);
    if (outcome === 'TRIED') await keepWork(database, now(), scope, planId, id);
  };
}

/** Gives the plan a new job if it has work and no other job. Its job ran too early, or could not do the work. */
export async function keepWork(
  database: Database,
  now: Date,
  scope: PlanScope,
  planId: string,
  jobId: string,
): Promise<void> {
  await database.transaction().execute(async (transaction) => {
    const plan = await lockPlan(transaction, scope, planId);
    const delayMs = plan && planDelayMs(plan, now.getTime());
    if (delayMs === undefined || (await hasOtherJob(transaction, planJobKey(planId), jobId))) return;
    await setPlanJob(transaction, scope, planId, Math.max(delayMs, UNDONE_DELAY_MS));
  });
}
