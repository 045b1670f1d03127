import type { EndpointNotice } from '@fairway/outbox';
import {
  type DatabaseConnection,
  hastenJobs,
  type JobWorker,
  startWorker,
  type TaskHandler,
  type WorkerOptions,
} from '@fairway/postgres';
import type { Database } from './database/database.ts';
import type { MAIL_TASK } from './mail/job.ts';
import { lockPlan } from './plans/loadPlans.ts';
import type { PlanScope } from './plans/planScope.ts';
import type { CHAIN_TASK } from './jobs/chainJob.ts';
import { type ENDPOINT_MAIL_TASK, endpointMailTask } from './notifications/endpointMailTask.ts';
import { chainTask } from './jobs/chainTask.ts';
import { awaitBlock, type ChainWait } from './jobs/chainWait.ts';
import { mailTask } from './mail/task.ts';
import { type PLAN_TASK, planDelayMs, setPlanJob, type SOUND_CLOCK } from './jobs/planJob.ts';
import { planTask, type WorkOutcome } from './jobs/planTask.ts';
import { type REPORT_TASK, reportTask } from './reports/reportTask.ts';
import { type MATCHING_TASK, matchingTask } from './jobs/matchingJob.ts';

/** The tasks of the jobs that plans, e-mails, reports and webhook endpoints have. */
export type TaskName =
  | typeof PLAN_TASK
  | typeof CHAIN_TASK
  | typeof MAIL_TASK
  | typeof REPORT_TASK
  | typeof MATCHING_TASK
  | typeof ENDPOINT_MAIL_TASK;

/** What a worker does: jobs of these tasks. Jobs of the other tasks wait for a worker that does them. */
export type StoreWorkerOptions = Omit<WorkerOptions, 'tasks'> & {
  readonly tasks: { readonly [Name in TaskName]?: TaskHandler };
};

/**
 * The work that plans and e-mails leave to the service. A plan with work has one job of the task `plan`, or waits for its
 * chain; both are written in one transaction with the plan. When a chain shows something of a plan, the plan gets a
 * job of the task `chain`. An e-mail has a job until it was sent or dropped.
 */
export type Jobs = {
  /**
   * Sets the plan's job for after this time, because its work could not be done yet. A plan without work gets no job.
   * `needs`: what this process lacks to do it, so that another one does.
   */
  schedule(scope: PlanScope, planId: string, delayMs: number, needs?: typeof SOUND_CLOCK): Promise<void>;
  /** Lets the plan wait for its chain, in place of a job. */
  awaitBlock(scope: PlanScope, planId: string, wait: ChainWait): Promise<void>;
  /** Lets every waiting job run now, whenever it was due, because the service's clock was advanced. */
  hasten(): Promise<void>;
  /**
   * The handler of the task `plan`. `perform` does the work that a plan leaves to the service, and must be safe to
   * repeat. When it throws, or has TRIED and left the work undone, the job is tried again later.
   */
  planTask(perform: (scope: PlanScope, planId: string) => Promise<WorkOutcome>): TaskHandler;
  /**
   * The handler of the task `chain`. `perform` compares a plan with the record of its chain and does what the plan
   * leaves to the service then. It is repeated like that of the task `plan`.
   */
  chainTask(perform: (scope: PlanScope, planId: string, tries: number) => Promise<WorkOutcome>): TaskHandler;
  /**
   * The handler of the task `mail`. `perform` sends an e-mail and marks its outcome. An e-mail that is due and still
   * waits afterwards is tried again, with growing delays.
   */
  mailTask(perform: (mailId: string) => Promise<void>): TaskHandler;
  /**
   * The handler of the task `report`. `perform` makes a report and marks its outcome, or answers in how many milliseconds it is
   * due. When it throws, the job is tried again later.
   */
  reportTask(perform: (scope: PlanScope, reportId: string) => Promise<number | undefined>): TaskHandler;
  /**
   * The handler of the task `matching`. `perform` matches entries of statements with the payments of a plan, and must be safe to repeat. When it
   * throws, the job is tried again later.
   */
  matchingTask(perform: (scope: PlanScope, planId: string) => Promise<void>): TaskHandler;
  /**
   * The handler of the task `endpoint_mail`. `perform` e-mails what has become of a webhook endpoint, to whoever is to be told. When
   * it throws, the job is tried again later.
   */
  endpointMailTask(perform: (notice: EndpointNotice) => Promise<void>): TaskHandler;
  /** Starts doing the jobs of these tasks, until `close`. */
  startWorker(options: StoreWorkerOptions): JobWorker;
};

/** Binds the jobs to a database and the service's clock. */
export function createJobs(database: Database, connection: DatabaseConnection, now: () => Date): Jobs {
  return {
    schedule: (scope, planId, delayMs, needs) => schedule(database, scope, planId, delayMs, needs),
    awaitBlock: (scope, planId, wait) => awaitBlock(database, scope, planId, wait),
    hasten: () => hastenJobs(database),
    planTask: (perform) => planTask(database, now, perform),
    chainTask: (perform) => chainTask(database, now, perform),
    mailTask: (perform) => mailTask(database, now, perform),
    reportTask: (perform) => reportTask(database, perform),
    matchingTask,
    endpointMailTask,
    startWorker: (options) => startWorker(connection, options),
  };
}

async function schedule(
  database: Database,
  scope: PlanScope,
  planId: string,
  delayMs: number,
  needs?: typeof SOUND_CLOCK,
): Promise<void> {
  await database.transaction().execute(async (transaction) => {
    const plan = await lockPlan(transaction, scope, planId);
    if (plan === undefined || planDelayMs(plan, 0) === undefined) return;
    await setPlanJob(transaction, scope, planId, delayMs, needs);
  });
}
