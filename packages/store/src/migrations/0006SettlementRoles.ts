import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * A transfer counts once in each role, because a payout of one plan may be the deposit of another. Without roles, a
 * plan that watched a recipient's wallet for deposits claimed the payouts to it.
 */
export const settlementRoles: Migration = {
  async up(database: Kysely<unknown>) {
    await roles.execute(database);
  },
};

const roles = sql`
  alter table settlements add column role text;
  update settlements set role = case step.type
      when 'AWAIT_DEPOSIT' then 'DEPOSIT' when 'EXECUTE_SWAP' then 'SWAP' else 'PAYOUT' end
    from plan_steps step
    where (step.organisation_id, step.environment, step.plan_id, step.step_id)
      = (settlements.organisation_id, settlements.environment, settlements.plan_id, settlements.step_id);
  alter table settlements
    alter column role set not null,
    add constraint settlements_role check (role in ('DEPOSIT', 'SWAP', 'PAYOUT')),
    drop constraint settlements_pkey,
    add primary key (environment, chain_id, tx_hash, log_index, role)`;
