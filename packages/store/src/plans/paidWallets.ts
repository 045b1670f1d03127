import type { Amount } from '@fairway/plan';
import { attempt, type Unavailable } from '@fairway/postgres';
import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { PlanScope } from './planScope.ts';

/** Whether exactly this amount is due at a wallet to other plans, of any organisation. */
export function isDueToOthers(
  database: Database,
  { environment }: PlanScope,
  planId: string,
  chainId: number,
  wallet: string,
  amount: Amount,
): Promise<{ readonly ok: true; readonly isDue: boolean } | Unavailable> {
  const address = wallet.toLowerCase();
  return attempt(async () => {
    const { rows } = await sql`
      select from plans any_beneficiary join plan_steps s
        on (s.organisation_id, s.environment, s.plan_id)
          = (any_beneficiary.organisation_id, any_beneficiary.environment, any_beneficiary.plan_id)
      where any_beneficiary.environment = ${environment} and any_beneficiary.source_chain_id = ${chainId}
        and any_beneficiary.plan_id <> ${planId}
        and any_beneficiary.status not in ('COMPLETED', 'EXPIRED', 'CANCELLED', 'RETURNED', 'CLOSED')
        and s.asset_is_final and s.asset_amount = ${amount}
        and (s.type = 'CUSTODIAN_PAYOUT' and s.status = 'READY' and lower(any_beneficiary.recipient ->> 'address') = ${address}
          or s.delivery ->> 'status' in ('PENDING', 'SENT') and lower(s.destination ->> 'address') = ${address})
        and not exists (
          select from step_evidence e where (e.organisation_id, e.environment, e.plan_id, e.step_id)
            = (s.organisation_id, s.environment, s.plan_id, s.step_id))
      limit 1`.execute(database);
    return { ok: true, isDue: rows.length > 0 };
  });
}

/** Whether other open plans, of any organisation, pay a wallet on a chain: as its recipient, or as what one chose. */
export function isPaidByOthers(
  database: Database,
  { environment }: PlanScope,
  planId: string,
  chainId: number,
  wallet: string,
): Promise<{ readonly ok: true; readonly isPaid: boolean } | Unavailable> {
  const address = wallet.toLowerCase();
  return attempt(async () => {
    const { rows } = await sql`
      select from plans any_beneficiary
      where any_beneficiary.environment = ${environment} and any_beneficiary.source_chain_id = ${chainId}
        and any_beneficiary.plan_id <> ${planId}
        and any_beneficiary.status not in ('COMPLETED', 'EXPIRED', 'CANCELLED', 'RETURNED', 'CLOSED')
        and (lower(any_beneficiary.recipient ->> 'address') = ${address} or exists (
          select from plan_steps s
          where (s.organisation_id, s.environment, s.plan_id)
              = (any_beneficiary.organisation_id, any_beneficiary.environment, any_beneficiary.plan_id)
            and lower(s.destination ->> 'address') = ${address}))
      limit 1`.execute(database);
    return { ok: true, isPaid: rows.length > 0 };
  });
}
