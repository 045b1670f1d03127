import { leastPlanId, type Mode, type Plan, type PlanStatus } from '@fairway/plan';

import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { loadPlans } from '../plans/loadPlans.ts';
import type { PlanScope } from '../plans/planScope.ts';

/**
 * Which plans to list; an absent member does not restrict. `createdFrom` is included, `createdTo` is not. `updatedSince`, which is
 * included, stands alone: the plan that has not changed for longest comes first then.
 */
export type PlanFilter = {
  readonly status?: PlanStatus | undefined;
  readonly mode?: Mode | undefined;
  readonly corridorId?: string | undefined;
  readonly clientReference?: string | undefined;
  readonly recipientId?: string | undefined;
  /** PENDING: plans that have not ended and wait for a second person's approval. */
  readonly approval?: 'PENDING' | undefined;
  readonly createdFrom?: Date | undefined;
  readonly createdTo?: Date | undefined;
  readonly updatedSince?: Date | undefined;
};

/** At most `limit` plans; with `after` the plans that follow this place in the list. */
export type PlanPage = { readonly limit: number; readonly after?: string | undefined };

/** Plans in the order of the list; `next` is the `after` of the next page, undefined at the end. */
export type ListedPlans = {
  readonly plans: Plan[];
  readonly next: string | undefined;
};

/**
 * Lists plans from new to old, which is the order of their ids, or from the one on that has changed first since a time.
 * Attempts that can no longer be executed are without instructions, and the replaced ones without a quote.
 */
export async function listPlans(
  database: Database,
  scope: PlanScope,
  filter: PlanFilter,
  { limit, after }: PlanPage,
): Promise<ListedPlans> {
  const page = pageOf(scope, filter, { limit: limit + 1, after });
  const found = (await loadPlans(database, page, 'SHOWN')).map(({ plan }) => plan);
  const plans = found.slice(0, limit);
  const last = found.length > limit ? plans.at(-1) : undefined;
  return { plans, next: last && planPlace(last, filter) };
}

/**
 * The place of a plan in a list, which is the `after` of the plans that follow it.
 *
 * @example
 * ```ts
 * import type { Plan } from '@fairway/plan';
 * import { planPlace } from '@fairway/store';
 *
 * declare const plan: Plan;
 * const after = planPlace(plan, { status: 'IN_PROGRESS' });
 * ```
 */
export function planPlace({ planId, updatedAtMs }: Plan, { updatedSince }: PlanFilter): string {
  return updatedSince === undefined ? planId : `${updatedAtMs}_${planId}`;
}

/**
 * The condition that `p` is a plan of the page, with the order. A page is read from the end of an index, so that its cost
 * does not depend on how many plans there are. A reference names one plan. Without status, mode and corridor the keys
 * are in the order of the list already.
 */
export function pageOf(scope: PlanScope, filter: PlanFilter, page: PlanPage): RawBuilder<unknown> {
  const { status, mode, corridorId, clientReference, recipientId, approval, updatedSince } = filter;
  if (updatedSince !== undefined) return changedPage(scope, updatedSince, page);
  const isOrdered = status === undefined && mode === undefined && corridorId === undefined;
  const isRare = clientReference !== undefined || recipientId !== undefined || approval !== undefined;
  if (!isRare && !isOrdered) return mergedPage(scope, filter, page);
  const restrictions = [
    ...(clientReference === undefined ? [] : [sql`p.client_reference = ${clientReference}`]),
    ...(recipientId === undefined ? [] : [ofRegistered(recipientId)]),
    ...(approval === undefined ? [] : [TO_APPROVE]),
    ...(status === undefined ? [] : [sql`p.status = ${status}`]),
    ...(mode === undefined ? [] : [sql`p.mode = ${mode}`]),
    ...(corridorId === undefined ? [] : [sql`p.corridor_id = ${corridorId}`]),
  ];
  return inOrder(scope, restrictions, filter, page);
}

