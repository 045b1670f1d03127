import { OVER_STATUSES, type PlanId } from '@fairway/plan';

import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { PlanScope } from './planScope.ts';

/** The statuses of plans that are over, as a list in a query: values in its text, so that indexes of open plans are used. */
export const OVER_LIST = sql`(${sql.join(OVER_STATUSES.map((status) => sql.lit(status)))})`;

/**
 * Whether a plan's deposit address is its alone: the same as the unique index `plans_deposit_address` says. `plans`: the alias of
 * the table.
 */
export function isHolder(plans: 'any_open_plan' | 'open_plan'): RawBuilder<boolean> {
  const of = (column: string) => sql.ref(`${plans}.${column}`);
  return sql`coalesce(${of('holds_address')},
              ${of('status')} not in ${OVER_LIST})`;
}

/**
 * The plan that has an account as its deposit address. `planId`: undefined where it is a plan of another organisation.
 * `isProven`: the account has signed that it is that plan's.
 */
export type AddressHolder = { readonly planId: PlanId | undefined; readonly isProven: boolean };

/** The open plan, of whichever organisation, that has an account as its deposit address; undefined where none has. */
export async function addressHolder(
  database: Database,
  { organisationId, environment }: PlanScope,
  chainId: number,
  account: string,
): Promise<{ readonly holder: AddressHolder | undefined }> {
  const { rows } = await sql<{ plan_id: PlanId | null; is_proven: boolean }>`
      select own.plan_id, any_open_plan.options ? 'isAddressProven' as is_proven
      from plans any_open_plan left join plans own
        on (own.organisation_id, own.environment, own.plan_id)
          = (${organisationId}, any_open_plan.environment, any_open_plan.plan_id)
      where any_open_plan.environment = ${environment} and any_open_plan.source_chain_id = ${chainId}
        and any_open_plan.deposit_address = ${account.toLowerCase()} and ${isHolder('any_open_plan')}`.execute(
    database,
  );
  const [row] = rows;
  return { holder: row && { planId: row.plan_id ?? undefined, isProven: row.is_proven } };
}

/**
 * Whether an account is proven to be another organisation's. The proof: it has itself signed the swap of a plan of
 * theirs whose deposit address it is. Late money is still looked for there. Without that proof, anybody could open a
 * small plan at the address of an ended plan. Late money would then be missing from that plan's list. The signer of a
 * payout proves nothing: a plan may name the address of anybody who pays others.
 */
export async function isProvenElsewhere(
  database: Database,
  { organisationId, environment }: PlanScope,
  chainId: number,
  account: string,
): Promise<{ readonly isProven: boolean }> {
  const { rows } = await sql<{ is_proven: boolean }>`
      select exists (
        select from plans any_owner
        join step_evidence s on (s.organisation_id, s.environment, s.plan_id)
          = (any_owner.organisation_id, any_owner.environment, any_owner.plan_id)
        join plan_steps t on (t.organisation_id, t.environment, t.plan_id, t.step_id)
          = (s.organisation_id, s.environment, s.plan_id, s.step_id)
        join watched_addresses w on (w.organisation_id, w.environment, w.plan_id)
          = (any_owner.organisation_id, any_owner.environment, any_owner.plan_id)
        where any_owner.environment = ${environment} and any_owner.source_chain_id = ${chainId}
          and any_owner.deposit_address = ${account.toLowerCase()}
          and any_owner.organisation_id <> ${organisationId}
          and t.type = 'EXECUTE_SWAP' and s.chain_id = any_owner.source_chain_id and s.sender = any_owner.deposit_address
          and s.status <> 'LOST'
          and w.purpose = 'DEPOSIT'
          and (w.until is null or w.until > clock_timestamp())
      ) as is_proven`.execute(database);
  return { isProven: rows[0]?.is_proven === true };
}
