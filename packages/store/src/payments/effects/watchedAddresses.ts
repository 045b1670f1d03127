import type { Plan, WatchedAddress } from '@fairway/plan';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../database/database.ts';
import type { PlanScope } from '../../plans/planScope.ts';

/** How long transfers to the addresses of a plan that is over are recorded. */
const WATCHED_AFTER_END_DAYS = 365;

/** A row of `watched_addresses` as JSON, without the columns that the database fills in. */
export type WatchedAddressRow = {
  readonly environment: string;
  readonly chain_id: number;
  readonly address: string;
  readonly organisation_id: string;
  readonly plan_id: string;
  readonly purpose: WatchedAddress['purpose'];
  readonly source_token: string;
  readonly target_token: string;
  readonly settlement_address: string;
  readonly from_block: number;
};

/** The row of an address that is watched for a plan. */
export function watchedAddressRow(
  { organisationId, environment }: PlanScope,
  plan: Plan,
  { purpose, chainId, address, fromBlock }: WatchedAddress,
): WatchedAddressRow {
  const { source, target } = plan.corridor;
  return {
    environment,
    chain_id: chainId,
    address,
    organisation_id: organisationId,
    plan_id: plan.planId,
    purpose,
    source_token: source.token.toLowerCase(),
    target_token: target.token.toLowerCase(),
    settlement_address: target.settlementAddress.toLowerCase(),
    from_block: fromBlock,
  };
}

/**
 * Inserts watched addresses, as a part of the query that writes their plan. `from` restricts it, such as to the
 * plans that were written. The columns are named, because others have defaults.
 */
export function insertWatched(
  rows: readonly WatchedAddressRow[],
  from: RawBuilder<unknown> = sql``,
): RawBuilder<unknown> {
  return sql`insert into watched_addresses (environment, chain_id, address, organisation_id, plan_id, purpose,
      source_token, target_token, settlement_address, from_block)
    select row.environment, row.chain_id, row.address, row.organisation_id, row.plan_id, row.purpose,
      row.source_token, row.target_token, row.settlement_address, row.from_block
    from ${from} jsonb_populate_recordset(null::watched_addresses, ${JSON.stringify(rows)}::jsonb) as row
    on conflict do nothing`;
}

/** Lets the addresses of a plan that is over be watched for a limited time. */
export async function restAddresses(
  transaction: Database,
  { organisationId, environment }: PlanScope,
  planId: string,
): Promise<void> {
  await sql`update watched_addresses
    set until = clock_timestamp() + ${WATCHED_AFTER_END_DAYS}::float8 * interval '1 day'
    where organisation_id = ${organisationId} and environment = ${environment} and plan_id = ${planId}`.execute(
    transaction,
  );
}

/** Lets the addresses of a plan that is open again be watched as long as it lives. */
export async function watchAddressesAgain(
  transaction: Database,
  { organisationId, environment }: PlanScope,
  planId: string,
): Promise<void> {
  await sql`update watched_addresses set until = null
    where organisation_id = ${organisationId} and environment = ${environment} and plan_id = ${planId}`.execute(
    transaction,
  );
}
