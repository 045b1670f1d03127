import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { isWeakClaim } from '../plans/weakClaim.ts';

/**
 * A transfer on the chain that counts for no plan. DEPOSIT: to the deposit address of a plan. SWAP: to a settlement
 * address, by a transaction with a tag: of a plan that a restored database lacks, for example, or of a plan whose tag a
 * stranger has copied into a transaction that executes none of its instructions. UNTRACED: the same by a transaction that
 * no node traces, so that nobody knows its tag.
 */
export type StrayTransfer = {
  readonly kind: 'DEPOSIT' | 'SWAP' | 'UNTRACED';
  readonly environment: string;
  readonly chainId: number;
  readonly txHash: string;
  readonly logIndex: number;
  readonly token: string;
  readonly to: string;
  readonly amount: string;
};

/** The transfers that the record of the chains has and that count for no plan, the newest first, at most `limit`. */
export async function strayTransfers(database: Database, limit: number): Promise<StrayTransfer[]> {
  const { rows } = await sql<Omit<StrayTransfer, 'chainId'> & { chainId: string }>`
    select kind, environment, chain_id as "chainId", tx_hash as "txHash", log_index as "logIndex", token,
      to_address as "to", amount::text
    from (
      select 'DEPOSIT' as kind, r.* from chain_transfers r
      where r.canonical and r.from_address <> r.to_address
        and exists (
          select from watched_addresses any_watched
          where (any_watched.environment, any_watched.chain_id, any_watched.address, any_watched.purpose)
              = (r.environment, r.chain_id, r.to_address, 'DEPOSIT')
            and r.block_number >= any_watched.from_block
        )
        and not exists (
          select from settlements any_claim
          where (any_claim.environment, any_claim.chain_id, any_claim.tx_hash, any_claim.log_index, any_claim.role)
              = (r.environment, r.chain_id, r.tx_hash, r.log_index, 'DEPOSIT')
            and not ${isWeakClaim('any_claim')}
        )
      union all
      select 'UNTRACED' as kind, r.* from chain_transfers r
      where r.canonical and r.untraced
        and not exists (
          select from settlements any_claim
          where (any_claim.environment, any_claim.chain_id, any_claim.tx_hash, any_claim.log_index, any_claim.role)
              = (r.environment, r.chain_id, r.tx_hash, r.log_index, 'SWAP')
        )
      union all
      select 'SWAP' as kind, r.* from chain_transfers r
      where r.canonical and r.tag is not null
        and not exists (
          select from settlements any_claim
          where (any_claim.environment, any_claim.chain_id, any_claim.tx_hash, any_claim.log_index, any_claim.role)
              = (r.environment, r.chain_id, r.tx_hash, r.log_index, 'SWAP')
        )
    ) stray
    order by block_number desc, log_index desc limit ${limit}`.execute(database);
  return rows.map(({ chainId, ...row }) => ({ ...row, chainId: Number(chainId) }));
}
