import { nextAction } from './nextAction.ts';
import { dueStep, hasMoneyMoved } from './planSteps.ts';
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
  if (due === undefined) return 'COMPLETED';
  if (due.type === 'AWAIT_DEPOSIT' && due.status === 'PENDING') return 'PENDING';
  // No action depends on time in who is to act: only instructions age, and they are the integrator's either way.
  const actor = nextAction(plan, 0)?.actor;
  return actor === 'SERVICE' ? 'IN_PROGRESS' : 'ACTION_REQUIRED';
}

/** Whether nothing more is expected of anybody. */
export function isOver(plan: Plan): boolean {
  return ['COMPLETED', 'EXPIRED', 'CANCELLED', 'RETURNED'].includes(planStatus(plan));
}
