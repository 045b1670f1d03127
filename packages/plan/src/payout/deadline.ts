import { readDuration } from '@fairway/values';
import type { TimeMs } from '../terms/scalars.ts';
import type { Plan } from '../plan/types.ts';

/**
 * When a payout becomes late: the corridor's longest settlement time after it became due.
 *
 * @example
 * ```ts
 * import { payoutDeadlineMs, type Plan } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * declare const readyAtMs: number;
 * const isLate = Date.now() > payoutDeadlineMs(plan, readyAtMs);
 * ```
 */
export function payoutDeadlineMs({ corridor }: Pick<Plan, 'corridor'>, dueSinceMs: TimeMs): TimeMs {
  const longest = readDuration(corridor.settlementTime.max, dueSinceMs, 0);
  const longestSeconds = longest.ok ? longest.seconds : 0;
  return dueSinceMs + 1000 * longestSeconds;
}
