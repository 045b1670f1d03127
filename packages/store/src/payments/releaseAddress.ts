import type { PlanId, TimeMs } from '@fairway/plan';
import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { isHolder } from '../plans/addressHolder.ts';
import type { PlanScope } from '../plans/planScope.ts';
import type { ChangeParts } from './changeParts.ts';
import { changeLocked } from './changePlan.ts';

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
 * account, too. Runs within the transaction that writes the caller's plan: money always belongs to one of the two.
 */
export async function releaseAddress(
  transaction: Database,
  parts: ChangeParts,
  scope: PlanScope,
  { account, fromBlock, atMs, chainId }: ProvenAddress,
): Promise<void> {
  const holder = await namingPlan(transaction, scope, { chainId, account });
  if (holder === undefined) return;
  const command = { type: 'DEPOSIT_ADDRESS_LOST', fromBlock } as const;
  const context = { actor: PROOF_ACTOR, atMs };
  const changed = await changeLocked(transaction, parts, holder.scope, holder.planId, command, context);
  if (!changed.ok) throw new Error(`The address of ${holder.planId} cannot be released: ${changed.reason}`);
}

/** The open plan of another organisation that says that an account is its deposit address, and has not proven it. */
export async function namingPlan(
  database: Database,
  { organisationId, environment }: PlanScope,
  { chainId, account }: Pick<ProvenAddress, 'chainId' | 'account'>,
): Promise<{ readonly scope: PlanScope; readonly planId: PlanId } | undefined> {
  const { rows } = await sql<{ organisation_id: string; plan_id: PlanId }>`
      select any_open_plan.organisation_id, any_open_plan.plan_id
      from plans any_open_plan
      where any_open_plan.environment = ${environment} and any_open_plan.source_chain_id = ${chainId}
        and any_open_plan.deposit_address = ${account.toLowerCase()} and ${isHolder('any_open_plan')}
        and any_open_plan.organisation_id <> ${organisationId}
        and not any_open_plan.options ? 'isAddressProven'`.execute(database);
  const [row] = rows;
  return row && { scope: { organisationId: row.organisation_id, environment }, planId: row.plan_id };
}
