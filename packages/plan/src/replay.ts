import { decide } from './decide.ts';
import type { RecordedEvent } from './plan/events.ts';
import type { Plan } from './plan/types.ts';

/**
 * Rebuilds a plan from its history, oldest event first.
 *
 * @example
 * ```ts
 * import { type RecordedEvent, replay } from '@fairway/plan';
 *
 * declare const history: readonly RecordedEvent[];
 * const plan = replay(history);
 * ```
 * @throws Error when the history has no beginning, a gap, or an event that could not have happened.
 */
export function replay(history: readonly RecordedEvent[]): Plan {
  const [first, ...rest] = history;
  if (first?.event.type !== 'PLAN_CREATED') throw new Error('A history must begin with PLAN_CREATED.');
  let { plan } = first.event;
  if (first.revision !== plan.revision)
    throw new Error('A history must begin at the revision of the new plan.');
  for (const { event, atMs, revision } of rest) {
    if (event.type === 'PLAN_CREATED') throw new Error('A history must have PLAN_CREATED only once.');
    const decision = decide(plan, event, atMs);
    if (!decision.ok || decision.outcome === 'UNCHANGED' || decision.plan.revision !== revision)
      throw new Error(`The history is broken at revision ${revision}.`);
    ({ plan } = decision);
  }
  return plan;
}
