import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { run, type Runner, type Task, type TaskList, type WorkerEvents } from 'graphile-worker';
import { sql } from 'kysely';
import type { Pool, PoolClient } from 'pg';
import { isErrorCode } from '../collect/mails.ts';
import { type Database, type DatabaseConnection, openPool } from '../database.ts';
import { lockPlan } from '../payments/loadPlans.ts';
import type { PlanScope } from '../payments/planScope.ts';
import { beat, BEAT_MS, forget } from './heartbeat.ts';
import { JOBS_SCHEMA, jobsLogger } from './jobsLogger.ts';
import { addMailJob, MAIL_TASK, mailDelayMs, type MailJobPayload } from './mailJob.ts';
import { PLAN_TASK, type PlanJobPayload, planJobKey, setPlanJob, workDelayMs } from './planJob.ts';

/** What a worker does, and how many jobs at once. */
export type PlanWorkerOptions = {
  /**
   * Does what the plan leaves to the service. Must be safe to repeat: a worker that seems dead has its jobs taken
   * over. Throwing leaves the job for later, with growing delays; so does returning with the work undone. Without this,
   * plans wait for a worker that does their work.
   */
  perform?: (scope: PlanScope, planId: string) => Promise<void>;
  /**
   * Sends an e-mail and says what became of it. One that is due and still waits afterwards is tried again, with growing
   * delays. Without this, e-mails wait for a worker that sends them.
   */
  performMail?: (mailId: string) => Promise<void>;
  concurrency: number;
  log: (message: string) => void;
};

/** A worker; `close` waits at most 1.5 s for running jobs, and leaves the others to whoever works next. */
export type PlanWorker = { close(): Promise<void> };

type Work = PlanWorkerOptions & {
  database: Database;
  connection: DatabaseConnection;
  now: () => Date;
  closing: AbortSignal;
  /** Former runs of this worker whose jobs could not be freed yet, as the database was away. */
  formerIds: Set<string>;
};

const POLL_INTERVAL_MS = 1_000;
const CLOSE_PATIENCE_MS = 1_500;
/** For taking leave of the database once the running jobs had their time. */
const LEAVE_PATIENCE_MS = 300;
const SHORTEST_BACK_OFF_MS = 100;
const LONGEST_BACK_OFF_MS = 5_000;
/** Work that was due and is still there when it was done is not tried again at once: that would never end. */
const UNDONE_DELAY_MS = 5_000;

/** Works until closed, through any absence of the database. Never throws, and nothing of it rejects. */
export function startWorker(
  database: Database,
  connection: DatabaseConnection,
  now: () => Date,
  options: PlanWorkerOptions,
): PlanWorker {
  const closing = new AbortController();
  const formerIds = new Set<string>();
  const loop = keepRunning({ ...options, database, connection, now, closing: closing.signal, formerIds });
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
    await sleep(backOffMs, undefined, { signal: closing }).catch(() => {});
    backOffMs = Math.min(backOffMs * 2, LONGEST_BACK_OFF_MS);
  }
}

/** From start to end of one runner: until it stops by itself, or the worker is closed. */
async function runOnce(work: Work): Promise<void> {
  const { connection, log, concurrency, closing, formerIds } = work;
  // Of its own: it listens and polls all the time, and a broken connection is best left behind with all others.
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
    await withPatience(runner.stop(), CLOSE_PATIENCE_MS);
    ended.abort();
    formerIds.add(workerId);
    await withPatience(
      heart.then(() => forgetFormer(pool, formerIds)),
      LEAVE_PATIENCE_MS,
    );
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
 * By their codes the library knows failures to connect that it would sleep on for up to minutes, deaf to being
 * closed. Without a code it asks again at the next poll.
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
      noHandleSignals: true,
      logger: jobsLogger(work.log),
      // Without batches, a result that cannot be written is a rejection that nobody handles: it ends the process.
      preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
    },
    tasksOf(work),
    [],
  );
  return { runner, workerId };
}

function tasksOf({ database, now, perform, performMail }: Work): TaskList {
  return {
    ...(performMail === undefined ? {} : { [MAIL_TASK]: mailTask(database, now, performMail) }),
    ...(perform === undefined ? {} : { [PLAN_TASK]: planTask(database, now, perform) }),
  };
}

function planTask(
  database: Database,
  now: () => Date,
  perform: NonNullable<PlanWorkerOptions['perform']>,
): Task {
  return async (payload, { job }) => {
    const { organisationId, environment, planId } = payload as PlanJobPayload;
    const scope = { organisationId, environment };
    await perform(scope, planId);
    await keepWork(database, now(), scope, planId, job.id);
  };
}

function mailTask(database: Database, now: () => Date, performMail: (mailId: string) => Promise<void>): Task {
  return async (payload) => {
    const { mailId } = payload as MailJobPayload;
    try {
      await performMail(mailId);
    } catch (cause) {
      throw new Error(`the e-mail was not sent: ${errorCodeOf(cause)}`);
    }
    const delayMs = await mailDelayMs(database, now().getTime(), mailId);
    if (delayMs === undefined) return;
    if (delayMs === 0) throw new Error('the e-mail still waits');
    // It ran too early, as all jobs do when the service's clock is advanced.
    await addMailJob(database, mailId, { delayMs });
  };
}

/** What may be kept with a job and logged: what a mail server says in words may hold an address. */
function errorCodeOf(cause: unknown): string {
  if (!(cause instanceof Error)) return typeof cause;
  return [(cause as NodeJS.ErrnoException).code, cause.message].find(isErrorCode) ?? cause.name;
}

/** Work that a job leaves behind gets a new job, unless it has one: one that ran too early, or found the work undoable. */
async function keepWork(
  database: Database,
  now: Date,
  scope: PlanScope,
  planId: string,
  jobId: string,
): Promise<void> {
  await database.transaction().execute(async (transaction) => {
    const plan = await lockPlan(transaction, scope, planId);
    const delayMs = plan && workDelayMs(plan, now.getTime());
    if (delayMs === undefined) return;
    const { rows } = await sql`
      select from graphile_worker.jobs where key = ${planJobKey(planId)} and id <> ${jobId}`.execute(
      transaction,
    );
    if (rows.length === 0) await setPlanJob(transaction, scope, planId, Math.max(delayMs, UNDONE_DELAY_MS));
  });
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
    await sleep(BEAT_MS, undefined, { signal: ended }).catch(() => {});
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

/** Waits for a promise, though not for long; how it ends is of no interest. */
async function withPatience(promise: Promise<unknown>, patienceMs: number): Promise<void> {
  const done = new AbortController();
  const tired = sleep(patienceMs, undefined, { signal: done.signal }).catch(() => {});
  await Promise.race([promise.catch(() => {}), tired]);
  done.abort();
}
