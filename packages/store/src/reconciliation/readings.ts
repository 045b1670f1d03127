import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { PlanScope } from '../plans/planScope.ts';
import { loadEntries } from './entryRows.ts';
import type { KeptEntry, StatementChange } from './statement.ts';

/** The reason why an entry is ignored that is in no current reading of a file. */
export const READ_OTHERWISE = 'Its file was read again with another column map.';

/** The condition that `e`, an entry, is in a statement that was not replaced by another reading of its file. */
function isRead({ organisationId, environment }: PlanScope): RawBuilder<boolean> {
  return sql`exists (select from statement_lines l
    join statements s on s.organisation_id = ${organisationId} and s.environment = ${environment}
      and s.statement_id = l.statement_id
    where (l.entry_id, l.organisation_id, l.environment) = (e.entry_id, e.organisation_id, e.environment)
      and s.replaced_by is null)`;
}

/** Whether an entry is in no statement but those that were replaced by other readings of their files. */
export async function isReplaced(transaction: Database, scope: PlanScope, entryId: string): Promise<boolean> {
  const { organisationId, environment } = scope;
  const { rows } = await sql`select from statement_entries e
    where e.organisation_id = ${organisationId} and e.environment = ${environment} and e.entry_id = ${entryId}
      and ${isRead(scope)}`.execute(transaction);
  return rows.length === 0;
}

/**
 * Lets a statement replace the others of the same bytes, which were read with other maps. Entries that only the
 * others have are ignored now, unless a person has matched or ignored them. Entries that had been ignored for this
 * reason are open again if this statement has them.
 */
export async function takePlace(
  transaction: Database,
  scope: PlanScope,
  statementId: string,
  at: string,
): Promise<readonly StatementChange[]> {
  const { organisationId, environment } = scope;
  const own = sql`s.organisation_id = ${organisationId} and s.environment = ${environment}`;
  await sql`update statements s set replaced_by = case when s.statement_id = ${statementId} then null else ${statementId} end
    from statements n
    where ${own} and (n.organisation_id, n.environment, n.sha256) = (s.organisation_id, s.environment, s.sha256)
      and n.statement_id = ${statementId}
      and (s.statement_id = ${statementId}) = (s.replaced_by is not null)`.execute(transaction);
  const { rows: replaced } = await sql<{ entry_id: string }>`
    select distinct e.entry_id from statements r
    join statement_lines x on (x.organisation_id, x.environment, x.statement_id)
      = (r.organisation_id, r.environment, r.statement_id)
    join statement_entries e on (e.entry_id, e.organisation_id, e.environment)
      = (x.entry_id, x.organisation_id, x.environment)
    where r.organisation_id = ${organisationId} and r.environment = ${environment} and r.replaced_by = ${statementId}
      and (not e.is_decided or e.status = 'OPEN') and e.status <> 'IGNORED' and not ${isRead(scope)}`.execute(
    transaction,
  );
  const { rows: wanted } = await sql<{ entry_id: string }>`
    select distinct e.entry_id from statement_lines x
    join statement_entries e on (e.entry_id, e.organisation_id, e.environment)
      = (x.entry_id, x.organisation_id, x.environment)
    where x.organisation_id = ${organisationId} and x.environment = ${environment} and x.statement_id = ${statementId}
      and e.status = 'IGNORED' and (not e.is_decided or e.ignored_reason = ${READ_OTHERWISE})`.execute(
    transaction,
  );
  const idsOf = (rows: readonly { entry_id: string }[]) => rows.map((row) => row.entry_id);
  return [
    ...(await setStatus(transaction, scope, idsOf(replaced), 'IGNORED', at)),
    ...(await setStatus(transaction, scope, idsOf(wanted), 'OPEN', at)),
  ];
}

/** How many entries are read and written at once. */
const WRITTEN_AT_ONCE = 500;

async function setStatus(
  transaction: Database,
  scope: PlanScope,
  ids: readonly string[],
  status: 'IGNORED' | 'OPEN',
  at: string,
): Promise<readonly StatementChange[]> {
  const published: StatementChange[] = [];
  for (let index = 0; index < ids.length; index += WRITTEN_AT_ONCE)
    published.push(
      ...(await setSome(transaction, scope, ids.slice(index, index + WRITTEN_AT_ONCE), status, at)),
    );
  return published;
}

async function setSome(
  transaction: Database,
  scope: PlanScope,
  ids: readonly string[],
  status: 'IGNORED' | 'OPEN',
  at: string,
): Promise<readonly StatementChange[]> {
  const { organisationId, environment } = scope;
  const load = async (): Promise<readonly KeptEntry[]> =>
    (await loadEntries(transaction, scope, sql`e.entry_id = any(${ids}) order by e.entry_id`)).map(
      ({ kept }) => kept,
    );
  const before = await load();
  await sql`delete from entry_allocations a
    where a.organisation_id = ${organisationId} and a.environment = ${environment}
      and a.entry_id = any(${ids})`.execute(transaction);
  await sql`update statement_entries e set status = ${status}, proposals = '[]', updated_at = ${at},
      ignored_reason = ${status === 'IGNORED' ? READ_OTHERWISE : null}
    where e.organisation_id = ${organisationId} and e.environment = ${environment}
      and e.entry_id = any(${ids})`.execute(transaction);
  const type = status === 'IGNORED' ? 'statement_entry.ignored' : 'statement_entry.updated';
  return (await load()).map((after, index) => ({ type, before: before[index], after }));
}
