import type { Hash } from '@fairway/plan';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { isMaybeRefund, type Owners, type SentToWallet } from './pendingRefunds.ts';
import { OVER_LIST } from '../plans/addressHolder.ts';
import type { PlanScope } from '../plans/planScope.ts';

/**
 * Whether a transfer from the custodian to a wallet may be something else than the payout of this plan. It may be a
 * refund. Or it may be the payout of another plan that is due exactly this amount since that block or an earlier one.
 */
export async function isMaybeOfOthers(
  database: Database,
  scope: PlanScope,
  planId: string,
  sent: SentToWallet,
  owners: Owners,
): Promise<{ readonly isMaybe: boolean }> {
  const isOwned = sql`(${owners === 'ANY'} or any_beneficiary.organisation_id <> ${scope.organisationId})`;
  const isMaybe =
    (await isMaybePayout(database, scope, planId, sent, isOwned)) ||
    (await isMaybeRefund(database, scope, planId, sent, owners));
  return { isMaybe };
}

/** A transaction that a report names, and since when a plan knows of it. */
export type ToldTransaction = { readonly txHash: Hash; readonly toldAtMs: number };

/**
 * Whether another plan, of any organisation, was told a transfer to a wallet before this plan and still waits for it. It is due
 * exactly this amount, so the transfer settles that plan.
 */
export async function isToldBefore(
  database: Database,
  scope: PlanScope,
  planId: string,
  sent: SentToWallet,
  { txHash, toldAtMs }: ToldTransaction,
): Promise<{ readonly isTold: boolean }> {
  const isTold = sql`exists (
        select from jsonb_to_recordset(s.payout -> 'submissions')
          as told ("txHash" text, "submittedAtMs" int8, fate text)
        where told."txHash" = ${txHash} and told.fate is null
          and (told."submittedAtMs", s.plan_id) < (${toldAtMs}::int8, ${planId}))`;
  return { isTold: await isMaybePayout(database, scope, planId, sent, isTold) };
}

/** Whether another plan that satisfies a condition is due exactly this amount, since that block or an earlier one. */
async function isMaybePayout(
  database: Database,
  { environment }: PlanScope,
  planId: string,
  { chainId, wallet, amount, blockNumber }: SentToWallet,
  condition: RawBuilder<unknown>,
): Promise<boolean> {
  // A swap that is being confirmed counts, too: the custodian may have paid without waiting for that.
  const { rows } = await sql`
    select from ${paying({ environment, planId, chainId, wallet })} and s.amount_left = ${amount}
      and (s.status <> 'PENDING' or ${hasSwap(sql`e.status <> 'LOST'`)})
      and not ${hasSwap(sql`e.block_number > ${blockNumber}`)}
      and ${condition}
    limit 1`.execute(database);
  return rows.length > 0;
}

/** Whether the swap of the plan of a step rests on a transaction that satisfies a condition. */
function hasSwap(condition: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`exists (
        select from step_evidence e join plan_steps swap
          on (swap.organisation_id, swap.environment, swap.plan_id, swap.step_id)
            = (e.organisation_id, e.environment, e.plan_id, e.step_id)
        where (e.organisation_id, e.environment, e.plan_id) = (s.organisation_id, s.environment, s.plan_id)
          and swap.type = 'EXECUTE_SWAP' and ${condition})`;
}

/**
 * Whether other plans, of any organisation, have money due at a wallet, or a swap of theirs is being confirmed. The
 * custodian may have paid without waiting for the confirmations. A plan that may only later come to that delays
 * nobody.
 */
export async function isPaidByOthers(
  database: Database,
  { environment }: PlanScope,
  planId: string,
  chainId: number,
  wallet: string,
): Promise<{ readonly isPaid: boolean }> {
  const { rows } = await sql`
      select from ${paying({ environment, planId, chainId, wallet })}
        and (s.status <> 'PENDING' and (s.type <> 'CUSTODIAN_PAYOUT' or s.status = 'READY')
          or ${hasSwap(sql`e.status <> 'LOST'`)}) limit 1`.execute(database);
  return { isPaid: rows.length > 0 };
}

type Asked = {
  readonly environment: string;
  readonly planId: string;
  readonly chainId: number;
  readonly wallet: string;
};

/** The steps of other plans by which a wallet is or will be paid, and that rest on no transaction. */
function paying({ environment, planId, chainId, wallet }: Asked): RawBuilder<unknown> {
  const address = wallet.toLowerCase();
  return sql`plans any_beneficiary join plan_steps s
        on (s.organisation_id, s.environment, s.plan_id)
          = (any_beneficiary.organisation_id, any_beneficiary.environment, any_beneficiary.plan_id)
      where any_beneficiary.environment = ${environment} and any_beneficiary.source_chain_id = ${chainId}
        and any_beneficiary.plan_id <> ${planId}
        and any_beneficiary.status not in ${OVER_LIST}
        and (s.type = 'CUSTODIAN_PAYOUT' and s.status in ('PENDING', 'READY')
            and lower(any_beneficiary.recipient ->> 'address') = ${address}
          or s.delivery ->> 'status' in ('PENDING', 'SENT') and lower(s.destination ->> 'address') = ${address})
        and not exists (
          select from step_evidence e where (e.organisation_id, e.environment, e.plan_id, e.step_id)
            = (s.organisation_id, s.environment, s.plan_id, s.step_id))`;
}
