import { evidenceOf, type Plan } from '@fairway/plan';
import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { payoutRows } from '../plans/planRows.ts';
import type { PlanScope } from '../plans/planScope.ts';
import { recordset } from '../plans/recordset.ts';
import { type ClaimedTransfer, TransferClaimedError } from './transferClaimed.ts';

/**
 * Throws TransferClaimedError when a new payout of a plan rests on a transfer that pays something else: another plan of
 * the same organisation, whether verified or only reported, or what another organisation has claimed.
 *
 * The row of the organisation is locked meanwhile. Two plans could otherwise report the same transfer at the same time,
 * and neither would see the other's report.
 */
export async function guardPayout(
  transaction: Database,
  scope: PlanScope,
  before: Plan,
  after: Plan,
): Promise<void> {
  const known = new Set(payoutRows(scope, before).map((row) => JSON.stringify(row)));
  const proposed = payoutRows(scope, after).filter((row) => !known.has(JSON.stringify(row)));
  if (proposed.length === 0) return;
  const blocks = after.steps.flatMap((step) => evidenceOf(step)?.blockNumber ?? []);
  const { organisationId, environment } = scope;
  await sql`select from organisations where id = ${organisationId} for no key update`.execute(transaction);
  const { rows } = await sql<ClaimedTransfer>`
    select proposed.tx_hash as "txHash", proposed.log_index as "logIndex"
    from ${recordset('settlements', proposed)} as proposed
    where exists (
        select from settlements any_claim
        where (any_claim.environment, any_claim.chain_id, any_claim.tx_hash, any_claim.log_index)
            = (proposed.environment, proposed.chain_id, proposed.tx_hash, proposed.log_index)
          and (any_claim.organisation_id, any_claim.plan_id, any_claim.step_id)
            <> (proposed.organisation_id, proposed.plan_id, proposed.step_id)
          and (any_claim.role = proposed.role
            or (any_claim.organisation_id, any_claim.plan_id) = (proposed.organisation_id, proposed.plan_id))
      ) or exists (
        select from step_evidence e join plan_steps s
          on (s.organisation_id, s.environment, s.plan_id, s.step_id)
            = (e.organisation_id, e.environment, e.plan_id, e.step_id)
        where e.organisation_id = ${organisationId} and e.environment = ${environment}
          and e.chain_id = proposed.chain_id and e.block_number = any(${blocks})
          and e.tx_hash = proposed.tx_hash and e.plan_id <> proposed.plan_id
          and s.type in ('CUSTODIAN_PAYOUT', 'SEND_DIGITAL_COLLECT')
          and e.transfers @> jsonb_build_array(jsonb_build_object('logIndex', proposed.log_index))
      )
    order by 1, 2`.execute(transaction);
  if (rows.length > 0) throw new TransferClaimedError(rows);
}
