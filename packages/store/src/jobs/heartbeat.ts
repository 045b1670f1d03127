import type { Pool } from 'pg';

/** How often a worker says that it lives. */
export const BEAT_MS = 5_000;

/** A worker that was silent for so long is dead, and its jobs are anybody's. */
const DEAD_AFTER = '20 seconds';

/** Says that the worker lives, and frees the jobs of those that no longer do. */
export async function beat(pool: Pool, workerId: string): Promise<void> {
  await pool.query(
    `insert into workers (id, seen_at) values ($1, clock_timestamp())
     on conflict (id) do update set seen_at = excluded.seen_at`,
    [workerId],
  );
  // A worker without a heartbeat may have started just now: its jobs' age decides.
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

/** Jobs that another replaced while they ran, and that were never finished: they have no key and no tries left. */
async function removeDetachedJobs(pool: Pool): Promise<void> {
  await pool.query(
    `select graphile_worker.complete_jobs(array(
       select id from graphile_worker.jobs where key is null and locked_at is null and attempts >= max_attempts))`,
  );
}
