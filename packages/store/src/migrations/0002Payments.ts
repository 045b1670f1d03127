import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Payment plans with everything they consist of, what happened to them, the sealed details of their recipients, and
 * the workers that do what plans leave to the service. Ids compare by their bytes, so that they sort by age.
 */
export const payments: Migration = {
  async up(database: Kysely<unknown>) {
    for (const statement of [
      plans,
      steps,
      attempts,
      evidence,
      settlements,
      returns,
      events,
      recipients,
      workers,
    ])
      await statement.execute(database);
  },
};

// `status` is derived by planStatus. It is stored for searches and for the index of deposit addresses in use.
const plans = sql`
  create table plans (
    organisation_id text collate "C" not null references organisations (id),
    environment text collate "C" not null check (environment in ('sandbox', 'production')),
    plan_id text collate "C" not null,
    client_reference text not null,
    body_fingerprint bytea not null,
    corridor_id text not null,
    source_chain_id bigint not null,
    corridor jsonb not null,
    mode text not null check (mode in ('STANDARD', 'DIGITAL_COLLECT')),
    amount_in numeric(78,0) not null check (amount_in >= 0),
    recipient jsonb not null,
    deposit_address text check (deposit_address = lower(deposit_address)),
    options jsonb not null,
    metadata jsonb not null,
    end_to_end_id text not null constraint plans_end_to_end_id unique check (length(end_to_end_id) <= 35),
    revision integer not null check (revision >= 1),
    status text not null,
    ended text check (ended in ('EXPIRED', 'CANCELLED')),
    created_at timestamptz not null,
    updated_at timestamptz not null,
    life_ms bigint not null,
    expires_at timestamptz not null,
    watch_from_block bigint not null,
    primary key (organisation_id, environment, plan_id),
    constraint plans_client_reference unique (organisation_id, environment, client_reference)
  );
  create unique index plans_deposit_address on plans (environment, source_chain_id, deposit_address)
    where status not in ('COMPLETED', 'EXPIRED', 'CANCELLED', 'RETURNED');
  create index plans_by_status on plans (organisation_id, environment, status, plan_id);
  create index plans_watched_after_end on plans (environment, source_chain_id, updated_at)
    where status in ('EXPIRED', 'CANCELLED') and deposit_address is not null`;

const steps = sql`
  create table plan_steps (
    organisation_id text collate "C" not null,
    environment text collate "C" not null,
    plan_id text collate "C" not null,
    step_id text collate "C" not null,
    position smallint not null,
    type text not null,
    status text not null check (status in ('PENDING', 'READY', 'DONE', 'FAILED')),
    verification text,
    failure jsonb,
    expected numeric(78,0) check (expected >= 0),
    received numeric(78,0) check (received >= 0),
    confirmed numeric(78,0) check (confirmed >= 0),
    outcome text,
    transfers jsonb,
    withheld jsonb,
    asset_amount numeric(78,0) check (asset_amount >= 0),
    asset_is_final boolean,
    ready_at timestamptz,
    provider_reference text,
    occurred_at timestamptz,
    paid_amount numeric(78,0) check (paid_amount >= 0),
    link_expires_at timestamptz,
    primary key (organisation_id, environment, plan_id, step_id),
    unique (organisation_id, environment, plan_id, position),
    foreign key (organisation_id, environment, plan_id) references plans
  )`;

const attempts = sql`
  create table step_attempts (
    organisation_id text collate "C" not null,
    environment text collate "C" not null,
    plan_id text collate "C" not null,
    step_id text collate "C" not null,
    position smallint not null,
    outcome text,
    derived_at timestamptz,
    not_after timestamptz,
    instructions jsonb,
    quote jsonb,
    amount_out numeric(78,0) check (amount_out >= 0),
    min_amount_out numeric(78,0) check (min_amount_out >= 0),
    tx_hash text,
    failed_at timestamptz,
    failure jsonb,
    provider_reference text,
    primary key (organisation_id, environment, plan_id, step_id, position),
    foreign key (organisation_id, environment, plan_id, step_id) references plan_steps
  );
  create index step_attempts_lost on step_attempts (environment) where outcome = 'LOST'`;

const evidence = sql`
  create table step_evidence (
    organisation_id text collate "C" not null,
    environment text collate "C" not null,
    plan_id text collate "C" not null,
    step_id text collate "C" not null,
    chain_id bigint not null,
    tx_hash text not null check (tx_hash = lower(tx_hash)),
    block_number bigint not null,
    block_hash text not null,
    sender text not null,
    nonce bigint not null,
    transfers jsonb not null,
    amount numeric(78,0) not null check (amount >= 0),
    status text not null check (status in ('CONFIRMING', 'FINAL', 'LOST')),
    primary key (organisation_id, environment, plan_id, step_id),
    foreign key (organisation_id, environment, plan_id, step_id) references plan_steps
  );
  create index step_evidence_by_block on step_evidence (environment, chain_id, block_number);
  create index step_evidence_confirming on step_evidence (environment, chain_id) where status = 'CONFIRMING'`;

// The key begins with the chain and not with the organisation: a transfer is claimed once over all organisations.
const settlements = sql`
  create table settlements (
    environment text collate "C" not null,
    chain_id bigint not null,
    tx_hash text collate "C" not null check (tx_hash = lower(tx_hash)),
    log_index integer not null,
    organisation_id text collate "C" not null,
    plan_id text collate "C" not null,
    step_id text collate "C" not null,
    primary key (environment, chain_id, tx_hash, log_index),
    foreign key (organisation_id, environment, plan_id, step_id) references plan_steps
  )`;

const returns = sql`
  create table plan_returns (
    organisation_id text collate "C" not null,
    environment text collate "C" not null,
    plan_id text collate "C" not null,
    position smallint not null,
    step_id text collate "C" not null,
    recorded_at timestamptz not null,
    occurred_at timestamptz,
    provider_reference text,
    amount numeric(78,0) check (amount >= 0),
    failure jsonb,
    primary key (organisation_id, environment, plan_id, position),
    foreign key (organisation_id, environment, plan_id, step_id) references plan_steps
  )`;

const events = sql`
  create table plan_events (
    organisation_id text collate "C" not null,
    environment text collate "C" not null,
    plan_id text collate "C" not null,
    revision integer not null,
    at timestamptz not null,
    actor text not null,
    event jsonb not null,
    primary key (organisation_id, environment, plan_id, revision),
    foreign key (organisation_id, environment, plan_id) references plans
  )`;

const recipients = sql`
  create table recipients (
    organisation_id text collate "C" not null,
    environment text collate "C" not null,
    plan_id text collate "C" not null,
    key_id text not null,
    sealed bytea not null,
    primary key (organisation_id, environment, plan_id),
    foreign key (organisation_id, environment, plan_id) references plans
  )`;

const workers = sql`
  create table workers (
    id text collate "C" primary key,
    seen_at timestamptz not null
  )`;
