import { nextAction } from './nextAction.ts';
import { collectStep, dueStep, hasMoneyMoved } from './planSteps.ts';
import type { Plan, PlanStatus } from './types.ts';

/** Whether the plan can be cancelled: no money has moved and it has not ended. */
export function isCancelable(plan: Plan): boolean {
  return plan.ended === undefined && !hasMoneyMoved(plan);
}

/** Where the plan stands. */
export function planStatus(plan: Plan): PlanStatus {
  if (plan.ended !== undefined) return plan.ended;
  if (plan.returns.length > 0) return 'RETURNED';
  if (plan.steps.some(({ status }) => status === 'FAILED')) return 'FAILED';
  const due = dueStep(plan);
  if (due?.type === 'AWAIT_DEPOSIT' && due.status === 'PENDING') return 'PENDING';
  // The integrator is to know of a failed delivery, also while the service makes the next link.
  if (collectStep(plan)?.delivery?.status === 'FAILED') return 'ACTION_REQUIRED';
  // No action depends on time in who is to act: only instructions age, and they are the integrator's either way.
  const action = nextAction(plan, 0);
  if (action === undefined) return 'COMPLETED';
  return action.actor === 'SERVICE' ? 'IN_PROGRESS' : 'ACTION_REQUIRED';
}

/** Whether nothing more is expected of anybody. */
export function isOver(plan: Plan): boolean {
  return ['COMPLETED', 'EXPIRED', 'CANCELLED', 'RETURNED'].includes(planStatus(plan));
}
