import { dueAction } from './nextAction.ts';
import { hasPaidOut } from './payoutPayments.ts';
import { collectStep, dueStep, hasMoneyMoved, isReturned } from './planSteps.ts';
import type { Plan, PlanStatus } from './types.ts';

/**
 * Whether the plan can be cancelled: it has not ended, and no money has moved.
 *
 * @example
 * ```ts
 * import { isCancelable, type Plan } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * const actions = isCancelable(plan) ? ['cancel'] : [];
 * ```
 */
export function isCancelable(plan: Plan): boolean {
  return plan.ended === undefined && !hasMoneyMoved(plan);
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
  if (plan.ended !== undefined) return plan.ended;
  if (isReturned(plan)) return 'RETURNED';
  if (plan.steps.some(({ status }) => status === 'FAILED')) return 'FAILED';
  const due = dueStep(plan);
  if (due?.type === 'AWAIT_DEPOSIT' && due.status === 'PENDING') return 'PENDING';
  // The integrator has to know of a failed delivery, even while the service makes the next link.
  if (collectStep(plan)?.delivery?.status === 'FAILED') return 'ACTION_REQUIRED';
  // The actor of an action does not depend on the time, so any time will do here.
  const action = dueAction(plan, { nowMs: 0 });
  if (action === undefined) return 'COMPLETED';
  return action.actor === 'SERVICE' ? 'IN_PROGRESS' : 'ACTION_REQUIRED';
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
export const OVER_STATUSES = ['COMPLETED', 'EXPIRED', 'CANCELLED', 'RETURNED', 'CLOSED'] as const;

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
