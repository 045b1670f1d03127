import { type Plan, swapStep, unitsOf } from '@fairway/plan';
import { type RawBuilder, sql } from 'kysely';

/** A transaction that brings less than this part of what a swap has to bring is not looked at. */
const PART = 10;

/**
 * Whether a transaction has brought enough, in the payout token's smallest unit, to be looked at as the swap of a plan: a
 * tenth of what the plan's instructions have to bring. Tags are public, so that anybody can send dust with the tag of a plan.
 */
export function isOfSwapSize(brought: RawBuilder<unknown>, plan: Plan): RawBuilder<unknown> {
  const bounds = swapStep(plan).attempts.map(({ minAmountOut }) => unitsOf(minAmountOut));
  const least = bounds.reduce((less, bound) => (bound < less ? bound : less), bounds[0] ?? 0n);
  return sql`${PART}::numeric * ${brought} >= ${String(least)}::numeric`;
}
