import { addedJob, MAX_ATTEMPTS } from '@fairway/postgres';
import { type RawBuilder, sql } from 'kysely';
import type { Environment } from '../database/schema.ts';
import type { PlanScope } from '../plans/planScope.ts';

/** The task that compares a plan with the record of its chain, and then does the plan's work. */
export const CHAIN_TASK = 'chain';

/** The payload of a job of this task. `tries`: how often the work of the plan was put off since it was last done. */
export type ChainJobPayload = PlanScope & { readonly planId: string; readonly tries?: number };

/**
 * An expression that adds a job for each plan of `plans`, a query part with the columns `organisation_id`, `plan_id` and
 * `tries`. A plan never has a second waiting job of this task. The value is how many jobs there are.
 */
export function addChainJobs(environment: Environment, plans: RawBuilder<unknown>): RawBuilder<unknown> {
  const job = addedJob(sql`graphile_worker.add_job(${CHAIN_TASK}, payload => jsonb_build_object(
      'organisationId', organisation_id, 'environment', ${environment}::text, 'planId', plan_id, 'tries', tries)::json,
      job_key => 'chain:' || plan_id, max_attempts => ${MAX_ATTEMPTS})`);
  return sql`(select count(${job}) from ${plans})`;
}
