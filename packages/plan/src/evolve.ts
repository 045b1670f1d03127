import { applied, type Change } from './plan/changes.ts';
import type { PlanCommand } from './plan/commands.ts';
import type { TimeMs } from './terms/scalars.ts';
import type { Plan } from './plan/types.ts';

/** The beginning of a history: the plan was made. */
type PlanCreated = { readonly type: 'PLAN_CREATED' };

/**
 * What a plan's history keeps of a decision. `command`: why the plan changed. `changes`: what changed in it. A rule that
 * changes later does not change what is kept here.
 */
export type PlanEvent = {
  readonly command: PlanCommand | PlanCreated;
  readonly changes: readonly Change[];
};

/**
 * An event as it is kept: `revision` is the plan's revision after the event, `actor` a credential or a part of the
 * service.
 */
export type RecordedEvent = PlanEvent & {
  readonly revision: number;
  readonly atMs: TimeMs;
  readonly actor: string;
};

/**
 * The event that begins the history of a new plan.
 *
 * @example
 * ```ts
 * import { evolve, type Plan, planCreated } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * const same = evolve(undefined, planCreated(plan));
 * ```
 */
export function planCreated(plan: Plan): PlanEvent {
  return { command: { type: 'PLAN_CREATED' }, changes: [{ at: [], to: plan }] };
}

/**
 * The plan after an event. It holds no rule and refuses nothing. `plan` is undefined before the first event.
 *
 * @example
 * ```ts
 * import { decide, evolve, type Plan } from '@fairway/plan';
 *
 * declare const before: Plan;
 * const decision = decide(before, { type: 'PLAN_ENDED', force: false }, 1_700_000_000_000);
 * const after = decision.ok && decision.outcome === 'CHANGED' ? evolve(before, decision.event) : before;
 * ```
 */
export function evolve(plan: Plan | undefined, { changes }: Pick<PlanEvent, 'changes'>): Plan {
  return applied(plan, changes);
}

/**
 * The plan that a history tells, oldest event first; undefined where the history has no beginning or a gap.
 *
 * @example
 * ```ts
 * import { type RecordedEvent, planOf } from '@fairway/plan';
 *
 * declare const history: readonly RecordedEvent[];
 * const plan = planOf(history);
 * ```
 */
export function planOf(history: readonly RecordedEvent[]): Plan | undefined {
  const isWhole = history.every(
    ({ revision, command }, index) =>
      revision === index + 1 && (command.type === 'PLAN_CREATED') === (index === 0),
  );
  if (!isWhole) return undefined;
  return history.reduce<Plan | undefined>(evolve, undefined);
}
