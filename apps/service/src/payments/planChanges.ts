import { decide, type Plan, type PlanEvent } from '@fairway/plan';
import { done, type Outcome, type ProblemFacts, refuse } from '../problems/problem.ts';
import type { Acting, PaymentParts } from './paymentParts.ts';
import { changeRefused, eventRefused } from './planProblems.ts';
import { carriedOn } from './planWork.ts';

/** What the store made of an event. */
export type RecordedChange = Awaited<ReturnType<PaymentParts['store']['payments']['changePlan']>>;

/** Lets an event happen to a plan in somebody's name, and does the work that the event leaves to the service. */
export async function changePlan(
  parts: PaymentParts,
  acting: Acting,
  plan: Plan,
  event: PlanEvent,
): Promise<Outcome<Plan>> {
  return afterChange(parts, acting, await recordEvent(parts, acting, plan, event));
}

/** Records an event of a plan in somebody's name. The work that the event leaves to the service is not done yet. */
export function recordEvent(
  { store, nowMs }: PaymentParts,
  { scope, actor }: Acting,
  { planId }: Plan,
  event: PlanEvent,
): Promise<RecordedChange> {
  return store.payments.changePlan(scope, planId, event, { actor, atMs: nowMs() });
}

/** The plan after a recorded event and the work that the event leaves to the service, or why there was no change. */
export async function afterChange(
  parts: PaymentParts,
  { scope }: Acting,
  changed: RecordedChange,
): Promise<Outcome<Plan>> {
  return changed.ok ? done(await carriedOn(parts, scope, changed.plan)) : refuse(changeRefused(changed));
}

/** The problem of an event that the plan as it stands would refuse; undefined when the plan would take the event. */
export function refusalOf(
  { nowMs }: Pick<PaymentParts, 'nowMs'>,
  plan: Plan,
  event: PlanEvent,
): ProblemFacts | undefined {
  const trial = decide(plan, event, nowMs());
  return trial.ok ? undefined : eventRefused(trial.refusal);
}
