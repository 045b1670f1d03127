import { decide } from './decide.ts';
import { defined } from './defined.ts';
import type { PlanEvent } from './events.ts';
import type { NewMovement } from './movement.ts';
import { withMissingMovements, missingMovements, movementName } from './missingMovements.ts';
import type { TimeMs } from './scalars.ts';
import type { Plan } from './types.ts';

/**
 * The event with the movements that it makes. The kinds of events that 0.1.0 had add nothing to the ledger by
 * themselves, so that old histories rebuild the plans that are stored; what they tell is added by `moved`. Events
 * whose rules add their own movements, and events that change no money, are returned as they are.
 *
 * @example
 * ```ts
 * import { decide, type Plan, type PlanEvent, withMoved } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * declare const event: PlanEvent;
 * const nowMs = 1_700_000_000_000;
 * const decision = decide(plan, withMoved(plan, event, nowMs), nowMs);
 * ```
 */
export function withMoved(plan: Plan, event: PlanEvent, atMs: TimeMs): PlanEvent {
  if (event.type === 'LEDGER_CAUGHT_UP') return event;
  const decision = decide(plan, event, atMs);
  if (!decision.ok || decision.outcome === 'UNCHANGED') return event;
  // What the ledger lacked before is not of this event: some of it may be another plan's.
  const lacked = missingMovements(plan).map(nameOf);
  const moved = missingMovements(decision.plan).filter((movement) => {
    const place = lacked.indexOf(nameOf(movement));
    if (place !== -1) lacked.splice(place, 1);
    return place === -1;
  });
  const money = 'returned' in event ? event.returned : undefined;
  const rows = moved.map((row) => (row.kind === 'RETURN' ? { ...row, ...defined({ paid: money }) } : row));
  return rows.length === 0 ? event : { ...event, moved: rows };
}

function nameOf(movement: NewMovement): string {
  return movement.reverses ?? movementName(movement);
}

/**
 * The plan as it is with its whole ledger, where the ledger that is stored may lack movements.
 *
 * @example
 * ```ts
 * import { fundsOf, type Plan, withWholeLedger } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * const funds = fundsOf(withWholeLedger(plan));
 * ```
 */
export function withWholeLedger(plan: Plan): Plan {
  return withMissingMovements(plan, plan.updatedAtMs);
}

/**
 * The event that brings the ledger of a plan up to date with its steps; undefined when nothing is missing.
 *
 * @example
 * ```ts
 * import { catchUpEvent, decide, type Plan } from '@fairway/plan';
 *
 * declare const plan: Plan;
 * const event = catchUpEvent(plan);
 * const decision = event && decide(plan, event, 1_700_000_000_000);
 * ```
 */
export function catchUpEvent(plan: Plan): Extract<PlanEvent, { type: 'LEDGER_CAUGHT_UP' }> | undefined {
  const movements = missingMovements(plan);
  if (movements.length === 0) return undefined;
  return { type: 'LEDGER_CAUGHT_UP', after: plan.ledger?.length ?? 0, movements };
}
