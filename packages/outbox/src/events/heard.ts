import { sql } from 'kysely';
import type { Database } from '../database/schema.ts';
import type { Environment } from '@fairway/values';

/** How far events are published, and how far they were asked for again. */
export type HeardPlace = { readonly position: bigint; readonly resend: bigint };

/**
 * How far events are published and asked for again. `organisationIds`: the organisations with events since then;
 * undefined where they are not known, so that all have to look.
 */
export type Heard = {
  readonly place: HeardPlace;
  readonly organisationIds: readonly string[] | undefined;
};

/** The number of events above which it is cheaper that every reader looks. */
const MOST_LOOKED_THROUGH = 5_000n;

/**
 * Tells for which organisations events were published, or asked for again, after a place; undefined when none is known yet. One look
 * for all readers that wait.
 */
export async function heard(
  database: Database,
  environment: Environment,
  after: HeardPlace | undefined,
): Promise<Heard> {
  const { rows } = await sql<HeardPlace>`
      select coalesce(p.position, 0) as position, coalesce(n.number, 0) as resend
      from (select 1) here left join event_publication p on p.environment = ${environment}
        left join resend_numbers n on n.environment = ${environment}`.execute(database);
  const place = rows[0] ?? { position: 0n, resend: 0n };
  const { position, resend } = place;
  if (after?.position === position && after.resend === resend) return { place, organisationIds: [] };
  // Numbers that are lower than before are those of a restored database.
  if (
    after === undefined ||
    position < after.position ||
    position - after.position > MOST_LOOKED_THROUGH ||
    resend < after.resend
  )
    return { place, organisationIds: undefined };
  const { rows: heard } = await sql<{ organisation_id: string }>`
      select any_event.organisation_id from events any_event
      where any_event.environment = ${environment}
        and any_event.position > ${after.position} and any_event.position <= ${position}
      union
      select any_resend.organisation_id from event_resends any_resend
      where any_resend.environment = ${environment}
        and any_resend.number > ${after.resend} and any_resend.number <= ${resend}`.execute(database);
  return { place, organisationIds: heard.map(({ organisation_id }) => organisation_id) };
}
