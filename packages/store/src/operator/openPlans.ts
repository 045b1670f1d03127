import type { Plan } from '@fairway/plan';
import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { CHAIN_TASK } from '../jobs/chainJob.ts';
import { planJobKey } from '../jobs/planJob.ts';
import { isPlan, loadPlans } from '../plans/loadPlans.ts';
import { IS_RESTORED } from '../record/swapSize.ts';
import type { PlanScope } from '../plans/planScope.ts';

/** A plan with the organisation that it belongs to. */
export type OwnedPlan = { readonly scope: PlanScope; readonly organisation: string; readonly plan: Plan };

/** An open plan. `overdue`: something should have happened by now, by the database's clock. */
export type OpenPlan = OwnedPlan & { readonly isStuck: boolean; readonly isOverdue: boolean };

/** Open plans, of which the one that has not changed for longest comes first; `count`: how many there are in all. */
export type OpenPlans = {
  readonly plans: readonly OpenPlan[];
  readonly count: number;
  readonly stuck: number;
  readonly nowMs: number;
};

/** How many plans, and whether only those that are stuck. */
export type OpenPlanPage = { readonly limit: number; readonly onlyStuck: boolean };

/** A part of the plans that may have somebody to pay: those after an id, at most `limit`. */
export type DuePart = { readonly limit: number; readonly after?: string | undefined };

/** Plans that may have somebody to pay; the `after` of the next part, undefined at the end. */
export type DuePlans = {
  readonly plans: readonly OwnedPlan[];
  readonly next: string | undefined;
};

/** What the service still has to do for a plan. `lastError`: why a job failed the last time. */
export type PendingWork = {
  readonly jobs: readonly {
    readonly task: string;
    readonly dueAtMs: number;
    readonly attempts: number;
    readonly isRunning: boolean;
    readonly lastError: string | undefined;
  }[];
  readonly waits: readonly { readonly chainId: number; readonly dueBlock: number; readonly tries: number }[];
};

/** The condition that a plan is open; an index has exactly these. */
export const IS_OPEN = sql`any_operated.status not in ('COMPLETED', 'ENDED')`;

/** A plan that waits for a person, and not only for its first money. */
const WAITS_FOR_PERSON = sql`(any_operated.status in ('ACTION_REQUIRED', 'RETURNED') and not any_operated.is_unfunded)`;

/** A plan for which something should have happened by now. A job is done within seconds, and confirmations take minutes. */
const IS_OVERDUE = sql`(any_operated.is_unfunded and any_operated.expires_at < clock_timestamp() - interval '1 minute'
  or any_operated.status = 'IN_PROGRESS' and any_operated.updated_at < clock_timestamp() - interval '1 hour')`;

type OpenRow = {
  organisation_id: string;
  environment: PlanScope['environment'];
  plan_id: string;
  name: string;
  waits: boolean;
  overdue: boolean;
};

/** Lists open plans, the one first that has not changed for longest. */
export async function openPlans(database: Database, { limit, onlyStuck }: OpenPlanPage): Promise<OpenPlans> {
  const counted = await sql<{ count: bigint; stuck_count: bigint; now: Date }>`
    select count(*) as count, count(*) filter (where ${WAITS_FOR_PERSON} or ${IS_OVERDUE}) as stuck_count,
      clock_timestamp() as now
    from plans any_operated where ${IS_OPEN}`.execute(database);
  const { rows } = await sql<OpenRow>`
    select any_operated.organisation_id, any_operated.environment, any_operated.plan_id, organisations.name,
      ${WAITS_FOR_PERSON} as waits, ${IS_OVERDUE} as overdue
    from plans any_operated join organisations on organisations.id = any_operated.organisation_id
    where ${IS_OPEN} ${onlyStuck ? sql`and (${WAITS_FOR_PERSON} or ${IS_OVERDUE})` : sql``}
    order by any_operated.updated_at, any_operated.plan_id limit ${limit}`.execute(database);
  const plans: OpenPlan[] = [];
  for (const row of rows) {
    const owned = await load(database, row);
    if (owned !== undefined)
      plans.push({ ...owned, isStuck: row.waits || row.overdue, isOverdue: row.overdue });
  }
  const { count, stuck_count, now } = counted.rows[0] ?? { count: 0n, stuck_count: 0n, now: new Date() };
  return { plans, count: Number(count), stuck: Number(stuck_count), nowMs: now.getTime() };
}

