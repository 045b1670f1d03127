import type { Plan } from '@fairway/plan';
import type { Acting, Outcome } from '@fairway/api';
import { currentPlan } from './findPlan.ts';
import type { PaymentParts } from './paymentParts.ts';
import { changePlan } from './changePlan.ts';

/** Lets a payment go on for a second person, who names the version that they have looked at. */
export async function approvePayment(
  parts: PaymentParts,
  acting: Acting,
  planId: string,
  version: number,
): Promise<Outcome<Plan>> {
  const found = await currentPlan(parts, acting.scope, planId);
  if (!found.ok) return found;
  return changePlan(parts, acting, found.value, { type: 'PLAN_APPROVED', version, by: acting.actor });
}
