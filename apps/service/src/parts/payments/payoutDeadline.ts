import type { Plan } from '@fairway/plan';
import { readDuration } from '@fairway/api';

/** When a payout becomes late: the corridor's longest settlement time after `dueSinceMs`. */
export function payoutDeadlineMs({ corridor }: Pick<Plan, 'corridor'>, dueSinceMs: number): number {
  const longest = readDuration(corridor.settlementTime.max, dueSinceMs, 0);
  return dueSinceMs + 1000 * (longest.ok ? longest.seconds : 0);
}
