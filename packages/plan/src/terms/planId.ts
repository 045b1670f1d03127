import type { PlanId, TimeMs } from './scalars.ts';

/** The most milliseconds that the 48 bits of an id hold. */
const LAST_MS = 0xff_ff_ff_ff_ff_ff;

/**
 * The id of a plan that is made at this time: a UUID of version 7, whose time is the plan's. Ids therefore sort by age.
 * `uuid` is any UUID of version 7; its time is replaced.
 *
 * @example
 * ```ts
 * import { planIdAt } from '@fairway/plan';
 *
 * planIdAt(1_795_000_000_000, '0199a6f2-0000-7abc-8def-0123456789ab'); // 'plan_01a1ee565e007abc8def0123456789ab'
 * ```
 */
export function planIdAt(timeMs: TimeMs, uuid: string): PlanId {
  return `${leastPlanId(timeMs)}${uuid.replaceAll('-', '').slice(12)}` as PlanId;
}

/**
 * A text that sorts before the id of every plan made at this time or later, and behind those of earlier ones.
 *
 * @example
 * ```ts
 * import { leastPlanId } from '@fairway/plan';
 *
 * leastPlanId(1_795_000_000_000); // 'plan_01a1ee565e00'
 * ```
 */
export function leastPlanId(timeMs: TimeMs): string {
  const wholeMs = Math.floor(timeMs);
  const notBelowZeroMs = Math.max(0, wholeMs);
  const inRangeMs = Math.min(LAST_MS, notBelowZeroMs);
  return `plan_${inRangeMs.toString(16).padStart(12, '0')}`;
}
