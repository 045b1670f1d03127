import type { Balance } from '@fairway/statements';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { PlanScope } from '../plans/planScope.ts';
import type { KeptSection, KeptStatement } from './statement.ts';

type SectionRow = {
  account_masked: string;
  currency: string;
  number: string | null;
  opening: string | null;
  opening_on: string | null;
  closing: string | null;
  closing_on: string | null;
  preceding: { statement_id: string; closing: string; closing_on: string } | null;
};

type Row = {
  statement_id: string;
  sha256: Buffer;
  format: KeptStatement['format'];
  map_name: string | null;
  replaced_by: string | null;
  created_at: Date;
  sections: readonly SectionRow[];
  counts: readonly { status: string; entry_count: string }[] | null;
};

/** Loads statements. `condition` is about `s`, a row of them, and may end with an order and a limit. */
export async function loadStatements(
  database: Database,
  { organisationId, environment }: PlanScope,
  condition: RawBuilder<unknown>,
): Promise<readonly KeptStatement[]> {
  const { rows } = await sql<Row>`
    select s.statement_id, s.sha256, s.format, s.map_name, s.replaced_by, s.created_at,
      (select json_agg(x order by x.position) from (
        select c.position, c.account_masked, c.currency, c.number, c.opening::text, c.opening_on::text, c.closing::text,
          c.closing_on::text, (
            select jsonb_build_object('statement_id', b.statement_id, 'closing', b.closing::text, 'closing_on', b.closing_on::text)
            from statement_sections b
            where b.organisation_id = ${organisationId} and b.environment = ${environment}
              and b.account_tag = c.account_tag and b.currency = c.currency and b.closing_on < c.closing_on
              and ${isCurrent('b')}
            order by b.closing_on desc, b.statement_id desc, b.position desc limit 1
          ) as preceding
        from statement_sections c
        where c.organisation_id = ${organisationId} and c.environment = ${environment}
          and c.statement_id = s.statement_id
      ) x) as sections,
      (select json_agg(y) from (
        select e.status, count(*)::text as entry_count from statement_lines l
        join statement_entries e on (e.organisation_id, e.environment, e.entry_id)
          = (l.organisation_id, l.environment, l.entry_id)
        where l.organisation_id = ${organisationId} and l.environment = ${environment}
          and l.statement_id = s.statement_id
        group by e.status
      ) y) as counts
    from statements s
    where s.organisation_id = ${organisationId} and s.environment = ${environment} and ${condition}`.execute(
    database,
  );
  return rows.map(keptOf);
}

/** The condition that the statement of a section was not replaced by another reading of its file. `section`: the alias of its row. */
export function isCurrent(section: 'b' | 'c'): RawBuilder<unknown> {
  const of = (column: string) => sql.ref(`${section}.${column}`);
  return sql`not exists (select from statements r where r.replaced_by is not null
    and (r.organisation_id, r.environment, r.statement_id)
      = (${of('organisation_id')}, ${of('environment')}, ${of('statement_id')}))`;
}

/** The condition that `s` is this statement. */
export function isStatement(statementId: string): RawBuilder<unknown> {
  return sql`s.statement_id = ${statementId}`;
}

function keptOf(row: Row): KeptStatement {
  return {
    statementId: row.statement_id,
    sha256: row.sha256.toString('hex'),
    format: row.format,
    ...(row.map_name === null ? {} : { mapName: row.map_name }),
    ...(row.replaced_by === null ? {} : { replacedBy: row.replaced_by }),
    sections: row.sections.map(sectionOf),
    counts: Object.fromEntries(
      (row.counts ?? []).map(({ status, entry_count: entryCount }) => [status, Number(entryCount)]),
    ),
    createdAtMs: row.created_at.getTime(),
  };
}

function sectionOf(row: SectionRow): KeptSection {
  const opening = balanceOf(row.opening, row.opening_on);
  const closing = balanceOf(row.closing, row.closing_on);
  const before =
    row.preceding === null ? undefined : balanceOf(row.preceding.closing, row.preceding.closing_on);
  return {
    accountMasked: row.account_masked,
    currency: row.currency,
    ...(row.number === null ? {} : { number: row.number }),
    ...(opening === undefined ? {} : { opening }),
    ...(closing === undefined ? {} : { closing }),
    ...(row.preceding === null || before === undefined
      ? {}
      : { preceding: { statementId: row.preceding.statement_id, closing: before } }),
  };
}

function balanceOf(minor: string | null, on: string | null): Balance | undefined {
  return minor === null || on === null ? undefined : { minor: BigInt(minor), on };
}
