import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../database/schema.ts';
import type { Environment } from '@fairway/values';
import { enqueue } from './enqueue.ts';

/** How many events get their positions in one transaction, about, and how many are forgotten in one. */
const MOST_AT_ONCE = 1_000;

/**
 * The next events that get positions, in the order in which they were written. Each organisation that has any gets an
 * equal share of a transaction. So the thousands of events of an import delay no other organisation's events.
 */
function nextOf(environment: Environment): RawBuilder<unknown> {
  const unpublished = sql`any_event.environment = ${environment} and any_event.position is null`;
  // Goes from one organisation to the next in the index, whatever each of them has.
  return sql`recursive telling (organisation_id) as (
      (select any_event.organisation_id from events any_event where ${unpublished}
        order by any_event.organisation_id limit 1)
      union all
      select (select any_event.organisation_id from events any_event
        where ${unpublished} and any_event.organisation_id > telling.organisation_id
        order by any_event.organisation_id limit 1)
      from telling where telling.organisation_id is not null
    ), share as (
      select greatest(1, ${MOST_AT_ONCE} / greatest(1, count(telling.organisation_id))) as event_count from telling
    ), fresh as (
      select next.written, row_number() over (order by next.written) as place from telling cross join lateral (
        select any_event.written from events any_event
        where ${unpublished} and any_event.organisation_id = telling.organisation_id
        order by any_event.written limit (select share.event_count from share)
      ) as next
    )`;
}

/**
 * Gives positions to the committed events of an environment that have none, and returns how many. Only the holder of
 * the publication's row gives positions, until its transaction is over. So positions become visible in their order, and
 * a reader that has seen one has missed none below it. Returns 0 while another process publishes. The deliveries of the
 * events to webhook endpoints are made in the same transaction. Organisations take turns; the events of each keep the
 * order in which they were written.
 */
export async function publish(
  database: Database,
  environment: Environment,
  nowMs: number,
): Promise<{ readonly published: number }> {
  // Most looks find nothing, and lock nothing.
  const { rows: unpublished } = await sql`
      select from events any_event where any_event.environment = ${environment} and any_event.position is null
      limit 1`.execute(database);
  if (unpublished.length === 0) return { published: 0 };
  const published = await database.transaction().execute(async (transaction) => {
    await sql`insert into event_publication (environment) values (${environment})
        on conflict (environment) do nothing`.execute(transaction);
    const { rows: held } = await sql<{ head_number: bigint; due_at: Date | null }>`
        select position as head_number, due_at from event_publication
        where environment = ${environment} for update skip locked`.execute(transaction);
    const [row] = held;
    if (row === undefined) return 0;
    // A query of its own, so that it sees what was published before the row was held.
    const { rows } = await sql<{ fresh_count: bigint }>`
        with ${nextOf(environment)}, placed as (
          update events any_event set position = ${row.head_number} + fresh.place
          from fresh where any_event.written = fresh.written
          returning any_event.written
        )
        select count(*) as fresh_count from placed`.execute(transaction);
    const { fresh_count } = rows[0] ?? { fresh_count: 0n };
    const count = Number(fresh_count);
    if (count === 0) return 0;
    // No earlier than the last due time, so that another machine's clock does not put events in front of earlier
    // ones.
    const dueAt = new Date(Math.max(nowMs, row.due_at?.getTime() ?? 0));
    await sql`update event_publication set position = position + ${count}, due_at = ${dueAt}
        where environment = ${environment}`.execute(transaction);
    const after = row.head_number;
    await enqueue(transaction, environment, { after, upTo: after + fresh_count, dueAt });
    return count;
  });
  return { published };
}

/**
 * Deletes the oldest events up to a time, with their deliveries and attempts. Deletes at most one part at once, and
 * returns how many. A reader that has not read them yet gets an error.
 */
export async function prune(
  database: Database,
  environment: Environment,
  before: Date,
): Promise<{ readonly pruned: number }> {
  const pruned = await database.transaction().execute(async (transaction) => {
    const { rows } = await sql<{ last_number: bigint | null }>`
        select max(place) as last_number from (
          select any_event.position as place, max(any_event.at) over (order by any_event.position) as latest
          from events any_event
          where any_event.environment = ${environment} and any_event.position is not null
          order by any_event.position limit ${MOST_AT_ONCE}
        ) as oldest
        where oldest.latest < ${before.toISOString()}::timestamptz`.execute(transaction);
    const last = rows[0]?.last_number ?? null;
    if (last === null) return 0;
    const { rows: gone } = await sql`
        delete from events any_event
        where any_event.environment = ${environment} and any_event.position <= ${last}
        returning any_event.written`.execute(transaction);
    // After the events, which are locked where deliveries are begun again.
    await sql`
        delete from webhook_deliveries any_delivery
        where any_delivery.environment = ${environment} and any_delivery.position <= ${last}`.execute(
      transaction,
    );
    await sql`update event_publication set pruned_position = ${last}
        where environment = ${environment} and pruned_position < ${last}`.execute(transaction);
    return gone.length;
  });
  return { pruned };
}
