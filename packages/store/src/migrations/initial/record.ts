import { type RawBuilder, sql } from 'kysely';

// One row for each chain. `holder` and `epoch` name the process that reads the chain; only it writes the record.
// `watched_xmin`: watched addresses of transactions before it were taken into account by what was read.
// `reread_from`: from which block the chain is read again after a restore.
const records = sql`
  create table chain_records (
    environment text collate "C" not null check (environment in ('sandbox', 'production')),
    chain_id bigint not null,
    holder text,
    epoch bigint not null default 0,
    lease_until timestamptz not null default '-infinity',
    read_number bigint,
    read_hash text collate "C",
    read_time timestamptz,
    target_number bigint,
    must_reach bigint,
    verified_number bigint,
    reread_from bigint,
    watched_xmin xid8,
    state text not null default 'CATCHING_UP' check (state in ('CATCHING_UP', 'AT_HEAD')),
    primary key (environment, chain_id),
    check ((read_number is null) = (read_hash is null))
  )`;

// Every block with a recorded transfer, and others at intervals: a reorganisation of any depth is found by them.
const blocks = sql`
  create table chain_blocks (
    environment text collate "C" not null,
    chain_id bigint not null,
    number bigint not null,
    hash text collate "C" not null,
    block_time timestamptz not null,
    primary key (environment, chain_id, number)
  )`;

// A transfer of a block that a reorganisation removed stays, no longer canonical. `log_index` counts through the block or,
// on some chains, through the transaction. `tag`: whose instructions the transaction executed, where it paid a settlement address. `untraced`: it went through a contract, and no node traces it.
const transfers = sql`
  create table chain_transfers (
    environment text collate "C" not null,
    chain_id bigint not null,
    block_hash text collate "C" not null,
    log_index integer not null,
    block_number bigint not null,
    block_time timestamptz not null,
    tx_hash text collate "C" not null,
    token text collate "C" not null,
    from_address text collate "C" not null,
    to_address text collate "C" not null,
    amount numeric(78,0) not null check (amount > 0),
    tag bytea check (length(tag) = 16),
    untraced boolean not null default false,
    canonical boolean not null,
    recorded_at timestamptz not null default clock_timestamp(),
    primary key (environment, chain_id, block_hash, tx_hash, log_index)
  );
  create index chain_transfers_to on chain_transfers (environment, chain_id, to_address, block_number);
  create index chain_transfers_token on chain_transfers (environment, chain_id, to_address, token);
  create index chain_transfers_tx on chain_transfers (environment, chain_id, tx_hash);
  create index chain_transfers_tag on chain_transfers (environment, chain_id, tag) where tag is not null;
  create index chain_transfers_block on chain_transfers (environment, chain_id, block_number)`;

// Transfers to settlement addresses of canonical blocks whose transactions are still to be read. Only then is it
// known whose swaps they were. Then they move to chain_transfers or are dropped.
const unread = sql`
  create table chain_unread (
    environment text collate "C" not null,
    chain_id bigint not null,
    block_hash text collate "C" not null,
    tx_hash text collate "C" not null,
    log_index integer not null,
    block_number bigint not null,
    block_time timestamptz not null,
    token text collate "C" not null,
    from_address text collate "C" not null,
    to_address text collate "C" not null,
    amount numeric(78,0) not null check (amount > 0),
    primary key (environment, chain_id, block_hash, tx_hash, log_index)
  );
  create index chain_unread_block on chain_unread (environment, chain_id, block_number);
  create index chain_unread_amount on chain_unread (environment, chain_id, to_address, token, amount desc, block_number)`;

// The least that instructions of any plan have to bring to a settlement address: a transaction that brings much less
// executed none.
const leastSwaps = sql`
  create table least_swaps (
    environment text collate "C" not null,
    chain_id bigint not null,
    settlement_address text collate "C" not null,
    token text collate "C" not null,
    least numeric(78,0) not null,
    primary key (environment, chain_id, settlement_address, token)
  )`;

// `until` is null while the plan lives. `added_xid` tells the reader of the chain which rows it has not seen, in
// whatever order transactions are committed.
const watched = sql`
  create table watched_addresses (
    environment text collate "C" not null,
    chain_id bigint not null,
    address text collate "C" not null check (address = lower(address)),
    organisation_id text collate "C" not null,
    plan_id text collate "C" not null,
    purpose text not null check (purpose in ('DEPOSIT', 'BENEFICIARY')),
    source_token text collate "C" not null,
    target_token text collate "C" not null,
    settlement_address text collate "C" not null,
    from_block bigint not null,
    until timestamptz,
    added_xid xid8 not null default pg_current_xact_id(),
    primary key (environment, chain_id, address, organisation_id, plan_id, purpose),
    foreign key (organisation_id, environment, plan_id) references plans
  );
  create index watched_addresses_added on watched_addresses (environment, chain_id, added_xid);
  create index watched_addresses_plan on watched_addresses (organisation_id, environment, plan_id)`;

// A plan that is to be looked at when its chain has been read up to a block. When the block is 0, it is looked at as
// soon as the record is at the head. `tries`: how often its work was put off before, so that it is tried at ever
// greater intervals.
const waits = sql`
  create table chain_waits (
    environment text collate "C" not null,
    chain_id bigint not null,
    organisation_id text collate "C" not null,
    plan_id text collate "C" not null,
    due_block bigint not null check (due_block >= 0),
    tries integer not null default 0,
    primary key (environment, chain_id, organisation_id, plan_id),
    foreign key (organisation_id, environment, plan_id) references plans
  );
  create index chain_waits_due on chain_waits (environment, chain_id, due_block);
  create index chain_waits_plan on chain_waits (organisation_id, environment, plan_id)`;

// A transaction that a plan rests on, and that the reader of the chain has no other reason to record. The reader
// records the transfers of these logs, if any. The row stays: it says whom a reorganisation of its block concerns.
const requests = sql`
  create table chain_requests (
    environment text collate "C" not null,
    chain_id bigint not null,
    tx_hash text collate "C" not null check (tx_hash = lower(tx_hash)),
    organisation_id text collate "C" not null,
    plan_id text collate "C" not null,
    block_hash text collate "C" not null check (block_hash = lower(block_hash)),
    block_number bigint not null,
    log_indexes integer[] not null,
    served boolean not null default false,
    primary key (environment, chain_id, tx_hash, organisation_id, plan_id),
    foreign key (organisation_id, environment, plan_id) references plans
  );
  create index chain_requests_open on chain_requests (environment, chain_id, block_number) where not served;
  create index chain_requests_served on chain_requests (environment, chain_id, block_number) where served`;

/**
 * The record of each chain: how far it was read, and every transfer that concerns a plan. The first tables hold
 * public facts of a chain and belong to no organisation. The table `watched_addresses` tells which plan a transfer
 * concerns. Hashes and addresses are in lower case.
 */
export const record: RawBuilder<unknown> = sql.join(
  [records, blocks, transfers, unread, leastSwaps, watched, waits, requests],
  sql`;`,
);
