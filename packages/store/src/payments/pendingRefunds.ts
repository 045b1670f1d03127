import { type Address, type Amount, pendingRefundOf, unitsOf } from '@fairway/plan';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { loadPlan } from '../plans/loadPlans.ts';
import type { PlanScope } from '../plans/planScope.ts';

/** Money that the custodian has sent to a wallet, in one transfer of a block. */
export type SentToWallet = {
  readonly chainId: number;
  readonly wallet: string;
  readonly token: Address;
  readonly amount: Amount;
  readonly blockNumber: number;
};

/**
 * Whose plans are looked at. OTHER: of the other organisations; one's own organisation is trusted to tell its
 * payments apart.
 */
export type Owners = 'ANY' | 'OTHER';

/**
 * The most plans that are looked at among those that a wallet has paid: the hot wallet of an exchange pays thousands.
 */
const MOST_PAYERS = 50;

/**
 * Whether a transfer from the custodian to a wallet may be the refund of a plan whose deposit came from that wallet.
 * The plan may be of any organisation. `askingId`: the plan that is due to pay that wallet. A deposit that another
 * organisation only reports does not count: anybody may name an account.
 */
export async function isMaybeRefund(
  database: Database,
  scope: PlanScope,
  askingId: string,
  sent: SentToWallet,
  owners: Owners,
): Promise<boolean> {
  const { chainId, wallet, token, amount } = sent;
  const account = wallet.toLowerCase();
  const { rows } = await sql<{ organisation_id: string; plan_id: string }>`
    select any_payer.organisation_id, any_payer.plan_id from movements any_payer
    where any_payer.environment = ${scope.environment} and any_payer.chain_id = ${chainId}
      and any_payer.kind = 'DEPOSIT' and any_payer.from_address = ${account} and any_payer.verification = 'VERIFIED'
      and ${holds('any_payer', sent)}
    union
    select payer.organisation_id, payer.plan_id from movements payer
    where payer.organisation_id = ${scope.organisationId} and payer.environment = ${scope.environment}
      and payer.chain_id = ${chainId} and payer.kind = 'DEPOSIT' and payer.from_address = ${account}
      and ${holds('payer', sent)}
    limit ${MOST_PAYERS + 1}`.execute(database);
  if (rows.length > MOST_PAYERS) return true;
  for (const { organisation_id: organisationId, plan_id: planId } of rows) {
    if (owners === 'OTHER' && organisationId === scope.organisationId) continue;
    const plan = await loadPlan(database, { ...scope, organisationId }, planId);
    if (plan === undefined) continue;
    const isProven = plan.options.depositAddress !== undefined || organisationId === scope.organisationId;
    const asset = { chainId, address: token };
    const isAsking = planId === askingId;
    if (isProven && pendingRefundOf(plan, wallet, asset, isAsking) >= unitsOf(amount)) return true;
  }
  return false;
}

/**
 * Whether the plan of a movement has as much of the token left: the movements of one side of it add up to that. So few plans
 * have to be loaded.
 */
function holds(payer: 'any_payer' | 'payer', { chainId, token, amount }: SentToWallet): RawBuilder<unknown> {
  const of = (column: string) => sql.ref(`${payer}.${column}`);
  return sql`exists (
        select from movements m
        where (m.organisation_id, m.environment, m.plan_id)
            = (${of('organisation_id')}, ${of('environment')}, ${of('plan_id')})
          and m.asset_chain_id = ${chainId} and lower(m.asset_address) = ${token.toLowerCase()}
        group by m.side
        having sum(case m.direction when 'IN' then m.actual else -m.actual end) >= ${amount}::numeric)`;
}
