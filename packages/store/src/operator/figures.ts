import { type WebhookFigures, webhookFigures } from '@fairway/outbox';
import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { PlanScope } from '../plans/planScope.ts';
import { IS_OPEN } from './openPlans.ts';

/** Counts of an environment. `waiting`: plans that wait for blocks of their chain, by chain. Jobs belong to no environment. */
export type Figures = {
  readonly openPlans: Readonly<Record<string, number>>;
  readonly mails: Readonly<Record<string, number>>;
  readonly waiting: Readonly<Record<string, number>>;
  readonly jobsDue: number;
  /** How long the job has been due that waits for longest; 0 when none is due. */
  readonly oldestDueMs: number;
  readonly webhooks: WebhookFigures;
};

type CountRow = { name: string; count: bigint };

/** Counts in one query each; every count is read from an index, or from the few jobs that are due. */
export async function figures(
  database: Database,
  environment: PlanScope['environment'],
  nowMs: number,
): Promise<Figures> {
  const plans = await sql<CountRow>`
    select any_operated.status as name, count(*) as count from plans any_operated
    where any_operated.environment = ${environment} and ${IS_OPEN} group by any_operated.status`.execute(
    database,
  );
  const mails = await sql<CountRow>`
    select any_operated.state as name, count(*) as count from mails any_operated
    where any_operated.environment = ${environment} group by any_operated.state`.execute(database);
  const waiting = await sql<CountRow>`
    select any_operated.chain_id::text as name, count(*) as count from chain_waits any_operated
    where any_operated.environment = ${environment} group by any_operated.chain_id`.execute(database);
  const jobs = await sql<{ due_count: bigint; oldest: Date | null; now: Date }>`
    select count(*) as due_count, clock_timestamp() as now, (
        select run_at from graphile_worker.jobs where run_at <= now() and locked_at is null order by run_at limit 1
      ) as oldest
    from graphile_worker.jobs where run_at <= now() and locked_at is null`.execute(database);
  const { due_count = 0n, oldest = null, now = new Date() } = jobs.rows[0] ?? {};
  return {
    openPlans: countsOf(plans.rows),
    mails: countsOf(mails.rows),
    waiting: countsOf(waiting.rows),
    jobsDue: Number(due_count),
    oldestDueMs: oldest === null ? 0 : Math.max(0, now.getTime() - oldest.getTime()),
    webhooks: await webhookFigures(database, environment, nowMs),
  };
}

/** Counts the open plans of each chain. It reads every open plan, so it is for a start and not for each scrape. */
export async function openPlansByChain(
  database: Database,
  environment: PlanScope['environment'],
): Promise<ReadonlyMap<number, number>> {
  const { rows } = await sql<{ chain_id: bigint; count: bigint }>`
    select any_operated.source_chain_id as chain_id, count(*) as count from plans any_operated
    where any_operated.environment = ${environment} and ${IS_OPEN} group by any_operated.source_chain_id`.execute(
    database,
  );
  return new Map(rows.map(({ chain_id: chainId, count }) => [Number(chainId), Number(count)]));
}

function countsOf(rows: readonly CountRow[]): Readonly<Record<string, number>> {
  return Object.fromEntries(rows.map(({ name, count }) => [name, Number(count)]));
}
