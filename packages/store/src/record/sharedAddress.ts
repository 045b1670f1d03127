import type { Plan } from '@fairway/plan';

import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { PlanScope } from '../plans/planScope.ts';

/** Whether another plan, of whichever organisation, has or had the deposit address of a plan. */
export async function isAddressShared(
  database: Database,
  scope: PlanScope,
  plan: Plan,
): Promise<{ readonly isShared: boolean }> {
  const { rows } = await sql<{ is_shared: boolean }>`
      select exists (${otherPlanThere(scope, plan)}) as is_shared`.execute(database);
  return { isShared: rows[0]?.is_shared === true };
}

/** The other plans that have or had the deposit address of a plan. */
export function otherPlanThere({ environment }: PlanScope, plan: Plan): RawBuilder<unknown> {
  const { planId, options, corridor } = plan;
  return sql`select from plans any_owner
             where any_owner.environment = ${environment} and any_owner.source_chain_id = ${corridor.source.chainId}
               and any_owner.deposit_address = ${options.depositAddress?.toLowerCase() ?? null}
               and any_owner.plan_id <> ${planId}`;
}
