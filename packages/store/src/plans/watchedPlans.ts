import { attempt, type Unavailable } from '@fairway/postgres';
import { type RawBuilder, sql } from 'kysely';
import type { Environment } from '../database/schema.ts';
import type { Database } from '../database/database.ts';
import type { PlanScope } from './planScope.ts';

/** A plan's id and scope. */
export type ScopedPlanId = { readonly scope: PlanScope; readonly planId: string };

/** A plan with a deposit address to watch, and the state of its deposits. Addresses are in lower case. */
export type WatchedPlan = ScopedPlanId & {
  readonly token: string;
  readonly depositAddress: string;
  /** Whether a deposit has too few confirmations. */
  readonly isConfirming: boolean;
  /** The latest block with a deposit; undefined while there is none. */
  readonly lastBlockNumber: bigint | undefined;
};

/** Plans of all organisations, for watching a chain. */
export type FoundPlans<Found extends ScopedPlanId> = { readonly ok: true; readonly plans: Found[] };

const WATCHED_AFTER_END_DAYS = 30;

const IS_OPEN = sql`status not in ('COMPLETED', 'EXPIRED', 'CANCELLED', 'RETURNED', 'CLOSED')`;

/** The same condition as in the index of deposit addresses, so that PostgreSQL uses this index. */
function holdsAddress(alias: string): RawBuilder<unknown> {
  return sql`coalesce(${sql.ref(`${alias}.holds_address`)}, ${sql.ref(alias)}.${IS_OPEN})`;
}

/** Plans whose deposit address is to be watched on a chain. */
export function watchedPlans(
  database: Database,
  now: Date,
  environment: Environment,
  chainId: number,
): Promise<FoundPlans<WatchedPlan> | Unavailable> {
  const endedSince = new Date(now.getTime() - WATCHED_AFTER_END_DAYS * 86_400_000);
  return attempt(async () => {
    const { rows } = await sql<WatchedRow>`
      select any_plan.organisation_id, any_plan.environment, any_plan.plan_id, any_plan.deposit_address,
        lower(any_plan.corridor #>> '{source,token}') as token, s.received <> s.confirmed as is_confirming,
        (select max((t ->> 'blockNumber')::int8) from jsonb_array_elements(s.transfers) t) as last_block_number
      from plans any_plan join plan_steps s
        on (s.organisation_id, s.environment, s.plan_id)
          = (any_plan.organisation_id, any_plan.environment, any_plan.plan_id)
        and s.type = 'AWAIT_DEPOSIT'
      where any_plan.environment = ${environment} and any_plan.source_chain_id = ${chainId}
        and any_plan.deposit_address is not null
        and (
          ${holdsAddress('any_plan')} and not exists (
            select from step_evidence e join plan_steps s using (organisation_id, environment, plan_id, step_id)
            where (e.organisation_id, e.environment, e.plan_id)
              = (any_plan.organisation_id, any_plan.environment, any_plan.plan_id)
              and s.type = 'EXECUTE_SWAP' and e.status = 'FINAL')
          or any_plan.status in ('EXPIRED', 'CANCELLED') and any_plan.updated_at >= ${endedSince} and not exists (
            select from plans any_open_plan
            where (any_open_plan.environment, any_open_plan.source_chain_id)
                = (any_plan.environment, any_plan.source_chain_id)
              and any_open_plan.deposit_address = any_plan.deposit_address and ${holdsAddress('any_open_plan')})
        )
      order by any_plan.plan_id`.execute(database);
    return { ok: true, plans: rows.map(watchedOf) };
  });
}

type IdRow = { organisation_id: string; environment: Environment; plan_id: string };

type WatchedRow = IdRow & {
  deposit_address: string;
  token: string;
  is_confirming: boolean;
  last_block_number: bigint | null;
};

function watchedOf(row: WatchedRow): WatchedPlan {
  return {
    ...idOf(row),
    token: row.token,
    depositAddress: row.deposit_address,
    isConfirming: row.is_confirming,
    lastBlockNumber: row.last_block_number ?? undefined,
  };
}

function idOf({ organisation_id, environment, plan_id }: IdRow): ScopedPlanId {
  return { scope: { organisationId: organisation_id, environment }, planId: plan_id };
}

/** Plans that rest on transactions which a reorganisation could move. */
export function plansWithEvidence(
  database: Database,
  environment: Environment,
  chainId: number,
  sinceBlockNumber: number,
): Promise<FoundPlans<ScopedPlanId> | Unavailable> {
  // A transaction that was taken back is in no block and may be mined again in any block, so its plan is always found.
  return attempt(async () => {
    const { rows } = await sql<IdRow>`
      select organisation_id, environment, plan_id from step_evidence any_evidence
      where environment = ${environment} and chain_id = ${chainId}
        and (block_number >= ${sinceBlockNumber} or status = 'CONFIRMING')
      union
      select organisation_id, environment, plan_id
      from step_evidence any_evidence join plans l using (organisation_id, environment, plan_id)
      where environment = ${environment} and any_evidence.chain_id = ${chainId} and any_evidence.status = 'LOST' and l.${IS_OPEN}
      union
      select any_attempt.organisation_id, any_attempt.environment, any_attempt.plan_id
      from step_attempts any_attempt join plans l using (organisation_id, environment, plan_id)
      where any_attempt.environment = ${environment} and any_attempt.outcome = 'LOST'
        and l.source_chain_id = ${chainId} and l.${IS_OPEN} and not exists (
          select from step_evidence e
          where (e.organisation_id, e.environment, e.plan_id, e.step_id)
            = (any_attempt.organisation_id, any_attempt.environment, any_attempt.plan_id, any_attempt.step_id)
            and e.status <> 'LOST')
      order by plan_id`.execute(database);
    return { ok: true, plans: rows.map(idOf) };
  });
}
