import { type RawBuilder, sql } from 'kysely';

// The names of tokens, once they were read on their chain. Reports show them also when the chain is no longer served.
const tokens = sql`
  create table token_names (
    environment text collate "C" not null,
    chain_id int8 not null,
    address text collate "C" not null check (address = lower(address)),
    symbol text not null,
    decimals smallint not null check (decimals between 0 and 255),
    primary key (environment, chain_id, address)
  )`;

// The time up to which the movements of an organisation are sealed for reports.
const seals = sql`
  create table ledger_seals (
    organisation_id text collate "C" not null references organisations,
    environment text collate "C" not null,
    sealed_to timestamptz not null,
    primary key (organisation_id, environment)
  )`;

// `definition`: what was asked for. `result`: what the file is, once it is COMPLETE. `tries`: how often it was begun.
const made = sql`
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

// What reconciliation said of the rows of a report when it was made. It is kept so that the file always matches its
// SHA-256. Each part of the rows is a list that begins at the row `first_row`; null says nothing of a row. `making`:
// how often the report had been begun.
const reconciliation = sql`
  create table report_reconciliation (
    organisation_id text collate "C" not null,
    environment text collate "C" not null,
    report_id text collate "C" not null,
    making integer not null,
    first_row integer not null,
    reconciled jsonb not null,
    primary key (organisation_id, environment, report_id, making, first_row),
    foreign key (organisation_id, environment, report_id) references reports
  )`;

/** Reports, and what they need to stay the same for ever. */
export const reports: RawBuilder<unknown> = sql.join([tokens, seals, made, reconciliation], sql`;`);