/** A plan with a payout or a delivery that is to be made, or that failed and can be tried again. */
const HAS_PAYOUT = sql`exists (
  select from plan_steps s
  where (s.organisation_id, s.environment, s.plan_id)
      = (any_operated.organisation_id, any_operated.environment, any_operated.plan_id)
    and (s.type = 'CUSTODIAN_PAYOUT' and s.status in ('READY', 'FAILED') or s.delivery ->> 'status' = 'PENDING'))`;

/**
 * A plan that may have been paid in the time that a restored database has lost, although nobody is to be paid now. A payment
 * came back, which may have been made again. Or a recipient who chooses the account may have chosen.
 */
const MAY_BE_PAID = sql`${IS_RESTORED} and (any_operated.status = 'RETURNED' or exists (
  select from plan_steps s
  where (s.organisation_id, s.environment, s.plan_id)
      = (any_operated.organisation_id, any_operated.environment, any_operated.plan_id)
    and s.type = 'SEND_DIGITAL_COLLECT' and s.status <> 'PENDING'
    and coalesce(s.delivery ->> 'status', 'FAILED') = 'FAILED'))`;

/**
 * Lists the plans that may have somebody to pay, oldest first. The ledger of a plan tells how much it has still to
 * pay.
 */
export async function duePlans(database: Database, { limit, after = '' }: DuePart): Promise<DuePlans> {
  const { rows } = await sql<Omit<OpenRow, 'waits' | 'overdue'>>`
    select any_operated.organisation_id, any_operated.environment, any_operated.plan_id, organisations.name
    from plans any_operated join organisations on organisations.id = any_operated.organisation_id
    where ${IS_OPEN} and (${HAS_PAYOUT} or ${MAY_BE_PAID}) and any_operated.plan_id > ${after}
    order by any_operated.plan_id limit ${limit}`.execute(database);
  const plans: OwnedPlan[] = [];
  for (const row of rows) {
    const owned = await load(database, row);
    if (owned !== undefined) plans.push(owned);
  }
  return { plans, next: rows.length < limit ? undefined : rows.at(-1)?.plan_id };
}

/** The plan of an id. It is looked for by the key, organisation by organisation: there is no index of ids alone. */
export async function findPlan(database: Database, planId: string): Promise<OwnedPlan | undefined> {
  const { rows } = await sql<OpenRow>`
    select any_operated.organisation_id, any_operated.environment, any_operated.plan_id, organisations.name
    from organisations cross join unnest(array['sandbox', 'production']) as each(environment)
      join plans any_operated on any_operated.organisation_id = organisations.id
        and any_operated.environment = each.environment and any_operated.plan_id = ${planId}`.execute(
    database,
  );
  return rows[0] && load(database, rows[0]);
}

async function load(
  database: Database,
  { organisation_id, environment, plan_id, name }: Omit<OpenRow, 'waits' | 'overdue'>,
): Promise<OwnedPlan | undefined> {
  const scope = { organisationId: organisation_id, environment };
  const [loaded] = await loadPlans(database, isPlan(scope, plan_id), 'SHOWN');
  return loaded && { scope, organisation: name, plan: loaded.plan };
}

/** What the service still has to do for a plan. */
export async function pendingWork(
  database: Database,
  { organisationId, environment }: PlanScope,
  planId: string,
): Promise<PendingWork> {
  const keys = [planJobKey(planId), `${CHAIN_TASK}:${planId}`];
  const jobs = await sql<JobRow>`
    select task_identifier, run_at, attempts, locked_at is not null as running, last_error
    from graphile_worker.jobs where key = any(${keys}::text[]) order by run_at`.execute(database);
  const waits = await sql<{ chain_id: bigint; due_block: bigint; tries: number }>`
    select chain_id, due_block, tries from chain_waits
    where organisation_id = ${organisationId} and environment = ${environment} and plan_id = ${planId}`.execute(
    database,
  );
  return {
    jobs: jobs.rows.map(({ task_identifier, run_at, attempts, running, last_error }) => ({
      task: task_identifier,
      dueAtMs: run_at.getTime(),
      attempts,
      isRunning: running,
      lastError: last_error ?? undefined,
    })),
    waits: waits.rows.map(({ chain_id: chainId, due_block, tries }) => ({
      chainId: Number(chainId),
      dueBlock: Number(due_block),
      tries,
    })),
  };
}

type JobRow = {
  task_identifier: string;
  run_at: Date;
  attempts: number;
  running: boolean;
  last_error: string | null;
};
