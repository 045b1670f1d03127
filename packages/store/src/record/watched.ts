import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { ChainKey, WatchedAddressOf, WatchedContracts, WatchedCursor } from './types.ts';

/**
 * A plan that began within so many blocks below the last block read may have been unknown to the reader of that time.
 * This margin is for cases where transaction ids say nothing: they start again when a database is restored from its
 * rows.
 */
const UNSURE_BLOCKS = 64;

type WatchedRow = {
  address: string;
  purpose: WatchedAddressOf['purpose'];
  from_block: bigint;
  is_unmatched: boolean;
};

type PlanRow = { organisation_id: string; plan_id: string };

/** A page of watched addresses; those whose time is over are left out. */
export async function watchedPage(
  database: Database,
  chain: ChainKey,
  { after, limit }: { readonly after?: WatchedCursor | undefined; readonly limit: number },
): Promise<{ watched: readonly WatchedAddressOf[]; next: WatchedCursor | undefined }> {
  const isLater =
    after === undefined
      ? sql`true`
      : sql`(any_watched.address, any_watched.organisation_id, any_watched.plan_id, any_watched.purpose)
            > (${after[0]}, ${after[1]}, ${after[2]}, ${after[3]})`;
  const { rows } = await sql<WatchedRow & PlanRow>`
      select any_watched.address, any_watched.organisation_id, any_watched.plan_id, any_watched.purpose,
        any_watched.from_block, coalesce(any_watched.added_xid >= r.watched_xmin
          or any_watched.from_block > r.read_number - ${UNSURE_BLOCKS}::int8, true) as is_unmatched
      from watched_addresses any_watched
      join chain_records r on (r.environment, r.chain_id) = (any_watched.environment, any_watched.chain_id)
      where ${isWatched(chain)} and ${isLater}
      order by any_watched.address, any_watched.organisation_id, any_watched.plan_id, any_watched.purpose
      limit ${limit}`.execute(database);
  const last = rows.length < limit ? undefined : rows.at(-1);
  const next = last && ([last.address, last.organisation_id, last.plan_id, last.purpose] as const);
  return { watched: rows.map(watchedOf), next };
}

function isWatched({ environment, chainId }: ChainKey): RawBuilder<unknown> {
  return sql`any_watched.environment = ${environment} and any_watched.chain_id = ${chainId}
    and (any_watched.until is null or any_watched.until > clock_timestamp())`;
}

function watchedOf({ address, purpose, from_block, is_unmatched }: WatchedRow): WatchedAddressOf {
  return { address, purpose, fromBlock: Number(from_block), isUnmatched: is_unmatched };
}

type ContractRow = { source_token: string; target_token: string; settlement_address: string };

/** The contracts of all watched plans, and from which transaction on others may follow. */
export async function watchedContracts(
  database: Database,
  chain: ChainKey,
): Promise<{ xmin: string } & WatchedContracts> {
  const { rows } = await sql<ContractRow & { xmin: string }>`
      select pg_snapshot_xmin(pg_current_snapshot())::text as xmin, c.source_token, c.target_token, c.settlement_address
      from (select 1) here left join (
        select distinct any_watched.source_token, any_watched.target_token, any_watched.settlement_address
        from watched_addresses any_watched where ${isWatched(chain)}
      ) c on true`.execute(database);
  return { xmin: rows[0]?.xmin ?? '0', ...contractsOf(rows) };
}

/** Without watched addresses there is one row without contracts. */
function contractsOf(rows: readonly ContractRow[]): WatchedContracts {
  const distinct = (texts: readonly (string | null)[]) => [...new Set(texts.filter((text) => text !== null))];
  return {
    tokens: distinct(rows.flatMap(({ source_token, target_token }) => [source_token, target_token])),
    settlementAddresses: distinct(rows.map(({ settlement_address }) => settlement_address)),
  };
}

/**
 * Watched addresses of transactions that had not ended at the snapshot of `xmin`. Rows with a later transaction than
 * any of this database came from another database, and were there at the beginning.
 */
export async function watchedSince(
  database: Database,
  chain: ChainKey,
  xmin: string,
): Promise<{ added: readonly WatchedAddressOf[]; xmin: string } & WatchedContracts> {
  const { rows } = await sql<WatchedRow & ContractRow & { xmin: string }>`
      select pg_snapshot_xmin(pg_current_snapshot())::text as xmin, a.*
      from (select 1) here left join (
        select any_watched.address, any_watched.purpose, any_watched.from_block, any_watched.source_token,
          any_watched.target_token, any_watched.settlement_address, true as is_unmatched
        from watched_addresses any_watched
        where ${isWatched(chain)} and any_watched.added_xid >= ${xmin}::xid8
          and any_watched.added_xid < pg_snapshot_xmax(pg_current_snapshot())
      ) a on true`.execute(database);
  const added = rows.filter(({ address }) => address !== null).map(watchedOf);
  return { added, xmin: rows[0]?.xmin ?? xmin, ...contractsOf(rows) };
}
