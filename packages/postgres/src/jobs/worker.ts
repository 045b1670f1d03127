import { EventEmitter } from 'node:events';
import { withPatience } from '@fairway/processes';
import { run, type Runner, type TaskList, type WorkerEvents } from 'graphile-worker';
import type { Pool, PoolClient } from 'pg';
import type { DatabaseConnection } from '../connection/connection.ts';
import { openPool } from '../connection/pool.ts';
import { pause } from '../time/pause.ts';
import { beat, BEAT_MS, forget } from './heartbeat.ts';
import { JOBS_SCHEMA, jobsLogger } from './schema.ts';

/**
 * Does one job. It must be safe to repeat, because the jobs of a worker that seems dead are given to another one. An
 * error leaves the job for later, with growing delays; its message is kept with the job and logged.
 */
export type TaskHandler = (payload: unknown, job: { readonly id: string }) => Promise<void>;

/**
 * What a worker does: jobs of these tasks, `concurrency` of them at once. Jobs of other tasks wait for other workers.
 * Jobs that need something this worker lacks at the moment wait, too; `lacks` is asked before each job.
 */
export type WorkerOptions = {
  readonly tasks: Readonly<Record<string, TaskHandler>>;
  readonly concurrency: number;
  readonly log: (message: string) => void;
  readonly lacks?: () => readonly string[];
};

/** A worker; `close` waits at most 1.5 s for running jobs, and leaves the others to the next worker. */
export type JobWorker = { close(): Promise<void> };

type Work = WorkerOptions & {
  connection: DatabaseConnection;
  closing: AbortSignal;
  /** Earlier runs of this worker whose jobs could not be freed yet, because the database was away. */
  formerIds: Set<string>;
};

const POLL_INTERVAL_MS = 1_000;
const CLOSE_PATIENCE_MS = 1_500;
/** How long the worker tries to free its jobs after it has waited for the running ones. */
const LEAVE_PATIENCE_MS = 300;
const SHORTEST_BACK_OFF_MS = 100;
const LONGEST_BACK_OFF_MS = 5_000;

/**
 * Does the jobs of a migrated database until it is closed, and goes on after any absence of the database. It never
 * throws, and none of its promises rejects.
 *
 * @example
 * ```ts
 * import { startWorker } from '@fairway/postgres';
 *
 * const worker = startWorker(
 *   { url: 'postgres://app@127.0.0.1/app' },
 *   { tasks: { invoice: async (payload) => console.log(payload) }, concurrency: 4, log: console.error },
 * );
 * await worker.close();
 * ```
 */
export function startWorker(connection: DatabaseConnection, options: WorkerOptions): JobWorker {
  const closing = new AbortController();
  const formerIds = new Set<string>();
  const loop = keepRunning({ ...options, connection, closing: closing.signal, formerIds });
  let closed: Promise<void> | undefined;
  const close = async () => {
    closing.abort();
    await withPatience(loop, CLOSE_PATIENCE_MS + 2 * LEAVE_PATIENCE_MS);
  };
  return { close: () => (closed ??= close()) };
}

async function keepRunning(work: Work): Promise<void> {
  const { closing, log } = work;
  for (let backOffMs = SHORTEST_BACK_OFF_MS; !closing.aborted; ) {
    const startedMs = performance.now();
    const end = await runOnce(work).catch((cause: unknown) =>
      cause instanceof Error ? cause.message : String(cause),
    );
    if (closing.aborted) return;
    log(`jobs: the worker stopped and starts again${end === undefined ? '' : ` (${end})`}`);
    if (performance.now() - startedMs > LONGEST_BACK_OFF_MS) backOffMs = SHORTEST_BACK_OFF_MS;
    await pause(backOffMs, closing);
    backOffMs = Math.min(backOffMs * 2, LONGEST_BACK_OFF_MS);
  }
}

/** From start to end of one runner: until it stops by itself, or the worker is closed. */
async function runOnce(work: Work): Promise<void> {
  const { connection, log, concurrency, closing, formerIds } = work;
  // A pool of the runner's own: it listens and polls all the time, and ends with all connections that broke.
  const pool = withPlainFailures(
    openPool(connection, log, {
      connections: concurrency + 2,
      connectTimeoutMs: 2_000,
      statementTimeoutMs: 5_000,
    }),
  );
  try {
    const { runner, workerId } = await startRunner(work, pool);
    const ended = new AbortController();
    const heart = keepBeating(work, pool, workerId, ended.signal);
    await Promise.race([runner.promise.catch(() => {}), aborted(closing)]);
    await withPatience(ignoringErrors(runner.stop()), CLOSE_PATIENCE_MS);
    ended.abort();
    formerIds.add(workerId);
    await withPatience(ignoringErrors(heart.then(() => forgetFormer(pool, formerIds))), LEAVE_PATIENCE_MS);
  } finally {
    // Not waited for: a job that outlives its worker's close may still hold a connection.
    void pool.end().catch(() => {});
  }
}

type Connected = (
  cause: Error | undefined,
  client: PoolClient | undefined,
  release: PoolClient['release'],
) => void;

/**
 * Replaces failures to connect by errors without a code. After an error with a known code the library waits for up to
 * minutes, and cannot be closed meanwhile. After an error without a code it asks again at the next poll.
 */
function withPlainFailures(pool: Pool): Pool {
  const promised = pool.connect.bind(pool) as () => Promise<PoolClient>;
  const called = pool.connect.bind(pool) as (callback: Connected) => void;
  const plain = (cause: Error) => new Error(`no connection: ${cause.message}`, { cause });
  const connect = (callback?: Connected): Promise<PoolClient> | void => {
    if (callback !== undefined)
      return called((cause, client, release) => callback(cause && plain(cause), client, release));
    return promised().catch((cause: Error) => {
      throw plain(cause);
    });
  };
  return Object.assign(pool, { connect });
}

async function startRunner(work: Work, pgPool: Pool): Promise<{ runner: Runner; workerId: string }> {
  const events = new EventEmitter() as WorkerEvents;
  let workerId = '';
  events.on('pool:create', ({ workerPool }) => {
    workerId = workerPool.id;
  });
  const runner = await run(
    {
      pgPool,
      events,
      schema: JOBS_SCHEMA,
      concurrency: work.concurrency,
      pollInterval: POLL_INTERVAL_MS,
      forbiddenFlags: () => [...(work.lacks?.() ?? [])],
      noHandleSignals: true,
      logger: jobsLogger(work.log),
      // With batches, a result that cannot be written is a rejection that nobody handles, which ends the process.
      preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
    },
    taskListOf(work),
    [],
  );
  return { runner, workerId };
}

function taskListOf({ tasks }: Work): TaskList {
  return Object.fromEntries(
    Object.entries(tasks).map(([name, perform]) => [
      name,
      (payload, { job }) => perform(payload, { id: job.id }),
    ]),
  );
}

async function keepBeating(
  { log, formerIds }: Work,
  pool: Pool,
  workerId: string,
  ended: AbortSignal,
): Promise<void> {
  while (!ended.aborted) {
    try {
      await beat(pool, workerId);
      await forgetFormer(pool, formerIds);
    } catch (cause) {
      log(`jobs: no heartbeat: ${String(cause)}`);
    }
    await pause(BEAT_MS, ended);
  }
}

async function forgetFormer(pool: Pool, formerIds: Set<string>): Promise<void> {
  const ids = [...formerIds];
  await forget(pool, ids);
  for (const id of ids) formerIds.delete(id);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

async function ignoringErrors(promise: Promise<unknown>): Promise<void> {
  await promise.catch(() => {});
}
