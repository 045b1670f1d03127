import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { addChainJobs } from '../jobs/chainJob.ts';
import { endWaits } from '../jobs/chainWait.ts';
import { readTip, type TipRow } from './position.ts';
import type { ChainKey, Lease, TakenLease } from './types.ts';

/** How long a lease lives without a renewal. */
const LEASE_SECONDS = 3;

/**
 * Takes a lease that is over, or is this holder's own: a process that lost count of its writes takes it anew. The
 * record is then catching up until the head of that moment is read.
 */
export async function takeLease(
  database: Database,
  { environment, chainId }: ChainKey,
  holder: string,
): Promise<{ taken: TakenLease | undefined }> {
  const { rows } = await sql<TipRow & LeaseRow>`
      insert into chain_records as known (environment, chain_id, holder, epoch, lease_until)
      values (${environment}, ${chainId}, ${holder}, 1, clock_timestamp() + ${LEASE_SECONDS}::float8 * interval '1 second')
      on conflict (environment, chain_id) do update
      set holder = excluded.holder, epoch = known.epoch + 1, lease_until = excluded.lease_until,
        state = 'CATCHING_UP', must_reach = null
      where known.lease_until < clock_timestamp() or known.holder = excluded.holder
      returning epoch, read_number, read_hash, read_time, verified_number, watched_xmin::text as watched_xmin,
        reread_from as reread_from_block`.execute(database);
  const [row] = rows;
  if (row === undefined) return { taken: undefined };
  const record = {
    tip: readTip(row),
    verifiedNumber: row.verified_number === null ? undefined : Number(row.verified_number),
    watchedXmin: row.watched_xmin ?? undefined,
    ...(row.reread_from_block === null ? {} : { rereadFrom: Number(row.reread_from_block) }),
  };
  return { taken: { lease: { environment, chainId, holder, epoch: row.epoch }, record } };
}

type LeaseRow = {
  epoch: bigint;
  verified_number: bigint | null;
  watched_xmin: string | null;
  reread_from_block: bigint | null;
};

/**
 * Renews a lease, also one that ran out and that nobody took. Plans whose wait is over get their jobs: a plan may have
 * begun to wait for a block just when that was written. A record that does not follow the head that was seen is catching up,
 * whatever keeps it. `isAsked`: plans ask for transactions to be recorded.
 */
export async function renewLease(
  database: Database,
  { environment, chainId, holder, epoch }: Lease,
  { targetNumber = 0, toleratedBlocks = 0 }: Partial<SeenHead> = {},
): Promise<Renewed> {
  const { rows } = await sql<{ held: boolean; is_asked: boolean }>`
      with renewed as (
        update chain_records set lease_until = clock_timestamp() + ${LEASE_SECONDS}::float8 * interval '1 second',
          state = case when ${targetNumber}::int8 - read_number > ${toleratedBlocks}::int8 then 'CATCHING_UP' else state end
        where environment = ${environment} and chain_id = ${chainId} and holder = ${holder} and epoch = ${epoch}
        returning read_number, state
      ), woken as (${endWaits(environment, chainId, sql`renewed`)})
      select exists (select from renewed) as held, exists (
          select from chain_requests any_request join renewed on any_request.block_number <= renewed.read_number
          where any_request.environment = ${environment} and any_request.chain_id = ${chainId} and not any_request.served
        ) as is_asked, ${addChainJobs(environment, sql`woken`)} as jobs`.execute(database);
  const [row] = rows;
  const { held = false, is_asked: isAsked = false } = row ?? {};
  return { held, isAsked };
}

/** The newest block that the holder of a lease has seen, and how many blocks below it count as being at the head. */
export type SeenHead = { readonly targetNumber: number; readonly toleratedBlocks: number };

/** The outcome of a renewal. `held` is false once another process has the lease. */
export type Renewed = {
  readonly held: boolean;
  readonly isAsked: boolean;
};

/** Ends a lease at once, if it is still the one. */
export async function releaseLease(
  database: Database,
  { environment, chainId, holder, epoch }: Lease,
): Promise<void> {
  await sql`update chain_records set lease_until = '-infinity', state = 'CATCHING_UP'
      where environment = ${environment} and chain_id = ${chainId} and holder = ${holder} and epoch = ${epoch}`.execute(
    database,
  );
}
