import { REFERENCE_SIGNS } from '@fairway/statements';
import { type RawBuilder, sql } from 'kysely';

// Banks change the letter case, accents, spaces and signs of references. The form is that of `referenceForm`.
const forms = sql`
  create function reference_form(reference text) returns text language sql immutable strict parallel safe as $$
    select upper(regexp_replace(normalize(reference, NFD), ${sql.lit(REFERENCE_SIGNS)}, '', 'g') collate "C") collate "C"
  $$`;

// `status` and `is_unfunded` are derived from the plan and stored for searches. `holds_address`: whether no other plan may have the deposit address;
// null: while the plan is open. `address_lost_from`: another organisation has proven that the deposit address is its own from this
// block on. `approval`: who made a payment that a second person has to approve, and who has; null where it needs no approval.
const plan = sql`
  create table plans (
    organisation_id text collate "C" not null references organisations,
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
    holds_address boolean,
    address_lost_from bigint,
    options jsonb not null,
    metadata jsonb not null,
    approval jsonb,
    end_to_end_id text not null check (length(end_to_end_id) <= 35),
    revision integer not null check (revision >= 1),
    status text not null,
    is_unfunded boolean not null,
    ended jsonb,
    closed jsonb,
    seen jsonb,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    life_ms bigint not null,
    expires_at timestamptz not null,
    watch_from_block bigint not null,
    has_older_money boolean,
    primary key (organisation_id, environment, plan_id),
    constraint plans_client_reference unique (organisation_id, environment, client_reference)
  );
  create unique index plans_deposit_address on plans (environment, source_chain_id, deposit_address)
    where coalesce(holds_address, status not in ('COMPLETED', 'RETURNED', 'ENDED'))`;

// Lists read the indexes in their order, by the filters that lists have. `plans_by_tag` finds a plan by the first six bytes of the
// tags of its attempts, also of attempts that a restored database has lost. Operators' counts are read from `plans_open` alone.
const planIndexes = sql`
  create index plans_by_status on plans (organisation_id, environment, status, plan_id);
  create index plans_by_status_mode on plans (organisation_id, environment, status, mode, plan_id);
  create index plans_by_corridor on plans (organisation_id, environment, corridor_id, status, mode, plan_id);
  create index plans_by_update on plans (organisation_id, environment, updated_at, plan_id);
  create index plans_by_address on plans (environment, source_chain_id, deposit_address, plan_id)
    where deposit_address is not null;
  create index plans_by_registered_recipient
    on plans (organisation_id, environment, (recipient -> 'registeredAs' ->> 'recipientId'), plan_id)
    where recipient -> 'registeredAs' is not null;
  create index plans_completed_by_registered_version on plans
    (organisation_id, environment, (recipient -> 'registeredAs' ->> 'recipientId'), (recipient -> 'registeredAs' ->> 'version'))
    where recipient -> 'registeredAs' is not null and status = 'COMPLETED';
  create index plans_by_wallet on plans
    (organisation_id, environment, substr(recipient ->> 'address', 1, 6), right(recipient ->> 'address', 4))
    where recipient ->> 'address' is not null;
  create index plans_by_tag on plans (environment, substr(sha256(('fairway plan ' || plan_id)::bytea), 1, 6));
  create index plans_by_reference on plans
    (organisation_id, environment, (reference_form(client_reference) collate "C"));
  create index plans_by_end_to_end on plans (organisation_id, environment, (end_to_end_id collate "C"));
  create index plans_to_approve on plans (organisation_id, environment, plan_id)
    where approval is not null and approval -> 'approved' is null and ended is null;
  create index plans_open on plans (environment, status, plan_id) where status not in ('COMPLETED', 'ENDED');
  create index plans_unfunded on plans (organisation_id, environment, expires_at) where is_unfunded`;

