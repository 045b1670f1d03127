import type { PlanId, TimeMs } from '@fairway/plan';
import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { isHolder } from '../plans/addressHolder.ts';
import type { PlanScope } from '../plans/planScope.ts';
import type { ChangeParts } from './changeParts.ts';
import { changePlan } from './changePlan.ts';

/** The actor of a change that another organisation's proof makes to a plan. */
const PROOF_ACTOR = 'service';

/** An account that is proven to be the caller's from a block on. */
export type ProvenAddress = {
  readonly chainId: number;
  readonly account: string;
  readonly fromBlock: number;
  readonly atMs: TimeMs;
};

/**
 * Takes an account that has proven to be the caller's from another organisation's open plan. That plan only says that
 * the account is its deposit address. Nothing happens where there is no such plan, or where that plan has proven the
 * account, too.
 */
export async function releaseAddress(
  database: Database,
  parts: ChangeParts,
  { organisationId, environment }: PlanScope,
  { chainId, account, fromBlock, atMs }: ProvenAddress,
): Promise<{ readonly isReleased: boolean }> {
  const { rows } = await sql<{ organisation_id: string; plan_id: PlanId }>`
      select any_open_plan.organisation_id, any_open_plan.plan_id
      from plans any_open_plan
      where any_open_plan.environment = ${environment} and any_open_plan.source_chain_id = ${chainId}
        and any_open_plan.deposit_address = ${account.toLowerCase()} and ${isHolder('any_open_plan')}
        and any_open_plan.organisation_id <> ${organisationId}
        and not any_open_plan.options ? 'isAddressProven'`.execute(database);
  const [holder] = rows;
  if (holder === undefined) return { isReleased: false };
  const { organisation_id, plan_id } = holder;
  const scope = { organisationId: organisation_id, environment };
  const deed = { actor: PROOF_ACTOR, atMs };
  const changed = await changePlan(
    database,
    parts,
    scope,
    plan_id,
    { type: 'DEPOSIT_ADDRESS_LOST', fromBlock },
    deed,
  );
  if (changed.ok) return { isReleased: changed.outcome === 'CHANGED' };
  throw new Error(`The address of ${plan_id} cannot be released: ${changed.reason}`);
}
