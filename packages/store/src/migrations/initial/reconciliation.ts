import { type RawBuilder, sql } from 'kysely';

// A process that matches holds the row of the book, so that no movement is given to two entries.
const books = sql`
  create table reconciliation_books (
    organisation_id text collate "C" not null references organisations,
    environment text collate "C" not null,
    primary key (organisation_id, environment)
  );
  create table statement_maps (
    organisation_id text collate "C" not null references organisations,
    environment text collate "C" not null,
    name text collate "C" not null,
    definition jsonb not null,
    made_by text not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    primary key (organisation_id, environment, name)
  )`;

// The bytes of a CSV file are another import when the column map has another content: `map_digest`, which is null for
// camt.053. The new import replaces the former one: `replaced_by`.
const imports = sql`
  create table statements (
    organisation_id text collate "C" not null references organisations,
    environment text collate "C" not null,
    statement_id text collate "C" not null,
    sha256 bytea not null,
    format text not null,
    map_name text,
    map_digest bytea,
    line_count integer not null,
    replaced_by text collate "C",
    made_by text not null,
    created_at timestamptz not null,
    primary key (organisation_id, environment, statement_id)
  );
  create unique index statements_read on statements (organisation_id, environment, sha256, map_digest)
    nulls not distinct;
  create table statement_sections (
    organisation_id text collate "C" not null,
    environment text collate "C" not null,
    statement_id text collate "C" not null,
    position integer not null,
    account_tag bytea not null,
    account_masked text not null,
    currency text not null,
    number text,
    opening numeric(20,0),
    opening_on date,
    closing numeric(20,0),
    closing_on date,
    primary key (organisation_id, environment, statement_id, position),
    foreign key (organisation_id, environment, statement_id) references statements
  );
  create index statement_sections_of_account on statement_sections
    (organisation_id, environment, account_tag, currency, closing_on)`;

// Thousands of entries are written and read in one transaction, before PostgreSQL has counted any. It then expects
// one row from every index that begins with an organisation. So it would go through all rows for each entry.
// Therefore these indexes begin with the columns that are looked for. `statement_entries_proposed` finds the entries
// that may be a movement. It is read for each row of a report, so it must have no list of pending additions.
const entries = sql`
  create table statement_entries (
    organisation_id text collate "C" not null references organisations,
    environment text collate "C" not null,
    entry_id text collate "C" not null,
    identity bytea not null,
    direction text not null check (direction in ('IN', 'OUT')),
    currency text not null,
    amount numeric(20,0) not null check (amount > 0),
    booked_on date not null,
    value_on date not null,
    is_reversal boolean not null,
    is_rest boolean not null,
    servicer_reference text,
    end_to_end_id text,
    "references" jsonb not null,
    reference_forms jsonb not null,
    word_tags jsonb not null,
    has_more_words boolean not null,
    code text,
    masked jsonb not null,
    status text not null check (status in ('OPEN', 'TENTATIVE', 'PARTLY_MATCHED', 'MATCHED', 'IGNORED')),
    proposals jsonb not null,
    ignored_reason text,
    is_decided boolean not null,
    updated_at timestamptz not null,
    key_id text,
    sealed bytea,
    check ((key_id is null) = (sealed is null)),
    primary key (entry_id, organisation_id, environment),
    constraint statement_entries_identity unique (identity, organisation_id, environment)
  );
  create index statement_entries_by_key on statement_entries (key_id);
  create index statement_entries_own_references on statement_entries using gin (reference_forms)
    where not is_decided and not is_rest and status in ('OPEN', 'TENTATIVE', 'MATCHED');
  create index statement_entries_own_words on statement_entries using gin (word_tags)
    where not is_decided and not is_rest and status in ('OPEN', 'TENTATIVE', 'MATCHED');
  create index statement_entries_own_amount on statement_entries
    (amount, currency, value_on, organisation_id, environment)
    where not is_decided and not is_rest and status in ('OPEN', 'TENTATIVE', 'MATCHED');
  create index statement_entries_proposed on statement_entries using gin (proposals jsonb_path_ops)
    with (fastupdate = off) where status = 'TENTATIVE'`;

const lines = sql`
  create table statement_lines (
    organisation_id text collate "C" not null,
    environment text collate "C" not null,
    statement_id text collate "C" not null,
    position integer not null,
    section integer not null,
    entry_id text collate "C" not null,
    primary key (organisation_id, environment, statement_id, position),
    foreign key (organisation_id, environment, statement_id, section) references statement_sections,
    foreign key (entry_id, organisation_id, environment) references statement_entries
  );
  create index statement_lines_of_section on statement_lines
    (statement_id, section, position, organisation_id, environment);
  create index statement_lines_of_entry on statement_lines (entry_id, organisation_id, environment)`;

const allocations = sql`
  create table entry_allocations (
    organisation_id text collate "C" not null,
    environment text collate "C" not null,
    entry_id text collate "C" not null,
    plan_id text collate "C" not null,
    movement_seq integer not null,
    amount numeric(20,0) not null check (amount > 0),
    matched_by text not null,
    made_by text not null,
    made_at timestamptz not null,
    primary key (entry_id, plan_id, movement_seq, organisation_id, environment),
    foreign key (entry_id, organisation_id, environment) references statement_entries,
    foreign key (organisation_id, environment, plan_id, movement_seq) references movements
  );
  create index entry_allocations_of_movement on entry_allocations
    (plan_id, movement_seq, organisation_id, environment)`;

/**
 * Statements of accounts, their entries, and which movements entries are matched with. An entry is one row, however
 * many statements have it (`statement_lines`). Its identity and the tag of an account are keyed hashes. Name and account
 * of its other side are sealed, with a mask beside them; `sealed` is null once they were erased. `is_decided`: a person
 * has decided about the entry, and nothing is matched by itself any more. `word_tags`: keyed hashes of the words of the
 * text that may be references of payments which are told later. `has_more_words`: others are not kept. Amounts are minor
 * units.
 */
export const reconciliation: RawBuilder<unknown> = sql.join(
  [books, imports, entries, lines, allocations],
  sql`;`,
);
