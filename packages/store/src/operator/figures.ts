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

/** What waits to be sent to webhook endpoints, counted up to 100,000. `failing`: endpoints that had no success for an hour. */
export type WebhookFigures = {
  readonly pending: number;
  /** How long ago the delivery was made that has waited for longest, whenever its next attempt is due; 0 when none waits. */
  readonly oldestPendingMs: number;
  readonly failing: number;
  readonly disabled: number;
};

/** How many deliveries are counted: behind receivers that are dead for days there may be millions, whose count would take seconds. */
const MOST_COUNTED = 100_000;

type CountRow = { name: string; count: bigint };

/**
 * Counts in one query each; every count is read from an index, or from the few jobs that are due. `most`: how many deliveries are
 * counted, 100,000 unless a test has fewer.
 */
export async function figures(
  database: Database,
  environment: PlanScope['environment'],
  nowMs: number,
  most = MOST_COUNTED,
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
    webhooks: await webhookFigures(database, environment, nowMs, most),
  };
}

async function webhookFigures(
  database: Database,
  environment: PlanScope['environment'],
  nowMs: number,
  most: number,
): Promise<WebhookFigures> {
  const endpoints = await sql<{ failing_count: bigint; disabled_count: bigint }>`
    select count(*) filter (where any_operated.is_failing) as failing_count,
      count(*) filter (where any_operated.status = 'DISABLED') as disabled_count
    from webhook_endpoints any_operated where any_operated.environment = ${environment}`.execute(database);
  // PENDING deliveries belong to ENABLED endpoints, so these few endpoints lead to them by their indexes.
  const pending = sql`webhook_deliveries d
    where d.organisation_id = any_operated.organisation_id and d.environment = any_operated.environment
      and d.endpoint_id = any_operated.endpoint_id and d.status = 'PENDING'`;
  const enabled = sql`any_operated.environment = ${environment} and any_operated.status = 'ENABLED'`;
  const deliveries = await sql<{ pending_count: bigint; oldest: Date | null }>`
    select (
      select count(*) from (
        select from webhook_endpoints any_operated
        cross join lateral (select from ${pending} limit ${most}) waiting
        where ${enabled} limit ${most}
      ) counted
    ) as pending_count, (
      select min(first.created_at) from webhook_endpoints any_operated
      cross join lateral (select d.created_at from ${pending} order by d.position limit 1) first
      where ${enabled}
    ) as oldest`.execute(database);
  const { failing_count = 0n, disabled_count = 0n } = endpoints.rows[0] ?? {};
  const { pending_count = 0n, oldest = null } = deliveries.rows[0] ?? {};
  return {
    pending: Number(pending_count),
    oldestPendingMs: oldest === null ? 0 : Math.max(0, nowMs - oldest.getTime()),
    failing: Number(failing_count),
    disabled: Number(disabled_count),
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
