import type { RecordedEvent } from '@fairway/plan';

import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { isPlan } from '../plans/loadPlans.ts';
import type { PlanScope } from '../plans/planScope.ts';

/** At most `limit` events; with `afterRevision` the events that follow this revision. */
export type HistoryPage = { readonly limit: number; readonly afterRevision?: number | undefined };

/** What happened to a plan, oldest first; undefined when the scope has no such plan. */
export async function history(
  database: Database,
  scope: PlanScope,
  planId: string,
  { limit, afterRevision = 0 }: HistoryPage,
): Promise<{ found: { events: RecordedEvent[]; next: number | undefined } | undefined }> {
  // Joined from the plan: a page past the end has a row without an event, and an unknown plan has no row.
  const { rows } = await sql<Omit<RecordedEvent, 'atMs'> & { revision: number | null; at: Date }>`
      select e.revision, e.at, e.actor, e.command, e.changes
      from plans p left join lateral (
        select h.* from plan_events h
        where (h.organisation_id, h.environment, h.plan_id) = (p.organisation_id, p.environment, p.plan_id)
          and h.revision > ${afterRevision}
        order by h.revision limit ${limit + 1}
      ) e on true
      where ${isPlan(scope, planId)} order by e.revision`.execute(database);
  if (rows.length === 0) return { found: undefined };
  const events = rows
    .filter(({ revision }) => revision !== null)
    .map(({ at, ...event }) => ({ ...event, atMs: at.getTime() }));
  const shown = events.slice(0, limit);
  return {
    found: { events: shown, next: events.length > limit ? shown.at(-1)?.revision : undefined },
  };
}
