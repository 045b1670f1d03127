import { type RawBuilder, sql } from 'kysely';

// What reports read is written with the movement, so that they look at no other one. `corridor_id`: of the plan.
// `is_entry`: whether it is an entry of the account that the custodian pays from; `entry_minor`: its amount in minor
// units of the currency. Null: nobody told. `revision`: of the event that added the movement. `reverses`: the number of the movement that this one takes back.
// The row of what an execution spent has the gas of its transaction: `gas_units`, and `gas_cost` in wei.
// `market_amount` is what its route would have brought by the block before. Null: it is not known. `booked_at`: since
// when reports have the movement. It is the time when the movement was recorded. If a report covered that time before
// the movement was committed, it is the end of that report. Null: no report has looked yet.
const movements = sql`
  create table movements (
    organisation_id text collate "C" not null,
    environment text collate "C" not null,
    plan_id text collate "C" not null,
    seq integer not null check (seq >= 1),
    revision integer not null,
    corridor_id text not null,
    is_entry boolean not null,
    entry_minor numeric,
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
    estimated_rate text,
    gas_units numeric(78,0),
    gas_cost numeric(78,0),
    market_amount numeric(78,0),
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
    booked_at timestamptz,
    verification text not null,
    reason text,
    note text,
    reverses integer check (reverses < seq),
    primary key (organisation_id, environment, plan_id, seq),
    constraint movements_reversed_once unique (organisation_id, environment, plan_id, reverses),
    constraint movements_asset check ((asset_currency is null) = (asset_address is not null)),
    foreign key (organisation_id, environment, plan_id) references plans
  )`;

// A payment from the custodian to the account that a deposit came from may be a refund: `movements_payer` finds it.
// Entries of which nobody told the amount are few: `movements_unknown`. Payments, and those that came back, are what bank statements can show: `movements_paid_…`.
const movementIndexes = sql`
  create index movements_tx on movements (environment, chain_id, tx_hash) where tx_hash is not null;
  create index movements_payer on movements (environment, chain_id, from_address) where kind = 'DEPOSIT';
  create index movements_unbooked on movements (organisation_id, environment, recorded_at) where booked_at is null;
  create index movements_booked on movements (organisation_id, environment, booked_at, plan_id, seq)
    where booked_at is not null;
  create index movements_of_corridor on movements
    (organisation_id, environment, corridor_id, booked_at, plan_id, seq) where booked_at is not null;
  create index movements_unknown on movements (organisation_id, environment, corridor_id, plan_id, seq)
    where is_entry and entry_minor is null and reverses is null;
  create index movements_paid_end_to_end on movements (organisation_id, environment, (end_to_end_id collate "C"))
    where kind in ('PAYOUT', 'RETURN') and end_to_end_id is not null;
  create index movements_paid_reference on movements
    (organisation_id, environment, (reference_form(provider_reference) collate "C"))
    where kind in ('PAYOUT', 'RETURN') and provider_reference is not null;
  create index movements_paid_at on movements
    (organisation_id, environment, (coalesce(occurred_at, block_time, recorded_at)))
    where kind in ('PAYOUT', 'RETURN')`;

// The key begins with the chain and not with the organisation. A transfer is claimed once over all organisations, in
// each role, because a payout of one plan may be the deposit of another. `lost_at`: since when a reorganisation has
// taken the transfer back.
const settlements = sql`
  create table settlements (
    environment text collate "C" not null,
    chain_id bigint not null,
    tx_hash text collate "C" not null check (tx_hash = lower(tx_hash)),
    log_index integer not null,
    role text not null constraint settlements_role check (role in ('DEPOSIT', 'SWAP', 'PAYOUT', 'REFUND')),
    organisation_id text collate "C" not null,
    plan_id text collate "C" not null,
    step_id text collate "C" not null,
    to_address text,
    token text,
    amount numeric(78,0),
    lost_at timestamptz,
    primary key (environment, chain_id, tx_hash, log_index, role),
    foreign key (organisation_id, environment, plan_id, step_id) references plan_steps
  )`;

// What settles one payout of an organisation, once: ref:<the provider's reference, without blanks and letter case> or tx:<chain>:<hash>:<log index>.
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

/** The ledger: every movement of money, the transfers that plans claim, and the references that settle payouts. */
export const ledger: RawBuilder<unknown> = sql.join(
  [movements, movementIndexes, settlements, references],
  sql`;`,
);
