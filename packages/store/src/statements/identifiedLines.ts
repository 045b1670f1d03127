import {
  type IdentifiedUnit,
  identifyUnits,
  type PlacedStatement,
  type StatementSection,
  statementsApart,
} from '@fairway/statements';
import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { PlanScope } from '../plans/planScope.ts';
import type { StatementParts } from './statement.ts';
import { isCurrent } from './statementRows.ts';

/** A line of a file. `section`: its position in the file. `identity`: a keyed hash of what makes it one entry in every file. */
export type Line = Pick<IdentifiedUnit, 'section' | 'unit'> & { readonly identity: Buffer };

/** The keyed hash of an account. */
export function accountTag(parts: StatementParts, scope: PlanScope, account: string): Buffer {
  return tagOf(parts, scope, `account ${account}`);
}

function tagOf({ fingerprints }: StatementParts, { organisationId }: PlanScope, text: string): Buffer {
  return fingerprints.fingerprint('request', organisationId, `statements ${text}`);
}

/** The lines of a file, one after the other: what statements have that are apart from a section is not the same entry. */
export async function identifiedLines(
  transaction: Database,
  parts: StatementParts,
  scope: PlanScope,
  sections: readonly StatementSection[],
): Promise<IteratorObject<Line>> {
  const taken: ReadonlySet<string>[] = [];
  for (const section of sections)
    taken.push(await identitiesApart(transaction, parts, scope, section, sections));
  const tag = (text: string) => tagOf(parts, scope, text);
  const isTaken = (section: number, identity: string) =>
    (taken[section]?.size ?? 0) > 0 && taken[section]?.has(tag(identity).toString('hex')) === true;
  return identifyUnits(sections, isTaken).map(({ section, unit, identity }) => ({
    ...{ section, unit },
    identity: tag(identity),
  }));
}

/** A statement of an account that is kept. */
type NearStatement = PlacedStatement & { readonly statementId: string; readonly position: number };

type Row = {
  statement_id: string;
  position: number;
  number: string | null;
  opening: string;
  opening_on: string;
  closing: string;
  closing_on: string;
  amounts: string[];
};

/** The identities of the entries that kept statements have which share none with a section. `inFile`: all sections of its file. */
async function identitiesApart(
  transaction: Database,
  parts: StatementParts,
  scope: PlanScope,
  section: StatementSection,
  inFile: readonly StatementSection[],
): Promise<ReadonlySet<string>> {
  const { organisationId, environment } = scope;
  const { account, currency, opening, closing, units } = section;
  if (opening === undefined || closing === undefined) return new Set();
  const { rows } = await sql<Row>`
    select c.statement_id, c.position, c.number, c.opening::text, c.opening_on::text, c.closing::text, c.closing_on::text,
      array(select case when e.direction = 'OUT' then '-' else '' end || e.amount::text
        from statement_lines l
        join statement_entries e on (e.organisation_id, e.environment, e.entry_id)
          = (l.organisation_id, l.environment, l.entry_id)
        where l.organisation_id = c.organisation_id and l.environment = c.environment
          and l.statement_id = c.statement_id and l.section = c.position
        order by l.position) as amounts
    from statement_sections c
    where c.organisation_id = ${organisationId} and c.environment = ${environment}
      and c.account_tag = ${accountTag(parts, scope, account)} and c.currency = ${currency}
      and c.closing_on >= ${opening.on} and c.opening_on <= ${closing.on} and ${isCurrent('c')}`.execute(
    transaction,
  );
  if (rows.length === 0) return new Set();
  const near = inFile.filter((each) => each.account === account && each.currency === currency);
  const apart = statementsApart(section, rows.map(nearOf), near);
  if (apart.length === 0) return new Set();
  const days = [...new Set(units.map(({ bookedOn }) => bookedOn))];
  const { rows: entries } = await sql<{ identity: string }>`
    select encode(e.identity, 'hex') as identity
    from unnest(${apart.map(({ statementId }) => statementId)}::text[], ${apart.map(({ position }) => position)}::integer[])
      as apart (statement_id, section)
    join statement_lines l on l.organisation_id = ${organisationId} and l.environment = ${environment}
      and l.statement_id = apart.statement_id and l.section = apart.section
    join statement_entries e on (e.organisation_id, e.environment, e.entry_id)
      = (l.organisation_id, l.environment, l.entry_id)
    where e.booked_on = any(${days}::date[])`.execute(transaction);
  return new Set(entries.map(({ identity }) => identity));
}

function nearOf(row: Row): NearStatement {
  return {
    ...{ statementId: row.statement_id, position: row.position },
    ...(row.number === null ? {} : { number: row.number }),
    opening: { minor: BigInt(row.opening), on: row.opening_on },
    closing: { minor: BigInt(row.closing), on: row.closing_on },
    units: row.amounts.map((amount) => ({
      direction: amount.startsWith('-') ? 'OUT' : 'IN',
      minor: BigInt(amount.replace('-', '')),
    })),
  };
}
