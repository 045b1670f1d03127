import { addJob, type TaskHandler } from '@fairway/postgres';
import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { PlanScope } from '../plans/planScope.ts';

/** The task that makes a report. */
export const REPORT_TASK = 'report';

/** The payload of a report's job. */
export type ReportJobPayload = PlanScope & { readonly reportId: string };

/** The key of a report's job; a report never has a second waiting job. */
export function reportJobKey(reportId: string): string {
  return `report:${reportId}`;
}

/** Makes the handler of reports' jobs. `perform` makes a report, or answers in how many milliseconds it is due. */
export function reportTask(
  database: Database,
  perform: (scope: PlanScope, reportId: string) => Promise<number | undefined>,
): TaskHandler {
  return async (payload) => {
    const { organisationId, environment, reportId } = payload as ReportJobPayload;
    const delayMs = await perform({ organisationId, environment }, reportId);
    if (delayMs === undefined) return;
    // The job ran too early, as all jobs do when the service's clock is advanced.
    const job = addJob({
      task: REPORT_TASK,
      key: reportJobKey(reportId),
      payload: payload as object,
      delayMs,
    });
    await sql`select ${job}`.execute(database);
  };
}
