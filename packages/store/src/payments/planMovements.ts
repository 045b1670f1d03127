import type { Movement } from '@fairway/plan';
import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { isPlan, MOVEMENT_COLUMNS } from '../plans/loadPlans.ts';
import { type ReadMovementRow, rowsToLedger } from '../plans/movementRows.ts';
import type { PlanScope } from '../plans/planScope.ts';

/** At most `limit` movements; with `afterSeq` those that follow this one. */
export type MovementsPage = { readonly limit: number; readonly afterSeq?: number | undefined };

/** A part of the ledger of a plan; `next` is the `afterSeq` of the next part. */
export type ListedMovements = {
  readonly movements: readonly Movement[];
  readonly next: number | undefined;
};

/** The movements of a plan, oldest first; undefined when the scope has no such plan. */
export async function planMovements(
  database: Database,
  scope: PlanScope,
  planId: string,
  { limit, afterSeq = 0 }: MovementsPage,
): Promise<{ found: ListedMovements | undefined }> {
  // Joined from the plan: a page past the end has a row without a movement, and an unknown plan has no row.
  const { rows } = await sql<{ movement: ReadMovementRow | null }>`
    select told.movement from plans p left join lateral (
      select m.seq, (select row_to_json(x) from (select ${MOVEMENT_COLUMNS}) x) as movement from movements m
      where (m.organisation_id, m.environment, m.plan_id) = (p.organisation_id, p.environment, p.plan_id)
        and m.seq > ${afterSeq}
      order by m.seq limit ${limit + 1}
    ) told on true
    where ${isPlan(scope, planId)} order by told.seq`.execute(database);
  if (rows.length === 0) return { found: undefined };
  const movements = rowsToLedger(
    planId,
    rows.flatMap(({ movement }) => movement ?? []),
  );
  const shown = movements.slice(0, limit);
  return { found: { movements: shown, next: movements.length > limit ? shown.at(-1)?.seq : undefined } };
}
