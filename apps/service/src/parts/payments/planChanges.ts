import { decide, type Plan, type PlanCommand } from '@fairway/plan';
import { defined } from '@fairway/values';
import type { CommandContext } from '@fairway/store';
import type { Acting, ProblemFacts } from '@fairway/api';
import type { PaymentParts } from './paymentParts.ts';
import { commandRefused } from './planProblems.ts';

/** The store's answer to a command: the plan after it, or why the command was refused. */
export type RecordedChange = Awaited<ReturnType<PaymentParts['store']['payments']['changePlan']>>;

/** Records a command of a plan. The work that the plan then needs from the service is not done yet. */
export function recordCommand(
  parts: PaymentParts,
  acting: Acting,
  { planId }: Plan,
  command: PlanCommand,
): Promise<RecordedChange> {
  return parts.store.payments.changePlan(acting.scope, planId, command, contextOf(parts, acting));
}

/** Who acts, when, and on which revision of the plan. */
export function contextOf({ nowMs }: PaymentParts, { actor, expectedRevisions }: Acting): CommandContext {
  return { actor, atMs: nowMs(), ...defined({ expectedRevisions }) };
}

/**
 * The problem of a command that the plan would refuse in its present state; undefined when it would accept the command.
 */
export function refusalOf(
  { nowMs }: Pick<PaymentParts, 'nowMs'>,
  plan: Plan,
  command: PlanCommand,
): ProblemFacts | undefined {
  const trial = decide(plan, command, nowMs());
  return trial.ok ? undefined : commandRefused(trial.refusal);
}
