import { type Hash, leastForgotten, NO_DEADLINE_MS, type Plan, swapStep, unitsOf } from '@fairway/plan';

import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { Environment } from '../database/schema.ts';
import type { PlanScope } from '../plans/planScope.ts';
import { IS_RESTORED } from './swapSize.ts';

/** Blocks have the time of their makers: a transaction after the instructions may be in a block that says a little earlier. */
const CLOCKS_DIFFER_MS = 60_000;

/**
 * The newest transaction that may have executed instructions of a plan without anybody knowing. No node traces it,
 * and no plan counts it. It was mined between the first attempt of the plan and the end of the last. Its transfers of
 * the payout token to the settlement address bring at least what some attempt has to bring.
 */
export async function untracedExecution(
  database: Database,
  { environment }: PlanScope,
  plan: Plan,
): Promise<{ readonly txHash: Hash | undefined }> {
  const executed = mayHaveExecuted(environment, plan);
  if (executed === undefined) return { txHash: undefined };
  const { rows } = await sql<{ tx_hash: Hash }>`
      select t.tx_hash from chain_transfers t
      where t.canonical and t.untraced and ${executed.isInTime}
        and not exists (
          select from settlements any_claim
          where (any_claim.environment, any_claim.chain_id, any_claim.tx_hash, any_claim.log_index, any_claim.role)
              = (t.environment, t.chain_id, t.tx_hash, t.log_index, 'SWAP'))
      group by t.tx_hash having ${executed.isEnough}
      order by max(t.block_number) desc, t.tx_hash limit 1`.execute(database);
  return { txHash: rows[0]?.tx_hash };
}

/**
 * Two conditions on a transaction with the transfers `t`: it was mined in the time of instructions, and brought as
 * much as they must bring.
 */
type Executed = { readonly isInTime: RawBuilder<unknown>; readonly isEnough: RawBuilder<unknown> };

/**
 * Whether a transaction to the settlement address, with transfers `t` of any table, may have executed instructions of
 * a plan. It was mined in their time, and brought as much as the least of them has to. Undefined for a plan without
 * instructions.
 */
function mayHaveExecuted(environment: Environment, plan: Plan): Executed | undefined {
  const { attempts } = swapStep(plan);
  const [first, ...others] = attempts;
  if (first === undefined) return undefined;
  const least = others.reduce((less, { minAmountOut }) => {
    const units = unitsOf(minAmountOut);
    return units < less ? units : less;
  }, unitsOf(first.minAmountOut));
  const since = new Date(first.derivedAtMs - CLOCKS_DIFFER_MS);
  const latest = attempts.reduce((last, { notAfterMs }) => (notAfterMs > last ? notAfterMs : last), 0);
  // Instructions that only transfer never end.
  const isBeforeEnd = latest >= NO_DEADLINE_MS ? sql`true` : sql`t.block_time <= ${new Date(latest)}`;
  return {
    isInTime: sql`${isAfterPlan(environment, plan)} and t.block_time >= ${since} and ${isBeforeEnd}`,
    isEnough: sql`sum(t.amount) >= ${String(least)}::numeric`,
  };
}

/**
 * An expression that says whether a transaction that may have executed instructions of a plan is still to be read.
 * The instructions are those that the plan has or, after a restore, those that it may have lost. All others that are
 * unread do not concern the plan.
 */
export function isExecutionUnread(environment: Environment, plan: Plan): RawBuilder<unknown> {
  if (swapStep(plan).status === 'DONE') return sql`false`;
  const executed = mayHaveExecuted(environment, plan);
  const lost = sql`${IS_RESTORED} and ${isAnyUnread(mayHaveExecutedLost(environment, plan))}`;
  return executed === undefined ? lost : sql`(${isAnyUnread(executed)} or ${lost})`;
}

/** The same for instructions that a restored database has lost: nobody knows until when they could be executed. */
function mayHaveExecutedLost(environment: Environment, plan: Plan): Executed {
  return {
    isInTime: isAfterPlan(environment, plan),
    isEnough: sql`sum(t.amount) >= ${String(unitsOf(leastForgotten(plan)))}::numeric`,
  };
}

function isAnyUnread({ isInTime, isEnough }: Executed): RawBuilder<unknown> {
  return sql`exists (
      select from chain_unread t where ${isInTime} group by t.block_hash, t.tx_hash having ${isEnough})`;
}

/** Whether a transfer paid what the plan swaps to, to its settlement address, since there is the plan. */
function isAfterPlan(environment: Environment, { corridor, watchFromBlock }: Plan): RawBuilder<unknown> {
  const { source, target } = corridor;
  return sql`t.environment = ${environment} and t.chain_id = ${source.chainId}
        and t.to_address = ${target.settlementAddress.toLowerCase()} and t.token = ${target.token.toLowerCase()}
        and t.block_number >= ${watchFromBlock}`;
}
