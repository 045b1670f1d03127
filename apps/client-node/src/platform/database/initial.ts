import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * A key on one chain. `next_nonce`: what the next instruction is bound to. From `whole_from` on, each nonce before it has
 * an instruction. `genesis_hash` pins the chain, because test networks begin anew under the same id.
 */
const relayers = sql`
  create table relayers (
    relayer_id text collate "C" primary key,
    chain_id int8 not null,
    address text collate "C" not null check (address ~ '^0x[0-9a-f]{40}$'),
    genesis_hash text not null,
    next_nonce int8 not null check (next_nonce >= 0),
    whole_from int8 not null,
    is_paused boolean not null default false,
    disabled text check (disabled in ('NONCES_UNKNOWN', 'DATABASE_OLDER', 'KEY_USED_ELSEWHERE', 'JOURNAL_MISSING')),
    created_at timestamptz not null default now(),
    unique (chain_id, address)
  )`;

/**
 * What a client asked for under a key. The same key is the same execution for ever. Key and fingerprint are null where
 * only the journal knows the execution: its database was lost. `plan`: what the service answered, and is executed.
 * `grounds`: what its calls are judged by. `attempt_id`, `step_id`: whose calls they are, where a payment plan gave them.
 */
const executions = sql`
  create table executions (
    execution_id text collate "C" primary key,
    key text collate "C" unique,
    body_fingerprint bytea,
    plan json,
    grounds jsonb,
    attempt_id text,
    step_id text,
    accepted int8 generated always as identity unique,
    accepted_at timestamptz not null default now()
  )`;

/**
 * The calls of an execution, in order. A nonce is given once and never changes, and no other instruction of the relayer
 * has it. That is what executing exactly once stands on, so the database itself refuses anything else.
 * `outcome`: how it ended; null while it is open. The columns from `included_hash` on say where the chain has it.
 */
const instructions = sql`
  create table instructions (
    relay_transaction_id text collate "C" primary key,
    execution_id text collate "C" not null references executions,
    index int4 not null check (index >= 0),
    relayer_id text collate "C" not null references relayers,
    to_address text collate "C" not null,
    data text not null,
    value_wei numeric not null check (value_wei >= 0),
    not_after timestamptz,
    is_cancel_asked boolean not null default false,
    refusal jsonb,
    gas_limit int8,
    nonce int8,
    included_hash text,
    included_block_number int8,
    included_block_hash text,
    included_succeeded boolean,
    outcome text check (outcome in
      ('CONFIRMED', 'REVERTED', 'CANCELLED', 'REPLACED', 'EXPIRED', 'WITHDRAWN', 'REJECTED')),
    outcome_detail jsonb,
    created int8 generated always as identity,
    unique (execution_id, index),
    unique (relayer_id, nonce),
    check ((nonce is null) = (gas_limit is null)),
    check ((included_hash is null) = (included_block_number is null)),
    check (nonce is not null or included_hash is null)
  );
  create index instructions_open on instructions (relayer_id, nonce, created) where outcome is null;
  create function refuse_another_nonce() returns trigger language plpgsql as $$
    begin
      raise exception 'the nonce of % never changes', old.relay_transaction_id;
    end $$;
  create trigger instructions_nonce before update of nonce, relayer_id on instructions for each row
    when (old.nonce is not null and
      (new.nonce is distinct from old.nonce or new.relayer_id is distinct from old.relayer_id))
    execute function refuse_another_nonce()`;

/** Signed transactions. Each is committed before a byte of it leaves. */
const attempts = sql`
  create table attempts (
    hash text collate "C" primary key,
    relay_transaction_id text collate "C" not null references instructions,
    signed int8 generated always as identity,
    raw text not null,
    purpose text not null check (purpose in ('EXECUTE', 'CANCEL')),
    max_fee_per_gas_wei numeric not null,
    max_priority_fee_per_gas_wei numeric not null,
    signed_at_block int8 not null,
    was_sent boolean not null default false
  );
  create index attempts_of_instruction on attempts (relay_transaction_id, signed)`;

/**
 * What executions take of what a policy limits. A row counts while its instruction is open, and then from the end of the
 * instruction. So executions that waited for long are not together more than a window allows. The row of an instruction that was not
 * executed goes.
 */
const spendings = sql`
  create table spendings (
    relay_transaction_id text collate "C" primary key references instructions,
    chain_id int8 not null,
    token text collate "C" not null,
    relayer text collate "C" not null,
    recipient text collate "C" not null,
    amount numeric not null check (amount >= 0),
    ended_at timestamptz
  );
  create index spendings_within on spendings (chain_id, token, ended_at);
  create function end_spending() returns trigger language plpgsql as $$
    begin
      if new.outcome = 'CONFIRMED' then
        update spendings set ended_at = clock_timestamp() where relay_transaction_id = new.relay_transaction_id;
      else
        delete from spendings where relay_transaction_id = new.relay_transaction_id;
      end if;
      return null;
    end $$;
  create trigger instructions_spending after update of outcome on instructions for each row
    when (old.outcome is null and new.outcome is not null) execute function end_spending()`;

/**
 * Payments that clients want executed, by their references. Nothing of the recipient is kept here: the service has it, and
 * compares the requests. The executions of a payment have its id and a number behind it. `is_reserved`: the amount is set
 * aside of the relayer's balance. `refusal`: why its calls are not signed now, or why it ended without a payment.
 */
const payments = sql`
  create table payments (
    payment_id text collate "C" primary key,
    client_reference text collate "C" not null unique,
    plan_id text collate "C" not null unique,
    relayer_id text collate "C" not null references relayers,
    corridor_id text not null,
    token_in text not null,
    amount_in numeric not null check (amount_in > 0),
    min_amount_out numeric,
    valid_until timestamptz,
    is_reserved boolean not null default false,
    refusal jsonb,
    ended text check (ended in ('PAID', 'NOT_PAID')),
    accepted int8 generated always as identity
  );
  create index payments_open on payments (accepted) where ended is null`;

/** Everything that the node keeps. */
export const initial: Migration = {
  async up(database: Kysely<unknown>) {
    for (const part of [relayers, executions, instructions, attempts, spendings, payments])
      await part.execute(database);
  },
};
