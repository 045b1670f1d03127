import { type Plan, swapStep, unitsOf } from '@fairway/plan';
import { type RawBuilder, sql } from 'kysely';
import type { PlanScope } from '../plans/planScope.ts';

/**
 * A query part that keeps the least that any instructions have to bring to a settlement address; empty for a plan without
 * instructions. It is written with the instructions, so that it is there before anybody can execute them. A row that is as low
 * already is neither written nor locked.
 */
export function keepLeastSwap(
  { environment }: PlanScope,
  plan: Plan,
  from: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const bounds = swapStep(plan).attempts.map(({ minAmountOut }) => unitsOf(minAmountOut));
  const [first] = bounds;
  if (first === undefined) return sql``;
  const least = String(bounds.reduce((less, bound) => (bound < less ? bound : less), first));
  const { source, target } = plan.corridor;
  const key = sql`${environment}, ${source.chainId}::int8, ${target.settlementAddress.toLowerCase()}, ${target.token.toLowerCase()}`;
  return sql`least_swap as (
      insert into least_swaps as known (environment, chain_id, settlement_address, token, least)
      select ${key}, ${least}::numeric from ${from}
      where not exists (
        select from least_swaps l
        where (l.environment, l.chain_id, l.settlement_address, l.token) = (${key}) and l.least <= ${least}::numeric)
      on conflict (environment, chain_id, settlement_address, token) do update
      set least = least(known.least, excluded.least)
    ),`;
}
