import type { TaskHandler } from '@fairway/postgres';
import type { Database } from '../database/database.ts';
import type { PlanScope } from '../plans/planScope.ts';
import type { ChainJobPayload } from './chainJob.ts';
import { keepWork, type WorkOutcome } from './planTask.ts';

/** Makes the handler of the jobs that compare plans with the record of their chain. */
export function chainTask(
  database: Database,
  now: () => Date,
  perform: (scope: PlanScope, planId: string, tries: number) => Promise<WorkOutcome>,
): TaskHandler {
  return async (payload, { id }) => {
    const { organisationId, environment, planId, tries = 0 } = payload as ChainJobPayload;
    const scope = { organisationId, environment };
    const outcome = await perform(scope, planId, tries);
    if (outcome === 'TRIED') await keepWork(database, now(), scope, planId, id);
  };
}
