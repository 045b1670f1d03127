import { OVER_STATUSES, type PlanId } from '@fairway/plan';
import { attempt, type Unavailable } from '@fairway/postgres';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { PlanScope } from './planScope.ts';

/** The statuses of plans that are over, as a list in a statement: values in its text, so that indexes of open plans are used. */
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

/** The plan that has an account as its deposit address. `planId`: undefined where it is a plan of another organisation. */
export type AddressHolder = { readonly planId: PlanId | undefined };

/** The open plan, of whichever organisation, that has an account as its deposit address; undefined where none has. */
export function addressHolder(
  database: Database,
  { organisationId, environment }: PlanScope,
  chainId: number,
  account: string,
): Promise<{ readonly ok: true; readonly holder: AddressHolder | undefined } | Unavailable> {
  return attempt(async () => {
    const { rows } = await sql<{ plan_id: PlanId | null }>`
      select own.plan_id
      from plans any_open_plan left join plans own
        on (own.organisation_id, own.environment, own.plan_id)
          = (${organisationId}, any_open_plan.environment, any_open_plan.plan_id)
      where any_open_plan.environment = ${environment} and any_open_plan.source_chain_id = ${chainId}
        and any_open_plan.deposit_address = ${account.toLowerCase()} and ${isHolder('any_open_plan')}`.execute(
      database,
    );
    const [row] = rows;
    return { ok: true, holder: row && { planId: row.plan_id ?? undefined } };
  });
}
