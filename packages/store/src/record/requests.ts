import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { addChainJobs } from '../jobs/chainJob.ts';
import type { PlanScope } from '../plans/planScope.ts';
import type { ChainKey } from './types.ts';

/** A transaction that plans rest on, and the logs of it that are to be recorded. Hashes are in lower case. */
export type RecordRequest = {
  readonly txHash: string;
  readonly blockHash: string;
  readonly blockNumber: number;
  readonly logIndexes: readonly number[];
};

/**
 * Asks the reader of a chain to record a transaction for a plan, which is compared when a reorganisation takes its block. A
 * second request for the same transaction changes nothing, unless a reorganisation took its block meanwhile: the block
 * may be back. Without logs, there is nothing to record.
 */
export async function requestRecord(
  database: Database,
  { organisationId, environment }: PlanScope,
  planId: string,
  chainId: number,
  { txHash, blockHash, blockNumber, logIndexes }: RecordRequest,
): Promise<void> {
  await sql`insert into chain_requests as known (environment, chain_id, tx_hash, organisation_id, plan_id, block_hash,
        block_number, log_indexes, served)
      values (${environment}, ${chainId}, ${txHash.toLowerCase()}, ${organisationId}, ${planId}, ${blockHash.toLowerCase()},
        ${blockNumber}, ${logIndexes}, ${logIndexes.length === 0})
      on conflict (environment, chain_id, tx_hash, organisation_id, plan_id) do update
      set block_hash = excluded.block_hash, block_number = excluded.block_number, log_indexes = excluded.log_indexes,
        served = excluded.served
      where known.block_hash <> excluded.block_hash or not known.log_indexes @> excluded.log_indexes
        or known.served and exists (
          select from chain_transfers t
          where (t.environment, t.chain_id, t.block_hash, t.tx_hash)
              = (known.environment, known.chain_id, known.block_hash, known.tx_hash)
            and t.log_index = any(known.log_indexes) and not t.canonical)`.execute(database);
}

type RequestRow = { tx_hash: string; block_hash: string; block_number: bigint; log_index: number };

/** Transactions in blocks up to this one that plans ask for, the oldest blocks first. */
export async function openRequests(
  database: Database,
  { environment, chainId }: ChainKey,
  upTo: number,
  limit: number,
): Promise<{ requests: readonly RecordRequest[] }> {
  const { rows } = await sql<RequestRow>`
      select distinct r.tx_hash, r.block_hash, r.block_number, unnest(r.log_indexes) as log_index
      from (
        select any_request.tx_hash, any_request.block_hash, any_request.block_number, any_request.log_indexes
        from chain_requests any_request
        where any_request.environment = ${environment} and any_request.chain_id = ${chainId} and not any_request.served
          and any_request.block_number <= ${upTo}
        order by any_request.block_number, any_request.tx_hash limit ${limit}
      ) r`.execute(database);
  const found = Map.groupBy(rows, ({ tx_hash, block_hash }) => `${tx_hash} ${block_hash}`);
  const requests = [...found.values()].flatMap(([first, ...rest]): RecordRequest[] => {
    if (first === undefined) return [];
    const logIndexes = [first, ...rest].map(({ log_index }) => log_index).toSorted((a, b) => a - b);
    const { tx_hash: txHash, block_hash: blockHash, block_number } = first;
    return [{ txHash, blockHash, blockNumber: Number(block_number), logIndexes }];
  });
  return { requests };
}

/** Ends requests that were done, or that cannot be done because their block is not on the chain. Their plans are compared. */
export async function endRequests(
  database: Database,
  { environment, chainId }: ChainKey,
  done: readonly RecordRequest[],
): Promise<void> {
  const places = done.map(({ txHash, blockHash }) => ({ tx_hash: txHash, block_hash: blockHash }));
  const plans = sql`(select distinct * from ended) each`;
  await sql`
      with ended as (
        update chain_requests any_request set served = true
        from jsonb_to_recordset(${JSON.stringify(places)}::jsonb) as done (tx_hash text, block_hash text)
        where any_request.environment = ${environment} and any_request.chain_id = ${chainId} and not any_request.served
          and (any_request.tx_hash, any_request.block_hash) = (done.tx_hash, done.block_hash)
        returning any_request.organisation_id, any_request.plan_id, 0 as tries
      )
      select ${addChainJobs(environment, plans)} as jobs`.execute(database);
}
