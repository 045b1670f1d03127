import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { lockTables } from './lockTables.ts';

/**
 * Reports, and the order in which movements are reported. `booked_at`: since when reports have the movement: when it was recorded or,
 * where a report had told of that time before the movement was committed, the end of that report. Null: no report has looked yet.
 * So processes of earlier versions write movements like before. `ledger_seals`: up to when reports have told of an organisation.
 */
export const reports: Migration = {
  async up(database: Kysely<unknown>) {
    for (const statement of [lock, movements, seals, tokens, reportRows]) await statement.execute(database);
  },
};

const lock = lockTables(['movements'], 'access exclusive');

const movements = sql`
  alter table movements add column booked_at timestamptz;
  create index movements_unbooked on movements (organisation_id, environment, recorded_at) where booked_at is null;
  create index movements_booked on movements (organisation_id, environment, booked_at, plan_id, seq)
    where booked_at is not null`;

const seals = sql`
  create table ledger_seals (
    organisation_id text collate "C" not null references organisations,
    environment text collate "C" not null,
    sealed_to timestamptz not null,
    primary key (organisation_id, environment)
  )`;

// What tokens are called, once it was read on their chain: reports show it also when the chain is no longer served.
const tokens = sql`
  create table token_names (
    environment text collate "C" not null,
    chain_id int8 not null,
    address text collate "C" not null check (address = lower(address)),
    symbol text not null,
    decimals smallint not null check (decimals between 0 and 255),
    primary key (environment, chain_id, address)
  )`;

// `definition`: what was asked for. `result`: what the file is, once it is COMPLETE. `tries`: how often it was begun.
const reportRows = sql`
  create table reports (
    organisation_id text collate "C" not null references organisations,
    environment text collate "C" not null,
    report_id text collate "C" not null,
    type text not null,
    format text not null,
    period_from timestamptz not null,
    period_to timestamptz not null check (period_from < period_to),
    definition jsonb not null,
    status text not null check (status in ('PENDING', 'COMPLETE', 'FAILED')),
    result jsonb,
    failure jsonb,
    tries integer not null default 0,
    made_by text not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    primary key (organisation_id, environment, report_id),
    constraint reports_result check ((status = 'COMPLETE') = (result is not null)),
    constraint reports_failure check ((status = 'FAILED') = (failure is not null))
  );
  create index reports_pending on reports (organisation_id, environment) where status = 'PENDING'`;
