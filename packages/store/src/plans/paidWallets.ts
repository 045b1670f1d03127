import type { Amount } from '@fairway/plan';
import { attempt, type Unavailable } from '@fairway/postgres';
import { type RawBuilder, sql } from 'kysely';
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
  return attempt(async () => {
    const { rows } = await sql`
      select from ${dueTo({ environment, planId, chainId, wallet })} and s.asset_amount = ${amount} limit 1`.execute(
      database,
    );
    return { ok: true, isDue: rows.length > 0 };
  });
}

/** Whether money is due at a wallet to other plans, of any organisation. A plan that only may come to that keeps nobody waiting. */
export function isPaidByOthers(
  database: Database,
  { environment }: PlanScope,
  planId: string,
  chainId: number,
  wallet: string,
): Promise<{ readonly ok: true; readonly isPaid: boolean } | Unavailable> {
  return attempt(async () => {
    const { rows } = await sql`
      select from ${dueTo({ environment, planId, chainId, wallet })} limit 1`.execute(database);
    return { ok: true, isPaid: rows.length > 0 };
  });
}

type Asked = {
  readonly environment: string;
  readonly planId: string;
  readonly chainId: number;
  readonly wallet: string;
};

/** The steps of other plans by which a wallet is to be paid now, and that rest on no transaction. */
function dueTo({ environment, planId, chainId, wallet }: Asked): RawBuilder<unknown> {
  const address = wallet.toLowerCase();
  return sql`plans any_beneficiary join plan_steps s
        on (s.organisation_id, s.environment, s.plan_id)
          = (any_beneficiary.organisation_id, any_beneficiary.environment, any_beneficiary.plan_id)
      where any_beneficiary.environment = ${environment} and any_beneficiary.source_chain_id = ${chainId}
        and any_beneficiary.plan_id <> ${planId}
        and any_beneficiary.status not in ('COMPLETED', 'EXPIRED', 'CANCELLED', 'RETURNED', 'CLOSED')
        and s.asset_is_final
        and (s.type = 'CUSTODIAN_PAYOUT' and s.status = 'READY' and lower(any_beneficiary.recipient ->> 'address') = ${address}
          or s.delivery ->> 'status' in ('PENDING', 'SENT') and lower(s.destination ->> 'address') = ${address})
        and not exists (
          select from step_evidence e where (e.organisation_id, e.environment, e.plan_id, e.step_id)
            = (s.organisation_id, s.environment, s.plan_id, s.step_id))`;
}
