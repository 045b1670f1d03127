import { sql } from 'kysely';
import type { Database } from '../database/schema.ts';
import type { Scope } from '@fairway/values';
import { type EventAsk, eventOf, type EventRow, isAsked, type KeptEvent } from './listEvents.ts';

/** Which events that were asked for again to read. `after`: what follows this number; absent: what is asked for from now on. */
export type ResendAsk = Omit<EventAsk, 'after'> & { readonly after?: bigint | undefined };

/** Events that were asked for again, in the order of these requests, and the number from which reading goes on. */
export type Resends = { readonly events: readonly KeptEvent[]; readonly next: bigint };

/**
 * Notes that streams get an event again, in the transaction that sends it again to endpoints. If another transaction notes
 * an event meanwhile, it waits for the end of this one, so that numbers become visible in their order. An event that is
 * deleted at this moment is not noted.
 */
export async function noteResend(
  transaction: Database,
  { organisationId, environment }: Scope,
  eventId: string,
): Promise<void> {
  await sql`
    with known as (
      select e.event_id from events e
      where e.organisation_id = ${organisationId} and e.environment = ${environment} and e.event_id = ${eventId}
      for key share
    ), counted as (
      insert into resend_numbers as n (environment, number) select ${environment}, 1 from known
      on conflict (environment) do update set number = n.number + 1
      returning number
    )
    insert into event_resends (organisation_id, environment, event_id, number)
    select ${organisationId}, ${environment}, known.event_id, counted.number from known, counted
    on conflict (organisation_id, environment, event_id) do update set number = excluded.number`.execute(
    transaction,
  );
}

/**
 * Reads events of an organisation that were asked for again. The newest number is read before the events: what is asked for between
 * the two queries comes next.
 */
export async function listResends(
  database: Database,
  { organisationId, environment }: Scope,
  ask: ResendAsk,
): Promise<Resends> {
  const { after, limit } = ask;
  const { rows: newest } = await sql<{ newest: bigint }>`
      select number as newest from resend_numbers where environment = ${environment}`.execute(database);
  const upTo = newest[0]?.newest ?? 0n;
  if (after === undefined || after >= upTo) return { events: [], next: upTo };
  const { rows } = await sql<EventRow & { resend_number: bigint }>`
      select event_id, type, subject_type, subject_id, sequence as sequence_number, at, data, position as place_number,
        number as resend_number
      from events join event_resends using (organisation_id, environment, event_id)
      where organisation_id = ${organisationId} and environment = ${environment}
        and number > ${after} and number <= ${upTo} ${isAsked(ask)}
      order by number limit ${limit}`.execute(database);
  const last = rows.length < limit ? undefined : rows.at(-1);
  return { events: rows.map(eventOf), next: last?.resend_number ?? upTo };
}
