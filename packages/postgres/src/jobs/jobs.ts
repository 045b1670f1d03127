import { type QueryExecutorProvider, type RawBuilder, sql } from 'kysely';

/**
 * A job for the handler of a task. There is never a second waiting job of the same key. The delay counts from the
 * database's wall clock. Jobs of a lower priority number go first; without one it is 0. `needs`: a name of what its worker
 * must be able to do; a worker that lacks it leaves the job to others.
 */
export type NewJob = {
  readonly task: string;
  readonly key: string;
  readonly payload: object;
  readonly delayMs?: number;
  readonly priority?: number;
  readonly needs?: string;
};

/** The most that the library can count: work that is owed stays owed, however often it fails. */
export const MAX_ATTEMPTS = 32_767;

/**
 * An SQL expression that adds a job, or replaces the waiting job of its key. It is part of the query, and so of the
 * transaction, that it is used in. A job that is running just then is not interrupted: it loses its key, and the new
 * job waits.
 *
 * @example
 * ```ts
 * import { addJob, openDatabase } from '@fairway/postgres';
 * import { sql } from 'kysely';
 *
 * const database = openDatabase({ url: 'postgres://app@127.0.0.1/app' }, console.error);
 * const job = addJob({ task: 'invoice', key: 'invoice:7', payload: { invoiceId: 7 }, delayMs: 60_000 });
 * await sql`select ${job}`.execute(database);
 * ```
 */
export function addJob({
  task,
  key,
  payload,
  delayMs = 0,
  priority = 0,
  needs,
}: NewJob): RawBuilder<unknown> {
  const flags = needs === undefined ? sql`null` : sql`array[${needs}::text]`;
  return addedJob(sql`graphile_worker.add_job(${task}, payload => ${JSON.stringify(payload)}::json, job_key => ${key},
    max_attempts => ${MAX_ATTEMPTS}, priority => ${priority}, flags => ${flags},
    run_at => clock_timestamp() + ${delayMs}::float8 * interval '1 millisecond')`);
}

/**
 * An SQL expression of the id of the job that a call of graphile_worker.add_job adds. The function silently adds no
 * job when a worker begins the waiting job of the key between two of its queries
 * (https://github.com/graphile/worker/issues/580). That job may already have read what the new one is for. The next
 * call sees that it has begun, and adds one; the third call is for a worker that comes in between once more.
 *
 * @example
 * ```ts
 * import { addedJob } from '@fairway/postgres';
 * import { sql } from 'kysely';
 *
 * const jobs = addedJob(sql`graphile_worker.add_job('invoice', job_key => 'invoice:' || invoice_id)`);
 * const query = sql`select ${jobs} from invoices`;
 * ```
 */
export function addedJob(call: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`coalesce((${call}).id, (${call}).id, (${call}).id)`;
}

/**
 * An SQL expression that removes the job of a key, if there is one. The key is a text, or an SQL expression of one.
 *
 * @example
 * ```ts
 * import { openDatabase, removeJob } from '@fairway/postgres';
 * import { sql } from 'kysely';
 *
 * const database = openDatabase({ url: 'postgres://app@127.0.0.1/app' }, console.error);
 * await sql`select ${removeJob('invoice:7')}`.execute(database);
 * ```
 */
export function removeJob(key: string | RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(graphile_worker.remove_job(${key})).id`;
}

/**
 * Whether another job than this one has the key; the job that is running may have lost the key to it.
 *
 * @example
 * ```ts
 * import { addJob, hasOtherJob, openDatabase } from '@fairway/postgres';
 * import { sql } from 'kysely';
 *
 * declare const runningJobId: string;
 * const database = openDatabase({ url: 'postgres://app@127.0.0.1/app' }, console.error);
 * if (!(await hasOtherJob(database, 'invoice:7', runningJobId)))
 *   await sql`select ${addJob({ task: 'invoice', key: 'invoice:7', payload: {} })}`.execute(database);
 * ```
 */
export async function hasOtherJob(
  database: QueryExecutorProvider,
  key: string,
  jobId: string,
): Promise<boolean> {
  const { rows } = await sql`select from graphile_worker.jobs where key = ${key} and id <> ${jobId}`.execute(
    database,
  );
  return rows.length > 0;
}

/**
 * Lets every waiting job run now, whenever it was due.
 *
 * @example
 * ```ts
 * import { hastenJobs, openDatabase } from '@fairway/postgres';
 *
 * const database = openDatabase({ url: 'postgres://app@127.0.0.1/app' }, console.error);
 * await hastenJobs(database);
 * ```
 */
export async function hastenJobs(database: QueryExecutorProvider): Promise<void> {
  await sql`select graphile_worker.reschedule_jobs(
    array(select id from graphile_worker.jobs where locked_at is null), run_at => now())`.execute(database);
  await sql`select pg_notify('jobs:insert', '{"count":1000}')`.execute(database);
}
