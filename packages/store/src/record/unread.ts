import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { ReadTransfer } from './advance.ts';
import type { ChainKey, WatchedContracts } from './types.ts';

type UnreadRow = {
  block_hash: string;
  block_number: bigint;
  block_time: Date;
  tx_hash: string;
  log_index: number;
  token: string;
  from_address: string;
  to_address: string;
  amount: string;
};

/**
 * Transfers to settlement addresses whose transactions are still to be read. For each of these addresses and tokens
 * they are those of the `limit` largest, with all others of the same transactions. The largest of each come first, so
 * that dust keeps no swap waiting.
 */
export async function unreadTransfers(
  database: Database,
  { environment, chainId }: ChainKey,
  { settlementAddresses, tokens }: WatchedContracts,
  limit: number,
): Promise<{ transfers: readonly ReadTransfer[] }> {
  const { rows } = await sql<UnreadRow>`
      select q.block_hash, q.block_number, q.block_time, q.tx_hash, q.log_index, q.token, q.from_address, q.to_address,
        q.amount::text as amount
      from (
        select u.block_hash, u.tx_hash, min(u.place) as place
        from unnest(${settlementAddresses}::text[]) as a (address), unnest(${tokens}::text[]) as b (token),
          lateral (
            select each.block_hash, each.tx_hash, row_number() over (order by each.amount desc, each.block_number) as place
            from chain_unread each
            where each.environment = ${environment} and each.chain_id = ${chainId}
              and each.to_address = a.address and each.token = b.token
            order by each.amount desc, each.block_number limit ${limit}
          ) u
        group by u.block_hash, u.tx_hash
      ) first join chain_unread q on q.environment = ${environment} and q.chain_id = ${chainId}
        and (q.block_hash, q.tx_hash) = (first.block_hash, first.tx_hash)
      order by first.place, q.block_number, q.tx_hash, q.log_index`.execute(database);
  return { transfers: rows.map(transferOf) };
}

function transferOf(row: UnreadRow): ReadTransfer {
  return {
    blockHash: row.block_hash,
    blockNumber: Number(row.block_number),
    blockTimeMs: row.block_time.getTime(),
    txHash: row.tx_hash,
    logIndex: row.log_index,
    token: row.token,
    from: row.from_address,
    to: row.to_address,
    amount: BigInt(row.amount),
  };
}
