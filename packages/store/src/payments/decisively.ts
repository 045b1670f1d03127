import type { RecordedEvent, TimeMs } from '@fairway/plan';
import { isDeadlock, isOutcomeUnknown, isUnavailable, withKnownOutcome } from '@fairway/postgres';
import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { lockPlan } from '../plans/loadPlans.ts';
import type { PlanScope } from '../plans/planScope.ts';

/** An event that a transaction recorded, as it is found in the history again: by its command. */
export type WrittenEvent = {
  readonly scope: PlanScope;
  readonly planId: string;
  readonly revision: number;
  readonly actor: string;
  readonly atMs: TimeMs;
  readonly command: RecordedEvent['command'];
};

/** How often a transaction is tried that others end by a deadlock. */
const MOST_TRIES = 3;

/** Runs a transaction again when a deadlock ends it: the record of a chain takes waits and jobs in another order. */
export async function despiteDeadlocks<Result>(
  database: Database,
  work: (transaction: Database) => Promise<Result>,
  tries = MOST_TRIES,
): Promise<Result> {
  try {
    return await database.transaction().execute(work);
  } catch (cause) {
    if (isDeadlock(cause) && tries > 1) return despiteDeadlocks(database, work, tries - 1);
    throw cause;
  }
}

/**
 * Runs a transaction that changes a plan, despite deadlocks. When the connection is lost after the commit was sent, the
 * history of the plan tells whether it was committed. The plan must have been there before. `writtenOf` names the event that
 * the transaction has recorded for its result; undefined when it has recorded nothing. Throws as the transaction does; the
 * error's outcome is unknown only if the history cannot be read.
 */
export async function decisively<Result>(
  database: Database,
  work: (transaction: Database) => Promise<Result>,
  writtenOf: (result: Result) => WrittenEvent | undefined,
): Promise<Result> {
  let reached: { readonly result: Result } | undefined;
  try {
    return await despiteDeadlocks(database, async (transaction) => {
      reached = undefined;
      const result = await work(transaction);
      reached = { result };
      return result;
    });
  } catch (cause) {
    if (!isOutcomeUnknown(cause) || reached === undefined) throw cause;
    const written = writtenOf(reached.result);
    const isCommitted = written === undefined || (await isRecorded(database, written));
    if (isCommitted === true) return reached.result;
    throw isCommitted === undefined ? cause : withKnownOutcome(cause);
  }
}

/**
 * Whether the history of the plan has the event; undefined when the database does not answer. The lock of the plan waits
 * for a transaction that still runs.
 */
async function isRecorded(database: Database, written: WrittenEvent): Promise<boolean | undefined> {
  const { scope, planId, revision, actor, atMs, command } = written;
  try {
    return await database.transaction().execute(async (transaction) => {
      await lockPlan(transaction, scope, planId);
      const { rows } = await sql`
        select from plan_events e
        where e.organisation_id = ${scope.organisationId} and e.environment = ${scope.environment}
          and e.plan_id = ${planId} and e.revision = ${revision} and e.actor = ${actor}
          and e.at = ${new Date(atMs)} and e.command = ${JSON.stringify(command)}::jsonb`.execute(
        transaction,
      );
      return rows.length > 0;
    });
  } catch (cause) {
    if (isUnavailable(cause)) return undefined;
    throw cause;
  }
}
