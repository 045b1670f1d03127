import {
  createTurns,
  type IdentifiedUnit,
  identifyUnits,
  type KnownUnits,
  type StatementHead,
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

/** How many statements of an account may be known for the days of a file, so that comparing them stays quick. */
export const MOST_KNOWN = 10_000;

/** Is thrown where more statements of an account are known. */
export class TooManyKnownError extends Error {}

/** The keyed hash of an account. */
export function accountTag(parts: StatementParts, scope: PlanScope, account: string): Buffer {
  return tagOf(parts, scope, `account ${account}`);
}

function tagOf({ fingerprints }: StatementParts, { organisationId }: PlanScope, text: string): Buffer {
  return fingerprints.fingerprint('request', organisationId, `statements ${text}`);
}

/** A statement of an account that is kept. */
type KeptHead = StatementHead & { readonly statementId: string; readonly position: number };

/**
 * The lines of a file, one after the other. An entry of a statement that is apart from a section is never the same
 * entry as a line of that section.
 */
export async function* identifiedLines(
  transaction: Database,
  parts: StatementParts,
  scope: PlanScope,
  sections: readonly StatementSection[],
): AsyncGenerator<Line> {
  const turns = createTurns();
  /** Where each known statement is among all of them. */
  const placeOf = new Map<string, number>();
  /** For each section, where the statements of its account begin among the known ones, and whether it is apart from each. */
  const apart = new Map<number, { readonly first: number; areApart(at: number): boolean }>();
  const accounts = Map.groupBy(sections.keys(), (section) => {
    const { account, currency } = sections[section] ?? { account: '', currency: '' };
    return JSON.stringify([account, currency]);
  });
  for (const places of accounts.values()) {
    const own = places.flatMap((section) => sections[section] ?? []);
    const heads = await headsNear(transaction, parts, scope, own);
    if (heads.length === 0) continue;
    const unitsOf = (wanted: readonly number[]) => keptUnits(transaction, scope, heads, wanted);
    const areApart = await statementsApart(own, heads, unitsOf, turns);
    const first = placeOf.size;
    for (const [index, section] of places.entries())
      apart.set(section, { first, areApart: (at) => areApart(index, at) });
    for (const head of heads) placeOf.set(keyOf(head), placeOf.size);
  }
  const tag = (text: string) => tagOf(parts, scope, text);
  const units = identifyUnits(
    sections,
    {
      areApart(section, at) {
        const own = apart.get(section);
        return own?.areApart(at - own.first) === true;
      },
      holdersOf: (identities) => holdersOf(transaction, scope, placeOf, identities.map(tag)),
    },
    turns,
  );
  for await (const { section, unit, identity } of units) yield { section, unit, identity: tag(identity) };
}

type HeadRow = {
  statement_id: string;
  position: number;
  number: string | null;
  opening: string;
  opening_on: string;
  closing: string;
  closing_on: string;
};

/** The statements of an account that are kept and have days of its sections in a file. */
async function headsNear(
  transaction: Database,
  parts: StatementParts,
  scope: PlanScope,
  sections: readonly StatementSection[],
): Promise<readonly KeptHead[]> {
  const { organisationId, environment } = scope;
  const [first] = sections;
  const opened = sections.flatMap(({ opening, closing }) => (closing && opening?.on) ?? []).toSorted();
  const closed = sections.flatMap(({ opening, closing }) => (opening && closing?.on) ?? []).toSorted();
  const [from, to] = [opened.at(0), closed.at(-1)];
  if (first === undefined || from === undefined || to === undefined) return [];
  const { rows } = await sql<HeadRow>`
    select c.statement_id, c.position, c.number, c.opening::text, c.opening_on::text, c.closing::text, c.closing_on::text
    from statement_sections c
    where c.organisation_id = ${organisationId} and c.environment = ${environment}
      and c.account_tag = ${accountTag(parts, scope, first.account)} and c.currency = ${first.currency}
      and c.closing_on >= ${from} and c.opening_on <= ${to} and ${isCurrent('c')}
    order by c.statement_id, c.position limit ${MOST_KNOWN + 1}`.execute(transaction);
  if (rows.length > MOST_KNOWN) throw new TooManyKnownError();
  return rows.map(
    ({ statement_id: statementId, position, number, opening, opening_on, closing, closing_on }) => ({
      ...{ statementId, position },
      ...(number === null ? {} : { number }),
      opening: { minor: BigInt(opening), on: opening_on },
      closing: { minor: BigInt(closing), on: closing_on },
    }),
  );
}

/** How many statements are read at once, how many lines of each, and how many of a long one. */
const [STATEMENTS_AT_ONCE, LINES_OF_EACH, LINES_AT_ONCE] = [20, 100, 2_000];

/** The units of kept statements, one statement after the other. */
async function* keptUnits(
  transaction: Database,
  scope: PlanScope,
  heads: readonly KeptHead[],
  wanted: readonly number[],
): AsyncGenerator<KnownUnits> {
  for (let index = 0; index < wanted.length; index += STATEMENTS_AT_ONCE) {
    const places = wanted.slice(index, index + STATEMENTS_AT_ONCE);
    const some = places.flatMap((at) => heads[at] ?? []);
    const first = await keptLines(transaction, scope, some, { after: -1, limit: LINES_OF_EACH });
    const byHead = Map.groupBy(first, keyOf);
    for (const at of places) {
      const head = heads[at];
      if (head === undefined) continue;
      let lines: readonly KeptLine[] = byHead.get(keyOf(head)) ?? [];
      for (let limit = LINES_OF_EACH; ; limit = LINES_AT_ONCE) {
        yield { at, units: lines.map(({ amount }) => unitOf(amount)) };
        if (lines.length < limit) break;
        const after = lines.at(-1)?.line ?? 0;
        lines = await keptLines(transaction, scope, [head], { after, limit: LINES_AT_ONCE });
      }
    }
  }
}

type KeptLine = Pick<KeptHead, 'statementId' | 'position'> & {
  readonly line: number;
  readonly amount: string;
};

/** What names a statement among those of all files. */
function keyOf({ statementId, position }: Pick<KeptHead, 'statementId' | 'position'>): string {
  return `${statementId} ${position}`;
}

/** The lines of some statements behind a place in their files, so many of each. */
async function keptLines(
  transaction: Database,
  { organisationId, environment }: PlanScope,
  heads: readonly KeptHead[],
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<readonly KeptLine[]> {
  const ids = heads.map(({ statementId }) => statementId);
  const positions = heads.map(({ position }) => position);
  const { rows } = await sql<{ statement_id: string; section: number; position: number; amount: string }>`
    select wanted.statement_id, wanted.section, l.position, l.amount
    from unnest(${ids}::text[], ${positions}::integer[]) as wanted (statement_id, section)
    cross join lateral (
      select n.position, case when e.direction = 'OUT' then '-' else '' end || e.amount::text as amount
      from statement_lines n
      join statement_entries e on e.organisation_id = ${organisationId} and e.environment = ${environment}
        and e.entry_id = n.entry_id
      where n.organisation_id = ${organisationId} and n.environment = ${environment}
        and n.statement_id = wanted.statement_id and n.section = wanted.section and n.position > ${after}
      order by n.position limit ${limit}
    ) l
    order by wanted.statement_id, wanted.section, l.position`.execute(transaction);
  return rows.map(({ statement_id: statementId, section, position, amount }) => ({
    ...{ statementId, position: section, line: position, amount },
  }));
}

/** How many identities are looked up at once. */
const LOOKED_UP_AT_ONCE = 500;

/** Which of the known statements have each of some identities. */
async function holdersOf(
  transaction: Database,
  { organisationId, environment }: PlanScope,
  placeOf: ReadonlyMap<string, number>,
  identities: readonly Buffer[],
): Promise<readonly (readonly number[])[]> {
  if (placeOf.size === 0) return [];
  const found = new Map<string, readonly number[]>();
  for (let index = 0; index < identities.length; index += LOOKED_UP_AT_ONCE) {
    const { rows } = await sql<{ identity: string; holders: readonly string[] }>`
      select encode(e.identity, 'hex') as identity, json_agg(l.statement_id || ' ' || l.section) as holders
      from statement_entries e
      join statement_lines l on (l.organisation_id, l.environment, l.entry_id)
        = (e.organisation_id, e.environment, e.entry_id)
      where e.organisation_id = ${organisationId} and e.environment = ${environment}
        and e.identity = any(${identities.slice(index, index + LOOKED_UP_AT_ONCE)})
      group by e.identity`.execute(transaction);
    for (const { identity, holders } of rows)
      found.set(
        identity,
        holders.flatMap((each) => placeOf.get(each) ?? []),
      );
  }
  return identities.map((identity) => found.get(identity.toString('hex')) ?? []);
}

function unitOf(amount: string): KnownUnits['units'][number] {
  return amount.startsWith('-')
    ? { direction: 'OUT', minor: BigInt(amount.slice(1)) }
    : { direction: 'IN', minor: BigInt(amount) };
}
