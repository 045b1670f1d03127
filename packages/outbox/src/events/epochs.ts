import type { Environment } from '@fairway/values';
import { type QueryExecutorProvider, sql } from 'kysely';
import { type PublishedEvent, writePublishedEvents } from './publishedEvents.ts';

/** When epochs begin to count: they are minutes, so that a database that lost its last epochs gives out none twice. */
const EPOCH_START_MS = Date.UTC(2026, 0, 1);

/** A backup of the time `since` was put back, and this was marked at `markedAt`. */
export type Restored = { readonly since: string; readonly markedAt: string };

/** The epoch of a restore, greater than every earlier one. `isNew`: false where the same time was marked before. */
export type MarkedRestore = { readonly epoch: number; readonly isNew: boolean };

/**
 * Marks that a backup of this time was put back, which begins an epoch of events. Later events get higher numbers than
 * all that were published before the restore. Readers with a cursor of an earlier epoch go on from here at the latest.
 * Every organisation that was told something is told of the restore.
 *
 * @example
 * ```ts
 * import { markRestore, type OutboxTables } from '@fairway/outbox';
 * import type { Kysely } from 'kysely';
 *
 * declare const database: Kysely<OutboxTables>;
 * const subject = { type: 'node', id: 'node' };
 * const { epoch } = await database
 *   .transaction()
 *   .execute((transaction) =>
 *     markRestore(transaction, Date.UTC(2026, 10, 1), (data) => ({ type: 'node.recovered', subject, data })),
 *   );
 * ```
 */
export async function markRestore(
  transaction: QueryExecutorProvider,
  sinceMs: number,
  publishedEventOf: (restored: Restored) => PublishedEvent,
): Promise<MarkedRestore> {
  const since = new Date(sinceMs).toISOString();
  const { rows: times } = await sql<{ now: Date; last_number: bigint | null }>`
    select clock_timestamp() as now, (select epoch from recoveries order by epoch desc limit 1) as last_number`.execute(
    transaction,
  );
  const [time] = times;
  if (time === undefined) throw new Error('A query without a table has one row.');
  const sinceStartMs = time.now.getTime() - EPOCH_START_MS;
  const minuteCount = Math.floor(sinceStartMs / 60_000);
  const { last_number } = time;
  const lastCount = last_number === null ? 0 : Number(last_number);
  const { rows: marked } = await sql`
    insert into recoveries (epoch, since, marked_at)
    values (${Math.max(minuteCount, lastCount + 1)}, ${since}, ${time.now})
    on conflict (since) do nothing
    returning epoch`.execute(transaction);
  const { rows: known } = await sql<{ epoch_number: bigint }>`
    select epoch as epoch_number from recoveries where since = ${since}::timestamptz`.execute(transaction);
  const { epoch_number = 0n } = known[0] ?? {};
  const isNew = marked.length > 0;
  if (isNew)
    await beginEpoch(
      transaction,
      epoch_number,
      publishedEventOf({ since, markedAt: time.now.toISOString() }),
      time.now.getTime(),
    );
  return { epoch: Number(epoch_number), isNew };
}

async function beginEpoch(
  transaction: QueryExecutorProvider,
  epoch: bigint,
  published: PublishedEvent,
  atMs: number,
): Promise<void> {
  await sql`insert into event_epochs (environment, epoch, position)
    select environment, ${epoch}, position from event_publication`.execute(transaction);
  const { rows } = await sql<{ organisation_id: string; environment: Environment }>`
    select distinct organisation_id, environment from event_subjects any_subject`.execute(transaction);
  for (const { organisation_id: organisationId, environment } of rows)
    await writePublishedEvents(transaction, { organisationId, environment }, [published], atMs);
}
