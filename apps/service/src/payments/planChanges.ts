import { decide, defined, type Plan, type PlanEvent } from '@fairway/plan';
import type { CommandContext, EventOn } from '@fairway/store';
import { done, type Outcome, type ProblemFacts, refuse } from '../problems/problem.ts';
import type { Acting, PaymentParts } from './paymentParts.ts';
import { changeRefused, eventRefused } from './planProblems.ts';
import { carriedOn } from './planWork.ts';

/** The store's answer to an event: the plan after it, or why the event was refused. */
export type RecordedChange = Awaited<ReturnType<PaymentParts['store']['payments']['changePlan']>>;

/** Records an event of a plan, and does the work that the plan then needs from the service. */
export async function changePlan(
  parts: PaymentParts,
  acting: Acting,
  plan: Plan,
  event: EventOn,
): Promise<Outcome<Plan>> {
  return afterChange(parts, acting, await recordEvent(parts, acting, plan, event));
}

/** Records an event of a plan. The work that the plan then needs from the service is not done yet. */
export function recordEvent(
  parts: PaymentParts,
  acting: Acting,
  { planId }: Plan,
  event: EventOn,
): Promise<RecordedChange> {
  return parts.store.payments.changePlan(acting.scope, planId, event, contextOf(parts, acting));
}

/** Who acts, when, and on which revision of the plan. */
export function contextOf({ nowMs }: PaymentParts, { actor, expectedRevisions }: Acting): CommandContext {
  return { actor, atMs: nowMs(), ...defined({ expectedRevisions }) };
}

/** Does the work that a plan needs after a recorded event. Answers the plan, or why the event was refused. */
export async function afterChange(
  parts: PaymentParts,
  { scope }: Acting,
  changed: RecordedChange,
): Promise<Outcome<Plan>> {
  return changed.ok ? done(await carriedOn(parts, scope, changed.plan)) : refuse(changeRefused(changed));
}

/**
 * The problem of an event that the plan would refuse in its present state; undefined when it would accept the event.
 */
export function refusalOf(
  { nowMs }: Pick<PaymentParts, 'nowMs'>,
  plan: Plan,
  event: PlanEvent,
): ProblemFacts | undefined {
  const trial = decide(plan, event, nowMs());
  return trial.ok ? undefined : eventRefused(trial.refusal);
}
