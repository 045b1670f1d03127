import type { Hash, Plan, TimeMs } from '@fairway/plan';

import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { PlanScope } from '../plans/planScope.ts';
import { otherPlanThere } from './sharedAddress.ts';
import { isOfSwapSize, RESTORE_DAYS } from './swapSize.ts';

/** The most transactions that are looked at one by one. */
export const MOST_UNKNOWN_SWAPS = 200;

/**
 * Where deposits that are older than a plan are looked for. `sinceMs`: when the backup was made that was put back; undefined where
 * none was, or where another plan had the deposit address. `swaps`: transactions with a tag that paid the settlement
 * address since then and executed the swap of no plan, the newest first. There is at most one more than
 * `MOST_UNKNOWN_SWAPS`. Those that brought too little to be the plan's swap are left out.
 */
export type LookBack = { readonly sinceMs: TimeMs | undefined; readonly swaps: readonly Hash[] };

/** What a plan that was made again after a restore may have had before. */
export async function lookBack(database: Database, scope: PlanScope, plan: Plan): Promise<LookBack> {
  const { environment } = scope;
  const { corridor } = plan;
  const { chainId } = corridor.source;
  const { rows } = await sql<{ since: Date }>`
      select since from recoveries
      where marked_at > clock_timestamp() - ${RESTORE_DAYS}::interval
        and not exists (${otherPlanThere(scope, plan)})
      order by since limit 1`.execute(database);
  const since = rows[0]?.since;
  if (since === undefined) return { sinceMs: undefined, swaps: [] };
  const { rows: unknown } = await sql<{ tx_hash: Hash }>`
      select t.tx_hash from chain_transfers t
      where t.environment = ${environment} and t.chain_id = ${chainId} and t.canonical and t.tag is not null
        and t.to_address = ${corridor.target.settlementAddress.toLowerCase()} and t.block_time >= ${since}
        and t.token = ${corridor.target.token.toLowerCase()}
        and not exists (
          select from settlements any_claim
          where (any_claim.environment, any_claim.chain_id, any_claim.tx_hash, any_claim.log_index, any_claim.role)
              = (t.environment, t.chain_id, t.tx_hash, t.log_index, 'SWAP'))
      group by t.tx_hash having ${isOfSwapSize(sql`sum(t.amount)`, plan)}
      order by max(t.block_number) desc, t.tx_hash limit ${MOST_UNKNOWN_SWAPS + 1}`.execute(database);
  return { sinceMs: since.getTime(), swaps: unknown.map((row) => row.tx_hash) };
}
