import { attempt, type Unavailable } from '@fairway/postgres';
import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { Environment } from '../database/schema.ts';

/**
 * How far events are published. `organisationIds`: whose events were published since; undefined where that is not known, so that
 * all have to look.
 */
export type Heard = {
  readonly ok: true;
  readonly position: bigint;
  readonly organisationIds: readonly string[] | undefined;
};

/** After how many events it is cheaper that everybody looks. */
const MOST_LOOKED_THROUGH = 5_000n;

/**
 * Tells for which organisations events were published after a position; undefined when none is known yet. One look for all readers
 * that wait.
 */
export function heard(
  database: Database,
  environment: Environment,
  after: bigint | undefined,
): Promise<Heard | Unavailable> {
  return attempt(async () => {
    const { rows } = await sql<{ head: bigint }>`
      select position as head from event_publication where environment = ${environment}`.execute(database);
    const position = rows[0]?.head ?? 0n;
    if (after === position) return { ok: true, position, organisationIds: [] };
    if (after === undefined || position < after || position - after > MOST_LOOKED_THROUGH)
      return { ok: true, position, organisationIds: undefined };
    const { rows: heard } = await sql<{ organisation_id: string }>`
      select distinct any_event.organisation_id from events any_event
      where any_event.environment = ${environment}
        and any_event.position > ${after} and any_event.position <= ${position}`.execute(database);
    return { ok: true, position, organisationIds: heard.map(({ organisation_id }) => organisation_id) };
  });
}
