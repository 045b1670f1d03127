import type { Mode, Plan, PlanId, PlanStatus } from '@fairway/plan';
import { attempt, type Unavailable } from '@fairway/postgres';
import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { loadPlans } from './loadPlans.ts';
import type { PlanScope } from './planScope.ts';

/** Which plans to list; an absent member does not restrict. `createdFrom` is included, `createdTo` is not. */
export type PlanFilter = {
  readonly status?: PlanStatus | undefined;
  readonly mode?: Mode | undefined;
  readonly corridorId?: string | undefined;
  readonly clientReference?: string | undefined;
  readonly createdFrom?: Date | undefined;
  readonly createdTo?: Date | undefined;
};

/** At most `limit` plans; with `after` the plans that follow the plan of this id in the list. */
export type PlanPage = { readonly limit: number; readonly after?: string | undefined };

/** Plans, newest first; `next` is the `after` of the next page, undefined at the end. */
export type ListedPlans = {
  readonly ok: true;
  readonly plans: Plan[];
  readonly next: PlanId | undefined;
};

/**
 * Lists plans from new to old, which is the order of their ids. Attempts that can no longer be executed are without
 * instructions, and the replaced ones without a quote.
 */
export function listPlans(
  database: Database,
  { organisationId, environment }: PlanScope,
  filter: PlanFilter,
  { limit, after }: PlanPage,
): Promise<ListedPlans | Unavailable> {
  const conditions = [
    sql`p.organisation_id = ${organisationId}`,
    sql`p.environment = ${environment}`,
    ...(filter.status === undefined ? [] : [sql`p.status = ${filter.status}`]),
    ...(filter.mode === undefined ? [] : [sql`p.mode = ${filter.mode}`]),
    ...(filter.corridorId === undefined ? [] : [sql`p.corridor_id = ${filter.corridorId}`]),
    ...(filter.clientReference === undefined ? [] : [sql`p.client_reference = ${filter.clientReference}`]),
    ...(filter.createdFrom === undefined ? [] : [sql`p.created_at >= ${filter.createdFrom}`]),
    ...(filter.createdTo === undefined ? [] : [sql`p.created_at < ${filter.createdTo}`]),
    ...(after === undefined ? [] : [sql`p.plan_id < ${after}`]),
  ];
  const page = sql`${sql.join(conditions, sql` and `)} order by p.plan_id desc limit ${limit + 1}`;
  return attempt(async () => {
    const found = (await loadPlans(database, page, 'SHOWN')).map(({ plan }) => plan);
    const plans = found.slice(0, limit);
    return { ok: true, plans, next: found.length > limit ? plans.at(-1)?.planId : undefined };
  });
}
