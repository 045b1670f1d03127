import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { lockTables } from './lockTables.ts';

/**
 * The ledger: every movement of money, the references that settle payouts, and claims that can be lost. Columns of
 * tables that 0.1.0 writes can be null, because it writes null into columns that it does not know. An operator may have
 * added columns and built indexes of `plans` before (docs/operating.md).
 */
export const ledger: Migration = {
  async up(database: Kysely<unknown>) {
    for (const statement of [locks, plans, steps, claims, movements, references])
      await statement.execute(database);
  },
};

const locks = lockTables(['plans', 'plan_steps', 'step_attempts', 'settlements'], 'access exclusive');

// `revision`: of the event that added the movement. `reverses`: the number of the movement that this one takes back.
const movements = sql`
  create table movements (
    organisation_id text collate "C" not null,
    environment text collate "C" not null,
    plan_id text collate "C" not null,
    seq integer not null check (seq >= 1),
    revision integer not null,
    kind text not null,
    side text not null check (side in ('SOURCE', 'TARGET')),
    direction text not null check (direction in ('IN', 'OUT')),
    step_id text collate "C",
    attempt smallint,
    asset_chain_id bigint,
    asset_address text,
    asset_currency text,
    expected numeric(78,0),
    actual numeric(78,0) not null check (actual > 0),
    paid jsonb,
    fee jsonb,
    rate text,
    chain_id bigint,
    tx_hash text collate "C",
    log_index integer,
    block_number bigint,
    block_hash text collate "C",
    block_time timestamptz,
    from_address text,
    to_address text,
    provider_reference text,
    end_to_end_id text,
    occurred_at timestamptz,
    recorded_at timestamptz not null,
    verification text not null,
    reason text,
    note text,
    reverses integer check (reverses < seq),
    primary key (organisation_id, environment, plan_id, seq),
    constraint movements_reversed_once unique (organisation_id, environment, plan_id, reverses),
    constraint movements_asset check ((asset_currency is null) = (asset_address is not null)),
    foreign key (organisation_id, environment, plan_id) references plans
  );
  create index movements_tx on movements (environment, chain_id, tx_hash) where tx_hash is not null`;

// What settles one payout of an organisation, once: ref:<the provider's reference> or tx:<chain>:<hash>:<log index>.
const references = sql`
  create table payout_references (
    organisation_id text collate "C" not null,
    environment text collate "C" not null,
    reference text collate "C" not null,
    plan_id text collate "C" not null,
    movement_seq integer not null,
    primary key (organisation_id, environment, reference),
    foreign key (organisation_id, environment, plan_id) references plans
  )`;

// `ledger_revision`: the revision that the ledger knows. A process of 0.1.0 does not raise it. `holds_address`: whether
// no other plan may have the deposit address; null: while the plan is open.
const plans = sql`
  alter table plans
    add column if not exists ledger_revision integer,
    add column if not exists holds_address boolean,
    add column closed jsonb,
    add column seen jsonb,
    drop constraint plans_ended_check,
    add constraint plans_ended_check check (ended in ('EXPIRED', 'CANCELLED', 'CLOSED')) not valid;
  create index if not exists plans_ledger_behind on plans (organisation_id, environment, plan_id)
    where ledger_revision is distinct from revision;
  create unique index if not exists plans_deposit_address_new on plans (environment, source_chain_id, deposit_address)
    where coalesce(holds_address, status not in ('COMPLETED', 'EXPIRED', 'CANCELLED', 'RETURNED', 'CLOSED'));
  drop index plans_deposit_address;
  alter index plans_deposit_address_new rename to plans_deposit_address`;

const steps = sql`
  alter table plan_steps add column payout jsonb;
  alter table step_attempts add column submissions jsonb`;

// `lost_at`: since when a reorganisation has taken the transfer back.
const claims = sql`
  alter table settlements
    add column to_address text,
    add column token text,
    add column amount numeric(78,0),
    add column lost_at timestamptz,
    drop constraint settlements_role,
    add constraint settlements_role check (role in ('DEPOSIT', 'SWAP', 'PAYOUT', 'REFUND')) not valid`;
