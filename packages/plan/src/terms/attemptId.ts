import type { PlanId } from './scalars.ts';

/** The digits of an attempt's position in its id. */
const POSITION_DIGITS = 4;

/**
 * The id of an attempt of a plan's swap. It is the plan's id, followed by the position of the attempt as four hex
 * digits. Positions begin at 0.
 *
 * @example
 * ```ts
 * import { attemptIdOf, type PlanId } from '@fairway/plan';
 *
 * attemptIdOf('plan_01a1ee565e007abc8def0123456789ab' as PlanId, 1); // 'att_01a1ee565e007abc8def0123456789ab0001'
 * ```
 */
export function attemptIdOf(planId: PlanId, position: number): string {
  return `att_${planId.slice('plan_'.length)}${position.toString(16).padStart(POSITION_DIGITS, '0')}`;
}

/**
 * The position that an id of an attempt names; undefined for a text that is no such id of this plan.
 *
 * @example
 * ```ts
 * import { attemptPosition, type PlanId } from '@fairway/plan';
 *
 * const planId = 'plan_01a1ee565e007abc8def0123456789ab' as PlanId;
 * attemptPosition(planId, 'att_01a1ee565e007abc8def0123456789ab0001'); // 1
 * ```
 */
export function attemptPosition(planId: PlanId, attemptId: string): number | undefined {
  const hexPlace = `0x${attemptId.slice(-POSITION_DIGITS)}`;
  const position = Number(hexPlace);
  return attemptIdOf(planId, position) === attemptId ? position : undefined;
}
