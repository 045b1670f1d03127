import { randomUUIDv7 } from 'node:crypto';
import { type QueryExecutorProvider, type RawBuilder, sql } from 'kysely';
import type { Scope } from '@fairway/values';
import { recordset } from '@fairway/postgres';

/** What an event is about: `type` such as `payment_plan`, and the id of the resource. */
export type EventSubject = { readonly type: string; readonly id: string };

/** A published event. `data`: the event's body as its readers get it, which is kept as it is. */
export type PublishedEvent = { readonly type: string; readonly subject: EventSubject; readonly data: object };

/**
 * The number that every event number of the newest epoch exceeds. A restore begins an epoch. Epochs are minutes, so
 * two epochs never give out the same number, whatever the database lost.
 */
const BASE = sql`(select coalesce(max(epoch), 0) * 10000000 from recoveries)`;

/**
 * The parts of a WITH clause that keep events together with their changes, and give each event the next number of its
 * subject. Events of one subject wait for each other here. So their numbers, and the order in which they are written,
 * are the order in which they are committed. `from`: tables that have a row only if there is something to tell, such
 * as `made,`.
 *
 * @example
 * ```ts
 * import { type OutboxTables, withPublishedEvents } from '@fairway/outbox';
 * import { type Kysely, sql } from 'kysely';
 *
 * declare const database: Kysely<OutboxTables>;
 * const scope = { organisationId: 'org_1', environment: 'production' } as const;
 * const subject = { type: 'relay_transaction', id: 'rtx_1' };
 * const published = [{ type: 'relay.transaction.mined', subject, data: { blockNumber: 1 } }];
 * await sql`
 *   with made as (update transactions set status = 'MINED' where id = 'rtx_1' and status = 'BROADCAST' returning 1),
 *   ${withPublishedEvents(scope, published, Date.now(), sql`made,`)} done as (select 1)
 *   select from made`.execute(database);
 * ```
 */
export function withPublishedEvents(
  { organisationId, environment }: Scope,
  published: readonly PublishedEvent[],
  atMs: number,
  from: RawBuilder<unknown> = sql``,
): RawBuilder<unknown> {
  if (published.length === 0) return sql``;
  const of = { organisation_id: organisationId, environment };
  const at = new Date(atMs).toISOString();
  const counts = new Map<string, number>();
  for (const { subject } of published) counts.set(subject.id, (counts.get(subject.id) ?? 0) + 1);
  const subjects = published
    .filter(({ subject }, index) => published.findIndex((each) => each.subject.id === subject.id) === index)
    .map(({ subject: { type, id } }) => ({
      ...of,
      subject_type: type,
      subject_id: id,
      sequence: counts.get(id),
    }));
  const rows = published.map(({ type, subject, data }, position) => {
    const after = published.slice(position + 1).filter((each) => each.subject.id === subject.id).length;
    const place = { subject_type: subject.type, subject_id: subject.id, sequence: after };
    return { ...of, event_id: eventId(), type, ...place, at, data, position };
  });
  return sql`counted as (
      insert into event_subjects as s (organisation_id, environment, subject_type, subject_id, sequence)
      select row.organisation_id, row.environment, row.subject_type, row.subject_id, ${BASE} + row.sequence
      from ${from} ${recordset('event_subjects', subjects)} as row
      on conflict (organisation_id, environment, subject_type, subject_id) do update
      set sequence = greatest(s.sequence + excluded.sequence - ${BASE}, excluded.sequence)
      returning s.subject_type, s.subject_id, s.sequence
    ), told as (
      insert into events (organisation_id, environment, event_id, type, subject_type, subject_id, sequence, at, data)
      select row.organisation_id, row.environment, row.event_id, row.type, row.subject_type, row.subject_id,
        counted.sequence - row.sequence, row.at, row.data
      from counted join ${recordset('events', rows)} as row
        on (row.subject_type, row.subject_id) = (counted.subject_type, counted.subject_id)
      order by row.position
    ),`;
}

/**
 * Keeps events in a transaction whose other queries have written the changes.
 *
 * @example
 * ```ts
 * import { type OutboxTables, writePublishedEvents } from '@fairway/outbox';
 * import type { Kysely } from 'kysely';
 *
 * declare const database: Kysely<OutboxTables>;
 * const scope = { organisationId: 'org_1', environment: 'production' } as const;
 * const subject = { type: 'relayer', id: 'rly_1' };
 * const published = [{ type: 'relay.relayer.disabled', subject, data: {} }];
 * await database
 *   .transaction()
 *   .execute((transaction) => writePublishedEvents(transaction, scope, published, Date.now()));
 * ```
 */
export async function writePublishedEvents(
  transaction: QueryExecutorProvider,
  scope: Scope,
  published: readonly PublishedEvent[],
  atMs: number,
): Promise<void> {
  if (published.length === 0) return;
  await sql`with ${withPublishedEvents(scope, published, atMs)} done as (select 1) select from done`.execute(
    transaction,
  );
}

function eventId(): string {
  return `evt_${randomUUIDv7().replaceAll('-', '')}`;
}
