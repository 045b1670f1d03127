import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { Environment } from '../database/schema.ts';
import { withPublishedEvents } from '../events/publishedEvents.ts';

/** A chain that is read again, and from which block on. */
export type RereadChain = { readonly environment: string; readonly chainId: number; readonly from: number };

/**
 * What marking a restore came to. `epoch`: the epoch that begins with it, greater than every earlier one; `isNew`: false
 * where the same time was marked before.
 */
export type Recovered = {
  readonly epoch: number;
  readonly isNew: boolean;
  readonly chains: readonly RereadChain[];
};

/** When epochs begin to count: they are minutes, so that a database that lost its last epochs gives out none twice. */
const EPOCH_START_MS = Date.UTC(2026, 0, 1);

/**
 * Marks that a backup was put back. It begins an epoch, and has each chain read again from the newest kept block that
 * is not after `sinceMs`. A process that reads a chain loses its lease by this, and nothing is derived until the
 * chain is read. Marking the same time again only has the chains read again.
 */
export async function recover(database: Database, sinceMs: number): Promise<Recovered> {
  const since = new Date(sinceMs).toISOString();
  return database.transaction().execute(async (transaction) => {
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
    const { rows: chains } = await sql<{ environment: string; chain_id: bigint; first_block: bigint }>`
      update chain_records r set holder = '', lease_until = clock_timestamp(), state = 'CATCHING_UP',
        reread_from = least(r.reread_from, coalesce(
          (select b.number from chain_blocks b
            where b.environment = r.environment and b.chain_id = r.chain_id and b.block_time <= ${since}::timestamptz
            order by b.number desc limit 1),
          (select b.number from chain_blocks b
            where b.environment = r.environment and b.chain_id = r.chain_id
            order by b.number limit 1),
          r.read_number))
      where r.read_number is not null
      returning r.environment, r.chain_id, r.reread_from as first_block`.execute(transaction);
    const { epoch_number = 0n } = known[0] ?? {};
    if (marked.length > 0)
      await beginEpoch(transaction, epoch_number, { since, markedAt: time.now.toISOString() });
    return {
      epoch: Number(epoch_number),
      isNew: marked.length > 0,
      chains: chains.map(({ environment, chain_id: chainId, first_block }) => ({
        environment,
        chainId: Number(chainId),
        from: Number(first_block),
      })),
    };
  });
}

/**
 * Begins an epoch of events. Later events get higher numbers than all that were published before the restore. Readers
 * with a cursor of an earlier epoch go on from here at the latest. Every organisation that was told something is told
 * of the restore.
 */
async function beginEpoch(
  transaction: Database,
  epoch: bigint,
  restored: { readonly since: string; readonly markedAt: string },
): Promise<void> {
  await sql`insert into event_epochs (environment, epoch, position)
    select environment, ${epoch}, position from event_publication`.execute(transaction);
  const { rows } = await sql<{ organisation_id: string; environment: Environment }>`
    select distinct organisation_id, environment from event_subjects any_subject`.execute(transaction);
  for (const { organisation_id: organisationId, environment } of rows) {
    const subject = { type: 'service', id: 'service' };
    const published = { type: 'service.recovered', subject, data: { data: { object: restored } } };
    const scope = { organisationId, environment };
    await sql`with ${withPublishedEvents(scope, [published], Date.parse(restored.markedAt))} done as (select 1)
      select from done`.execute(transaction);
  }
}