// `hold`: that the custodian holds the payment of a step back, why, and what it needs; null where it does not. `payers_own`: of a
// deposit, the transactions that are said not to be money which the custodian sent on. `lost`: of a deposit, what a reorganisation
// took back and may be mined again; `lost_refunds`: of the refunds. `amount_left`: how much the last step
// has to pay, by which other plans are compared with it; the ledger says the same.
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
    hold jsonb,
    expected numeric(78,0) check (expected >= 0),
    final_block bigint,
    is_late boolean,
    payers_own jsonb,
    lost jsonb,
    lost_refunds jsonb,
    withheld jsonb,
    final_others jsonb,
    amount_left numeric(78,0) check (amount_left >= 0),
    ready_at timestamptz,
    provider_reference text,
    occurred_at timestamptz,
    payout jsonb,
    link jsonb,
    destination jsonb,
    submitted_at timestamptz,
    delivery jsonb,
    rounds jsonb,
    primary key (organisation_id, environment, plan_id, step_id),
    unique (organisation_id, environment, plan_id, position),
    foreign key (organisation_id, environment, plan_id) references plans
  );
  create index plan_steps_end_to_end on plan_steps
    (organisation_id, environment, ((payout ->> 'endToEndId') collate "C")) where payout is not null`;

// `payout`: the account that an attempt to pay went to, and the id that it had.
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
    submissions jsonb,
    tx_hash text,
    failed_at timestamptz,
    failure jsonb,
    provider_reference text,
    payout jsonb,
    primary key (organisation_id, environment, plan_id, step_id, position),
    foreign key (organisation_id, environment, plan_id, step_id) references plan_steps
  );
  create index step_attempts_tag on step_attempts
    (environment, right(instructions #>> '{-1,data}', 32)) where instructions is not null;
  create index step_attempts_end_to_end on step_attempts
    (organisation_id, environment, ((payout ->> 'endToEndId') collate "C")) where payout is not null;
  create index step_attempts_reference on step_attempts
    (organisation_id, environment, (reference_form(provider_reference) collate "C"))
    where provider_reference is not null`;

// `nodes_agreed` of `nodes_of` nodes said the same about the evidence.
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
    log_indexes jsonb not null,
    status text not null check (status in ('CONFIRMING', 'FINAL', 'LOST')),
    nodes_agreed smallint,
    nodes_of smallint,
    primary key (organisation_id, environment, plan_id, step_id),
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

// Reports ask for whom a plan paid at a revision: `plan_events_payees`. Statements of banks have the references of
// deliveries that failed, and the ids of payments that were asked for.
const events = sql`
  create table plan_events (
    organisation_id text collate "C" not null,
    environment text collate "C" not null,
    plan_id text collate "C" not null,
    revision integer not null,
    at timestamptz not null,
    actor text not null,
    command jsonb not null,
    changes jsonb not null,
    primary key (organisation_id, environment, plan_id, revision),
    foreign key (organisation_id, environment, plan_id) references plans
  );
  create index plan_events_payees on plan_events (organisation_id, environment, plan_id, revision)
    where command ->> 'type' in ('PLAN_CREATED', 'LINK_MADE', 'RECIPIENT_REPLACED', 'COLLECT_SUBMITTED');
  create index plan_events_told_reference on plan_events
    (organisation_id, environment, (reference_form(command ->> 'providerReference') collate "C"))
    where command ->> 'type' in ('PAYOUT_HELD', 'DELIVERY_REPORTED') and command ->> 'providerReference' is not null;
  create index plan_events_end_to_end on plan_events
    (organisation_id, environment, ((command ->> 'endToEndId') collate "C")) where command ->> 'endToEndId' is not null`;

/**
 * Payment plans with everything that they consist of, and what happened to them. Ids compare by their bytes, so that they sort by
 * age.
 */
export const plans: RawBuilder<unknown> = sql.join(
  [forms, plan, planIndexes, steps, attempts, evidence, returns, events],
  sql`;`,
);
