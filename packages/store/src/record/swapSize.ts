import { type Plan, swapStep, unitsOf } from '@fairway/plan';
import { type RawBuilder, sql } from 'kysely';
import type { Environment } from '../database/schema.ts';

/** A transaction that brings less than this part of what a swap has to bring is not looked at. */
const SWAP_PART = 10;

/**
 * Whether a transaction has brought enough to be looked at as the swap of a plan, in the payout token's smallest
 * unit. Enough is a tenth of what the plan's instructions have to bring. Tags are public, so that anybody can send
 * dust with the tag of a plan.
 */
export function isOfSwapSize(brought: RawBuilder<unknown>, plan: Plan): RawBuilder<unknown> {
  const bounds = swapStep(plan).attempts.map(({ minAmountOut }) => unitsOf(minAmountOut));
  const least = bounds.reduce((less, bound) => (bound < less ? bound : less), bounds[0] ?? 0n);
  return sql`${SWAP_PART}::numeric * ${brought} >= ${String(least)}::numeric`;
}

/** For this long after a restore was marked, plans and instructions that the backup did not have may matter. */
export const RESTORE_DAYS = '30 days';

/** Whether plans may have lost instructions, because an older database was put back not long ago. */
export const IS_RESTORED = sql`exists (select from recoveries where marked_at > clock_timestamp() - ${RESTORE_DAYS}::interval)`;

/**
 * Whether a transaction that brought so much to a settlement address may have executed instructions of any plan. All may while
 * a restored database can lack instructions.
 */
export function mayBeSwap(
  environment: Environment,
  chainId: number,
  { address, token, brought }: Readonly<Record<'address' | 'token' | 'brought', RawBuilder<unknown>>>,
): RawBuilder<unknown> {
  return sql`(exists (
          select from least_swaps l
          where (l.environment, l.chain_id, l.settlement_address, l.token)
              = (${environment}, ${chainId}::int8, ${address}, ${token})
            and l.least <= ${SWAP_PART}::numeric * ${brought})
        or ${IS_RESTORED})`;
}
