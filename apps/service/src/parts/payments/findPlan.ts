import type { Plan, Step } from '@fairway/plan';
import type { PlanScope } from '@fairway/store';
import { done, type Outcome, refuse } from '@fairway/api';
import type { PaymentParts } from './paymentParts.ts';
import { NO_SUCH_PLAN, NO_SUCH_STEP } from './planProblems.ts';
import { carriedOn } from './planWork.ts';

/** The form of a plan's id. */
export const PLAN_ID = /^plan_[0-9a-f]{32}$/;

/** The plan with an id, as it is stored. */
export async function findPlan(
  { store }: PaymentParts,
  scope: PlanScope,
  planId: string,
): Promise<Outcome<Plan>> {
  if (!PLAN_ID.test(planId)) return refuse(NO_SUCH_PLAN);
  const loaded = await store.payments.loadPlan(scope, planId);
  return loaded.plan === undefined ? refuse(NO_SUCH_PLAN) : done(loaded.plan);
}

/** The plan with an id, after the service has done the work that is due now. */
export async function currentPlan(
  parts: PaymentParts,
  scope: PlanScope,
  planId: string,
): Promise<Outcome<Plan>> {
  const found = await findPlan(parts, scope, planId);
  return found.ok ? done(await carriedOn(parts, scope, found.value)) : found;
}

/** A plan and one of its steps. */
export type FoundStep = { readonly plan: Plan; readonly step: Step };

/** A plan and one of its steps, after the service has done the work that is due now. */
export async function findStep(
  parts: PaymentParts,
  scope: PlanScope,
  planId: string,
  stepId: string,
): Promise<Outcome<FoundStep>> {
  const found = await currentPlan(parts, scope, planId);
  if (!found.ok) return found;
  const plan = found.value;
  const step = plan.steps.find((each) => each.stepId === stepId);
  return step === undefined ? refuse(NO_SUCH_STEP) : done({ plan, step });
}
