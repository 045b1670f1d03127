import type { Plan } from '@fairway/plan';
import { type RawBuilder, sql } from 'kysely';
import type { Environment } from '../credentials.ts';
import type { Database } from '../database.ts';
import { attempt, type Unavailable } from '../unavailable.ts';
import { loadPlans } from './loadPlans.ts';
import type { PlanScope } from './planScope.ts';

/** A plan and whose it is. */
export type ScopedPlan = { readonly scope: PlanScope; readonly plan: Plan };

/** Plans of everybody, for what watches a chain. */
export type ScopedPlans = { readonly ok: true; readonly plans: ScopedPlan[] };

const WATCHED_AFTER_END_DAYS = 30;

/** Worded as the index of open plans is, which is then used. */
const IS_OPEN = sql`status not in ('COMPLETED', 'EXPIRED', 'CANCELLED', 'RETURNED')`;

/** Plans whose deposit address is to be watched on a chain. */
export function watchedPlans(
  database: Database,
  now: Date,
  environment: Environment,
  chainId: number,
): Promise<ScopedPlans | Unavailable> {
  const endedSince = new Date(now.getTime() - WATCHED_AFTER_END_DAYS * 86_400_000);
  return scopedPlans(
    database,
    sql`p.environment = ${environment} and p.source_chain_id = ${chainId} and p.deposit_address is not null
      and (
        p.${IS_OPEN} and not exists (
          select from step_evidence e join plan_steps s using (organisation_id, environment, plan_id, step_id)
          where (e.organisation_id, e.environment, e.plan_id) = (p.organisation_id, p.environment, p.plan_id)
            and s.type = 'EXECUTE_SWAP' and e.status = 'FINAL')
        or p.status in ('EXPIRED', 'CANCELLED') and p.updated_at >= ${endedSince} and not exists (
          select from plans o where o.environment = p.environment and o.source_chain_id = p.source_chain_id
            and o.deposit_address = p.deposit_address and o.${IS_OPEN})
      )
    order by p.plan_id`,
  );
}

/** Plans that rest on transactions a reorganisation could move. */
export function plansWithEvidence(
  database: Database,
  environment: Environment,
  chainId: number,
  sinceBlockNumber: number,
): Promise<ScopedPlans | Unavailable> {
  // A transaction that was taken back is in no block: it may be mined again in any, whatever was derived since.
  return scopedPlans(
    database,
    sql`(p.organisation_id, p.environment, p.plan_id) in (
      select organisation_id, environment, plan_id from step_evidence
      where environment = ${environment} and chain_id = ${chainId}
        and (block_number >= ${sinceBlockNumber} or status = 'CONFIRMING')
      union
      select organisation_id, environment, plan_id
      from step_evidence e join plans l using (organisation_id, environment, plan_id)
      where environment = ${environment} and e.chain_id = ${chainId} and e.status = 'LOST' and l.${IS_OPEN}
      union
      select a.organisation_id, a.environment, a.plan_id
      from step_attempts a join plans l using (organisation_id, environment, plan_id)
      where a.environment = ${environment} and a.outcome = 'LOST' and l.source_chain_id = ${chainId}
        and l.${IS_OPEN} and not exists (
          select from step_evidence e
          where (e.organisation_id, e.environment, e.plan_id, e.step_id)
            = (a.organisation_id, a.environment, a.plan_id, a.step_id) and e.status <> 'LOST')
    ) order by p.plan_id`,
  );
}

function scopedPlans(database: Database, condition: RawBuilder<unknown>): Promise<ScopedPlans | Unavailable> {
  return attempt(async () => {
    const found = await loadPlans(database, condition);
    return { ok: true, plans: found.map(({ scope, plan }) => ({ scope, plan })) };
  });
}
