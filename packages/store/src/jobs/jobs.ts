import { sql } from 'kysely';
import type { Database, DatabaseConnection } from '../database.ts';
import { lockPlan } from '../payments/loadPlans.ts';
import type { PlanScope } from '../payments/planScope.ts';
import { attempt, type Unavailable } from '../unavailable.ts';
import { setPlanJob, workDelayMs } from './planJob.ts';
import { type PlanWorker, type PlanWorkerOptions, startWorker } from './worker.ts';

export type { PlanWorker, PlanWorkerOptions };

/**
 * The work that plans and e-mails leave to the service. A plan with work has exactly one job and a plan without has
 * none; both are written in one transaction. An e-mail has a job until it was sent or dropped.
 */
export type Jobs = {
  /** Does the plan's work again after this time, at the earliest: it could not be done yet. No work, no job. */
  schedule(scope: PlanScope, planId: string, delayMs: number): Promise<{ ok: true } | Unavailable>;
  /** Lets every waiting job run now, whenever it was due: the service's clock was advanced. */
  hasten(): Promise<{ ok: true } | Unavailable>;
  /** Starts doing the work, until `close`. */
  startWorker(options: PlanWorkerOptions): PlanWorker;
};

/** Binds the jobs to a database and the service's clock. */
export function createJobs(database: Database, connection: DatabaseConnection, now: () => Date): Jobs {
  return {
    schedule: (scope, planId, delayMs) => schedule(database, scope, planId, delayMs),
    hasten: () => hasten(database),
    startWorker: (options) => startWorker(database, connection, now, options),
  };
}

function schedule(
  database: Database,
  scope: PlanScope,
  planId: string,
  delayMs: number,
): Promise<{ ok: true } | Unavailable> {
  return attempt(async () => {
    await database.transaction().execute(async (transaction) => {
      const plan = await lockPlan(transaction, scope, planId);
      if (plan === undefined || workDelayMs(plan, 0) === undefined) return;
      await setPlanJob(transaction, scope, planId, delayMs);
    });
    return { ok: true };
  });
}

function hasten(database: Database): Promise<{ ok: true } | Unavailable> {
  return attempt(async () => {
    await sql`select graphile_worker.reschedule_jobs(
      array(select id from graphile_worker.jobs where locked_at is null), run_at => now())`.execute(database);
    await sql`select pg_notify('jobs:insert', '{"count":1000}')`.execute(database);
    return { ok: true };
  });
}
