import { isCancelable, type Plan } from '@fairway/plan';
import { done, type Outcome, refuse } from '../problems/problem.ts';
import { withChainRead } from './comparePlan.ts';
import { currentPlan } from './findPlan.ts';
import type { Acting, PaymentParts } from './paymentParts.ts';
import { recordEvent } from './planChanges.ts';
import { changeRefused } from './planProblems.ts';

/** Cancels a plan while no money has moved. */
export async function cancelPlan(
  parts: PaymentParts,
  acting: Acting,
  planId: string,
): Promise<Outcome<Plan>> {
  const found = await currentPlan(parts, acting.scope, planId);
  if (!found.ok) return found;
  const plan = found.value;
  // A deposit may have arrived since the chain was last read: a plan with a deposit cannot be cancelled.
  if (isCancelable(plan) && plan.options.depositAddress !== undefined) {
    const compared = await withChainRead(parts, acting.scope, plan);
    if (!compared.ok) return compared;
  }
  const changed = await recordEvent(parts, acting, plan, { type: 'PLAN_CANCELLED' });
  return changed.ok ? done(changed.plan) : refuse(changeRefused(changed));
}
