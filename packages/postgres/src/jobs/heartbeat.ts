import { type QueryExecutorProvider, sql } from 'kysely';
import type { Pool } from 'pg';

/** How often a worker says that it is alive. */
export const BEAT_MS = 5_000;

/** A worker that was silent for so long is dead, and any other worker may do its jobs. */
const DEAD_AFTER = '20 seconds';

/** Makes the table of workers unless it exists. */
export async function makeWorkersTable(database: QueryExecutorProvider): Promise<void> {
  await sql`
    create table if not exists workers (id text collate "C" primary key, seen_at timestamptz not null)`.execute(
    database,
  );
}

/** Says that the worker is alive, and frees the jobs of workers that are dead. */
export async function beat(pool: Pool, workerId: string): Promise<void> {
  await pool.query(
    `insert into workers (id, seen_at) values ($1, clock_timestamp())
     on conflict (id) do update set seen_at = excluded.seen_at`,
    [workerId],
  );
  // A worker without a heartbeat may have started a moment ago: then the age of its jobs decides.
  await pool.query(
    `select graphile_worker.force_unlock_workers(array(
       select job.locked_by from graphile_worker.jobs job left join workers on workers.id = job.locked_by
       where job.locked_by is not null
         and coalesce(workers.seen_at, job.locked_at) < clock_timestamp() - $1::interval))`,
    [DEAD_AFTER],
  );
  await pool.query('delete from workers where seen_at < clock_timestamp() - $1::interval', [DEAD_AFTER]);
  await removeDetachedJobs(pool);
}

/** Frees the jobs of workers that stopped, without waiting until they count as dead. */
export async function forget(pool: Pool, workerIds: readonly string[]): Promise<void> {
  if (workerIds.length === 0) return;
  await pool.query('select graphile_worker.force_unlock_workers($1)', [workerIds]);
  await pool.query('delete from workers where id = any($1)', [workerIds]);
}

/** Removes jobs that were replaced while they ran and then never finished: they have no key and no attempts left. */
async function removeDetachedJobs(pool: Pool): Promise<void> {
  await pool.query(
    `select graphile_worker.complete_jobs(array(
       select id from graphile_worker.jobs where key is null and locked_at is null and attempts >= max_attempts))`,
  );
}
