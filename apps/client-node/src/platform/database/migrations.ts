import { credentialsSchema } from '@fairway/credentials';
import { outboxSchema } from '@fairway/outbox';
import type { Migrations } from '@fairway/postgres';
import { type Kysely, sql } from 'kysely';
import { initial } from './initial.ts';
import { NODE_SCOPE } from './published.ts';

/**
 * What is wrong with a relayer beside `disabled`. `is_balance_low`: it has less than one more execution may cost.
 * `stuck_nonce`: the nonce that has waited for its block for too long.
 */
const relayerTroubles = sql`
  alter table relayers add column is_balance_low boolean not null default false, add column stuck_nonce int8`;

/** Messages and typed data that were signed. Each is here before its signature is answered. */
const signatures = sql`
  create table signatures (
    signed int8 generated always as identity primary key,
    relayer_id text collate "C" not null,
    kind text not null check (kind in ('MESSAGE', 'TYPED_DATA')),
    digest text not null check (digest ~ '^0x[0-9a-f]{64}$'),
    credential_id text not null,
    signed_at timestamptz not null default now()
  )`;

/** What an operator has set of the rules of gas on a chain, instead of what the configuration says. */
const gasRules = sql`
  create table gas_rules (
    chain_id int8 primary key,
    max_fee_per_gas_cap_wei numeric not null check (max_fee_per_gas_cap_wei > 0),
    bump_after_blocks int4 not null check (bump_after_blocks > 0),
    changed_by text not null,
    changed_at timestamptz not null default now()
  )`;

/** Top-ups are found by whom they fill up. */
const topUps = sql`
  create index instructions_without_data on instructions (relayer_id, to_address) where data = '0x'`;

/** Everything that the node keeps, with the credentials of its callers. */
export const MIGRATIONS: Migrations = {
  '0001-initial': {
    async up(database: Kysely<unknown>) {
      await initial.up(database);
      for (const part of [credentialsSchema, outboxSchema]) await part.execute(database);
    },
  },
  '0002-events': {
    async up(database: Kysely<unknown>) {
      await relayerTroubles.execute(database);
      await sql`insert into organisations (id, name, created_at)
        values (${NODE_SCOPE.organisationId}, 'Client Node', now())`.execute(database);
    },
  },
  '0003-signatures': {
    async up(database: Kysely<unknown>) {
      await signatures.execute(database);
    },
  },
  '0004-gas-rules': {
    async up(database: Kysely<unknown>) {
      await gasRules.execute(database);
    },
  },
  '0005-top-ups': {
    async up(database: Kysely<unknown>) {
      await topUps.execute(database);
    },
  },
};
