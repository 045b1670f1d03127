import { type Hash, NO_DEADLINE_MS, type Plan, swapStep, unitsOf } from '@fairway/plan';
import { attempt, type Unavailable } from '@fairway/postgres';
import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { PlanScope } from '../plans/planScope.ts';

/** Blocks have the time of their makers: a transaction after the instructions may be in a block that says a little earlier. */
const CLOCKS_DIFFER_MS = 60_000;

/**
 * The newest transaction that may have executed instructions of a plan without anybody knowing: no node traces it, no plan counts
 * it, its transfers of the payout token to the settlement address bring together as much as any of the plan's attempts has to
 * bring, and it was mined between the first of them and the end of the last.
 */
export function untracedExecution(
  database: Database,
  { environment }: PlanScope,
  plan: Plan,
): Promise<{ readonly ok: true; readonly txHash: Hash | undefined } | Unavailable> {
  const { attempts } = swapStep(plan);
  const { source, target } = plan.corridor;
  return attempt(async () => {
    const [first, ...others] = attempts;
    if (first === undefined) return { ok: true, txHash: undefined };
    const least = others.reduce((less, { minAmountOut }) => {
      const units = unitsOf(minAmountOut);
      return units < less ? units : less;
    }, unitsOf(first.minAmountOut));
    const since = new Date(first.derivedAtMs - CLOCKS_DIFFER_MS);
    const latest = attempts.reduce((last, { notAfterMs }) => (notAfterMs > last ? notAfterMs : last), 0);
    // Instructions that only transfer never end.
    const isInTime = latest >= NO_DEADLINE_MS ? sql`true` : sql`t.block_time <= ${new Date(latest)}`;
    const { rows } = await sql<{ tx_hash: Hash }>`
      select t.tx_hash from chain_transfers t
      where t.environment = ${environment} and t.chain_id = ${source.chainId} and t.canonical and t.untraced
        and t.to_address = ${target.settlementAddress.toLowerCase()} and t.token = ${target.token.toLowerCase()}
        and t.block_time >= ${since} and ${isInTime} and t.block_number >= ${plan.watchFromBlock}
        and not exists (
          select from settlements any_claim
          where (any_claim.environment, any_claim.chain_id, any_claim.tx_hash, any_claim.log_index, any_claim.role)
              = (t.environment, t.chain_id, t.tx_hash, t.log_index, 'SWAP'))
      group by t.tx_hash having sum(t.amount) >= ${String(least)}::numeric
      order by max(t.block_number) desc, t.tx_hash limit 1`.execute(database);
    return { ok: true, txHash: rows[0]?.tx_hash };
  });
}
