import { dueAction } from './next.ts';
import { NEXT } from './codes.ts';
import { hasPaidOut } from '../book/payout.ts';
import { hasMoneyMoved } from '../book/deposit.ts';
import { collectStep, depositStep, isReturned } from '../plan/steps.ts';
import type { Plan, PlanStatus } from '../plan/types.ts';

/**
 * Whether the plan can be ended without a reason: it has not ended, and no money has moved.
 *
 * @example
 * ```ts
 * import { isCancelable, type Plan } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * const isHarmless = isCancelable(plan); // ending it leaves no money behind
 * ```
 */
export function isCancelable(plan: Plan): boolean {
  return plan.ended === undefined && !hasMoneyMoved(plan);
}

/**
 * Whether a plan waits for its first money. Dust does not count.
 *
 * @example
 * ```ts
 * import { isUnfunded, type Plan } from '@fairway/plan';
 *
 * declare const plans: readonly Plan[];
 * const waitingCount = plans.filter(isUnfunded).length;
 * ```
 */
export function isUnfunded(plan: Plan): boolean {
  return plan.ended === undefined && depositStep(plan).status === 'PENDING';
}

/**
 * The status of the plan as a whole.
 *
 * @example
 * ```ts
 * import { type Plan, planStatus } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * const isWaiting = planStatus(plan) === 'ACTION_REQUIRED';
 * ```
 */
export function planStatus(plan: Plan): PlanStatus {
  if (plan.ended !== undefined) return 'ENDED';
  if (isReturned(plan)) return 'RETURNED';
  // The integrator has to know of a failed delivery, even while the service makes the next link.
  if (collectStep(plan)?.delivery?.status === 'FAILED') return 'ACTION_REQUIRED';
  // Instructions that have expired ask the integrator, as instructions do, so any time will do here.
  const next = dueAction(plan, { nowMs: 0 });
  if (next === undefined) return 'COMPLETED';
  const { by } = NEXT[next.why];
  return by === 'SERVICE' || by === 'CHAIN' ? 'IN_PROGRESS' : 'ACTION_REQUIRED';
}

/**
 * The statuses of plans that are over.
 *
 * @example
 * ```ts
 * import { OVER_STATUSES } from '@fairway/plan';
 *
 * const list = OVER_STATUSES.join(', '); // for a log line
 * ```
 */
export const OVER_STATUSES = ['COMPLETED', 'RETURNED', 'ENDED'] as const;

/**
 * Whether the plan is over: it needs nothing more to end. Money that is left can be looked at all the same.
 *
 * @example
 * ```ts
 * import { isOver, type Plan } from '@fairway/plan';
 *
 * declare const plans: readonly Plan[];
 * const open = plans.filter((plan) => !isOver(plan));
 * ```
 */
export function isOver(plan: Plan): boolean {
  return (OVER_STATUSES as readonly PlanStatus[]).includes(planStatus(plan));
}

/**
 * Whether the deposit address is this plan's alone. A plan that has paid out once has no use for deposits, so its
 * address is free. It stays free although a correction, a return or a reorganisation opens the plan again. It may be
 * another plan's by then. The address is not this plan's either once another organisation has proven that it owns it.
 *
 * @example
 * ```ts
 * import { holdsAddress, type Plan } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * const mayBeUsed = !holdsAddress(plan);
 * ```
 */
export function holdsAddress(plan: Plan): boolean {
  return plan.addressLostFrom === undefined && !isOver(plan) && !hasPaidOut(plan);
}
