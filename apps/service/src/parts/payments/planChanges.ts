import { decide, type Plan, type PlanCommand } from '@fairway/plan';
import { defined } from '@fairway/values';
import type { CommandContext } from '@fairway/store';
import type { Acting, ProblemFacts } from '@fairway/api';
import type { PaymentParts } from './paymentParts.ts';
import { eventRefused } from './planProblems.ts';

/** The store's answer to an event: the plan after it, or why the event was refused. */
export type RecordedChange = Awaited<ReturnType<PaymentParts['store']['payments']['changePlan']>>;

/** Records an event of a plan. The work that the plan then needs from the service is not done yet. */
export function recordEvent(
  parts: PaymentParts,
  acting: Acting,
  { planId }: Plan,
  event: PlanCommand,
): Promise<RecordedChange> {
  return parts.store.payments.changePlan(acting.scope, planId, event, contextOf(parts, acting));
}

/** Who acts, when, and on which revision of the plan. */
export function contextOf({ nowMs }: PaymentParts, { actor, expectedRevisions }: Acting): CommandContext {
  return { actor, atMs: nowMs(), ...defined({ expectedRevisions }) };
}

/**
 * The problem of an event that the plan would refuse in its present state; undefined when it would accept the event.
 */
export function refusalOf(
  { nowMs }: Pick<PaymentParts, 'nowMs'>,
  plan: Plan,
  event: PlanCommand,
): ProblemFacts | undefined {
  const trial = decide(plan, event, nowMs());
  return trial.ok ? undefined : eventRefused(trial.refusal);
}
