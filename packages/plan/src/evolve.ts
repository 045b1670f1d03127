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

/** Where a value is: the names of members and the places in lists that lead to it. Empty: the plan itself. */
type Place = readonly (string | number)[];

/**
 * One change of a plan, in a form that JSON keeps.
 *
 * - `to`: what is at the place now. Without `to` and `keep`, the member is no longer there.
 * - `keep` and `add`: the list at the place keeps its first `keep` items, and these follow.
 */
export type Change =
  | { readonly at: Place; readonly to?: unknown }
  | { readonly at: Place; readonly keep: number; readonly add: readonly unknown[] };

/**
 * What differs between two versions of a plan. Values that both share are not looked into, so the work is that of
 * what changed.
 */
export function changesBetween(before: unknown, after: unknown, at: Place = []): readonly Change[] {
  if (Object.is(before, after)) return [];
  if (isList(before) && isList(after)) return changesOfList(before, after, at);
  if (!isRecord(before) || !isRecord(after)) return [{ at, to: after }];
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted(byLength);
  return names.flatMap((name): readonly Change[] => {
    const place = [...at, name];
    if (!Object.hasOwn(after, name)) return [{ at: place }];
    if (!Object.hasOwn(before, name)) return [{ at: place, to: after[name] }];
    return changesBetween(before[name], after[name], place);
  });
}

/**
 * The order of members in PostgreSQL's jsonb: short names first. So the changes are the same for a plan that was read again,
 * and a member that is added stands where it will be read.
 */
function byLength(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : 1);
}

/** A list changes in its items, then at its end. */
function changesOfList(before: readonly unknown[], after: readonly unknown[], at: Place): readonly Change[] {
  const keep = Math.min(before.length, after.length);
  const changes: Change[] = [];
  for (let index = 0; index < keep; index += 1)
    if (!Object.is(before[index], after[index]))
      changes.push(...changesBetween(before[index], after[index], [...at, index]));
  if (before.length !== after.length) changes.push({ at, keep, add: after.slice(keep) });
  return changes;
}

/** The plan after these changes. Every list of changes has an outcome; what is not changed is shared with the plan before. */
export function applied(plan: Plan | undefined, changes: readonly Change[]): Plan {
  return changes.reduce<unknown>((value, change) => changedAt(value, change.at, change), plan) as Plan;
}

function changedAt(value: unknown, [name, ...rest]: Place, change: Change): unknown {
  if (name === undefined) {
    if (!('keep' in change)) return change.to;
    return [...(isList(value) ? value.slice(0, change.keep) : []), ...change.add];
  }
  if (typeof name === 'number') {
    const list = isList(value) ? value : [];
    return [...list.slice(0, name), changedAt(list[name], rest, change), ...list.slice(name + 1)];
  }
  const members = isRecord(value) ? value : {};
  const isGone = rest.length === 0 && !('keep' in change) && !('to' in change);
  if (!isGone) return { ...members, [name]: changedAt(members[name], rest, change) };
  return Object.fromEntries(Object.entries(members).filter(([each]) => each !== name));
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !isList(value);
}
