import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { isStanding } from '../plans/standingMovement.ts';

/**
 * A transfer on the chain that counts for no plan. DEPOSIT: to the deposit address of a plan. PAYOUT: from an account that
 * the custodian pays from to the wallet of a plan, such as a second payment of one payout. SWAP: to a settlement
 * address, by a transaction with a tag. Its plan may be missing in a restored database. Or a stranger has copied the
 * tag into a transaction that executes no instructions of the plan. UNTRACED: the same by a transaction that no node
 * traces, so that nobody knows its tag.
 */
export type StrayTransfer = {
  readonly kind: 'DEPOSIT' | 'PAYOUT' | 'SWAP' | 'UNTRACED';
  readonly environment: string;
  readonly chainId: number;
  readonly txHash: string;
  readonly logIndex: number;
  readonly token: string;
  readonly from: string;
  readonly to: string;
  readonly amount: string;
  /** The plans whose deposit address or wallet it reached, the newest first, ten at most. */
  readonly plans: readonly string[];
};

/** The most plans that are named for one transfer: many may pay the same wallet. */
const MOST_PLANS = 10;

/** Transfers that count for no plan, and how many of them there are in all. */
export type StrayTransfers = { readonly transfers: readonly StrayTransfer[]; readonly count: number };

/**
 * The transfers that the record of the chains has and that count for no plan. At most `limit` are listed for each
 * kind and token: the largest, so that dust pushes none of them off the list. The largest of each kind and token come
 * first.
 */
export async function strayTransfers(database: Database, limit: number): Promise<StrayTransfers> {
  const { rows } = await sql<Omit<StrayTransfer, 'chainId'> & { chainId: string; stray_count: bigint }>`
    select kind, environment, chain_id as "chainId", tx_hash as "txHash", log_index as "logIndex", token,
      from_address as "from", to_address as "to", amount::text, stray_count, (
        select coalesce(json_agg(owner.plan_id), '[]') from (
          select distinct any_watched.plan_id from watched_addresses any_watched
          where ${isWatched('stray', ['DEPOSIT', 'BENEFICIARY'])}
          order by any_watched.plan_id desc limit ${MOST_PLANS}
        ) owner
      ) as plans
    from (
      select every.*, count(*) over () as stray_count,
        row_number() over (partition by kind, environment, chain_id, token order by amount desc, block_number desc, log_index) as place
      from (${everyStray()}) every
    ) stray
    where place <= ${limit}
    order by place, kind, environment, chain_id, token`.execute(database);
  const transfers = rows.map(({ chainId, stray_count: _, ...row }) => ({ ...row, chainId: Number(chainId) }));
  const [{ stray_count } = { stray_count: 0n }] = rows;
  return { transfers, count: Number(stray_count) };
}

function everyStray(): RawBuilder<unknown> {
  return sql`
      select 'DEPOSIT' as kind, r.* from chain_transfers r
      where r.canonical and r.from_address <> r.to_address
        and exists (
          select from watched_addresses any_watched
          where ${isWatched('r', ['DEPOSIT'])} and not ${isOwnRefund()})
        and not exists (select from settlements any_claim where ${isClaimOf('DEPOSIT')})
      union all
      select 'PAYOUT' as kind, r.* from chain_transfers r
      where r.canonical and r.from_address <> r.to_address and r.tag is null and not r.untraced
        and ${isUncountedPayout()}
      union all
      select 'UNTRACED' as kind, r.* from chain_transfers r
      where r.canonical and r.untraced
        and not exists (select from settlements any_claim where ${isClaimOf('SWAP')})
      union all
      select 'SWAP' as kind, r.* from chain_transfers r
      where r.canonical and r.tag is not null
        and not exists (select from settlements any_claim where ${isClaimOf('SWAP')})`;
}

/** Whether a transfer reached an address that was watched before the transfer. `transfer`: the alias of its row. */
function isWatched(
  transfer: 'r' | 'stray',
  purposes: readonly ('DEPOSIT' | 'BENEFICIARY')[],
): RawBuilder<unknown> {
  const of = (column: string) => sql.ref(`${transfer}.${column}`);
  return sql`(any_watched.environment, any_watched.chain_id, any_watched.address)
            = (${of('environment')}, ${of('chain_id')}, ${of('to_address')})
          and any_watched.purpose = any(${purposes}::text[]) and ${of('block_number')} >= any_watched.from_block`;
}

function isClaimOf(role: 'DEPOSIT' | 'SWAP'): RawBuilder<unknown> {
  return sql`(any_claim.environment, any_claim.chain_id, any_claim.tx_hash, any_claim.log_index, any_claim.role)
          = (r.environment, r.chain_id, r.tx_hash, r.log_index, ${role})`;
}

/** Whether the organisation that has its plan's deposit address there has recorded the transfer as a refund. */
function isOwnRefund(): RawBuilder<unknown> {
  return sql`exists (
              select from movements m where m.organisation_id = any_watched.organisation_id
                and m.environment = any_watched.environment and m.kind = 'REFUND' and ${isOfTransfer('m')})`;
}

/**
 * Whether a transfer went from the custodian to the wallet of a plan, and no plan counts it. It has no claim in any
 * role, is no verified refund, and is no movement of the plan's own organisation. A mere report of another
 * organisation hides nothing: anybody may say that a transfer was its refund. A transfer that reached a deposit
 * address is listed as a DEPOSIT.
 */
function isUncountedPayout(): RawBuilder<unknown> {
  return sql`exists (
          select from watched_addresses any_watched join plans p
            on (p.organisation_id, p.environment, p.plan_id)
              = (any_watched.organisation_id, any_watched.environment, any_watched.plan_id)
          where ${isWatched('r', ['BENEFICIARY'])} and ${isFromCustodian()}
            and not exists (
              select from movements m where m.organisation_id = any_watched.organisation_id
                and m.environment = any_watched.environment and ${isOfTransfer('m')})
        )
        and not exists (select from watched_addresses any_watched where ${isWatched('r', ['DEPOSIT'])})
        and not exists (
          select from settlements any_claim
          where (any_claim.environment, any_claim.chain_id, any_claim.tx_hash, any_claim.log_index)
              = (r.environment, r.chain_id, r.tx_hash, r.log_index)
            and any_claim.lost_at is null
        )
        and not exists (
          select from movements any_moved
          where any_moved.environment = r.environment and any_moved.kind = 'REFUND'
            and any_moved.verification = 'VERIFIED' and ${isOfTransfer('any_moved')}
        )`;
}

/**
 * Whether a transfer to a wallet is on record because of its sender. The record takes transfers from accounts that
 * custodians pay from, and those that plans ask for, whoever sent them.
 */
function isFromCustodian(): RawBuilder<unknown> {
  return sql`(p.corridor -> 'target' -> 'payoutAddresses' ? r.from_address
            or not exists (
              select from chain_requests any_request
              where (any_request.environment, any_request.chain_id, any_request.tx_hash)
                = (r.environment, r.chain_id, r.tx_hash)))`;
}

/** Whether a movement is of the transfer, and stands. */
function isOfTransfer(movement: 'm' | 'any_moved'): RawBuilder<unknown> {
  const of = (column: string) => sql.ref(`${movement}.${column}`);
  return sql`(${of('chain_id')}, ${of('tx_hash')}, ${of('log_index')}) = (r.chain_id, r.tx_hash, r.log_index)
            and ${isStanding(movement)}`;
}
