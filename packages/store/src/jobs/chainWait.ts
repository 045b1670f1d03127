import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { PlanScope } from '../plans/planScope.ts';

/**
 * What a plan waits for in place of a job: that the record of its chain has read the block `dueBlock`. When it is 0,
 * the plan waits until the record is at the head. `tries`: how often the work of the plan was put off since it was
 * last done.
 */
export type ChainWait = { readonly chainId: number; readonly dueBlock: number; readonly tries?: number };

/**
 * Lets a plan wait. A plan that waits already waits for the earlier block. The plan is locked before its wait, as whoever changes it
 * does: the new row alone would lock the plan after itself.
 */
export async function awaitBlock(
  database: Database,
  { organisationId, environment }: PlanScope,
  planId: string,
  { chainId, dueBlock, tries = 0 }: ChainWait,
): Promise<void> {
  await sql`with held as (
      select p.plan_id from plans p
      where p.organisation_id = ${organisationId} and p.environment = ${environment} and p.plan_id = ${planId}
      for key share
    )
    insert into chain_waits as known (environment, chain_id, organisation_id, plan_id, due_block, tries)
    select ${environment}, ${chainId}::int8, ${organisationId}, held.plan_id, ${dueBlock}::int8, ${tries}::int4 from held
    on conflict (environment, chain_id, organisation_id, plan_id) do update
    set due_block = least(known.due_block, excluded.due_block), tries = excluded.tries`.execute(database);
}

/**
 * A query part that ends the waits that are over, and answers their plans. `record` is a query part with the columns
 * `read_number` and `state` of the record of this chain, or with no row.
 */
export function endWaits(
  environment: string,
  chainId: number,
  record: RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql`delete from chain_waits any_wait using ${record} as read
    where any_wait.environment = ${environment} and any_wait.chain_id = ${chainId}
      and any_wait.due_block <= read.read_number and (any_wait.due_block > 0 or read.state = 'AT_HEAD')
    returning any_wait.organisation_id, any_wait.plan_id, any_wait.tries`;
}