/** The condition that `p` waits for approval. An index has these plans in the order of the list. */
const TO_APPROVE = sql`p.approval is not null and p.approval -> 'approved' is null and p.ended is null`;

/** The condition that `p` pays a registered recipient. An index has the plans of one in the order of the list. */
function ofRegistered(recipientId: string): RawBuilder<unknown> {
  return sql`p.recipient -> 'registeredAs' is not null and p.recipient -> 'registeredAs' ->> 'recipientId' = ${recipientId}`;
}

/** Plans that have changed since a time, the one first that has not changed for longest. */
function changedPage(
  { organisationId, environment }: PlanScope,
  since: Date,
  { limit, after }: PlanPage,
): RawBuilder<unknown> {
  const [, changedMs = '', planId = ''] = /^(\d{1,15})_(\w+)$/.exec(after ?? '') ?? [];
  const behind =
    after === undefined
      ? sql``
      : sql`and (p.updated_at, p.plan_id) > (${new Date(Number(changedMs))}, ${planId})`;
  return sql`p.organisation_id = ${organisationId} and p.environment = ${environment} and p.updated_at >= ${since}
    ${behind} order by p.updated_at, p.plan_id limit ${limit}`;
}

/**
 * The condition for lists by status, mode or corridor. For each status and each mode asked for, the index has its plans in
 * the order of the list; the newest of each are merged. Without an asked one, all are merged: there are few.
 */
function mergedPage(scope: PlanScope, filter: PlanFilter, page: PlanPage): RawBuilder<unknown> {
  const { status, mode, corridorId } = filter;
  const statuses = status === undefined ? STATUSES : [status];
  const modes = mode === undefined ? MODES : [mode];
  const restrictions = [
    sql`p.status = s.status and p.mode = m.mode`,
    ...(corridorId === undefined ? [] : [sql`p.corridor_id = ${corridorId}`]),
  ];
  return sql`p.organisation_id = ${scope.organisationId} and p.environment = ${scope.environment}
    and p.plan_id = any(array(
      select newest.plan_id from unnest(${statuses}::text[]) s(status), unnest(${modes}::text[]) m(mode), lateral (
        select p.plan_id from plans p where ${inOrder(scope, restrictions, filter, page)}
      ) newest
      order by newest.plan_id desc limit ${page.limit}
    )) order by p.plan_id desc`;
}

/** These plans `p` of a scope from new to old: those of the filter's time that follow `after`, at most `limit`. */
function inOrder(
  { organisationId, environment }: PlanScope,
  restrictions: readonly RawBuilder<unknown>[],
  { createdFrom, createdTo }: PlanFilter,
  { limit, after }: PlanPage,
): RawBuilder<unknown> {
  const conditions = [
    sql`p.organisation_id = ${organisationId}`,
    sql`p.environment = ${environment}`,
    ...restrictions,
    ...(createdFrom === undefined ? [] : [notBefore(createdFrom)]),
    ...(createdTo === undefined ? [] : [before(createdTo)]),
    ...(after === undefined ? [] : [sql`p.plan_id < ${after}`]),
  ];
  return sql`${sql.join(conditions, sql` and `)} order by p.plan_id desc limit ${limit}`;
}

/** The time of an id is that of its plan. */
function notBefore(time: Date): RawBuilder<unknown> {
  return sql`p.plan_id >= ${leastPlanId(time.getTime())}`;
}

function before(time: Date): RawBuilder<unknown> {
  return sql`p.plan_id < ${leastPlanId(time.getTime())}`;
}

/** Every status and mode. A new one that is missing here is an error of types. */
const STATUSES = namesOf<PlanStatus>({
  IN_PROGRESS: true,
  ACTION_REQUIRED: true,
  COMPLETED: true,
  RETURNED: true,
  ENDED: true,
});
const MODES = namesOf<Mode>({ STANDARD: true, DIGITAL_COLLECT: true });

function namesOf<Name extends string>(names: Readonly<Record<Name, true>>): readonly string[] {
  return Object.keys(names);
}
