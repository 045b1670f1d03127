import { markRestore, type MarkedRestore, type PublishedEvent, type Restored } from '@fairway/outbox';
import { sql } from 'kysely';
import type { Database } from '../database/database.ts';

/** A chain that is read again, and from which block on. */
export type RereadChain = { readonly environment: string; readonly chainId: number; readonly from: number };

/** What marking a restore came to. */
export type Recovered = MarkedRestore & { readonly chains: readonly RereadChain[] };

/**
 * Marks that a backup was put back. It begins an epoch, and has each chain read again from the newest kept block that
 * is not after `sinceMs`. A process that reads a chain loses its lease by this, and nothing is derived until the
 * chain is read. Marking the same time again only has the chains read again.
 */
export async function recover(database: Database, sinceMs: number): Promise<Recovered> {
  const since = new Date(sinceMs).toISOString();
  return database.transaction().execute(async (transaction) => {
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
    return {
      ...(await markRestore(transaction, sinceMs, recovered)),
      chains: chains.map(({ environment, chain_id: chainId, first_block }) => ({
        environment,
        chainId: Number(chainId),
        from: Number(first_block),
      })),
    };
  });
}

function recovered(restored: Restored): PublishedEvent {
  const subject = { type: 'service', id: 'service' };
  return { type: 'service.recovered', subject, data: { data: { object: restored } } };
}
