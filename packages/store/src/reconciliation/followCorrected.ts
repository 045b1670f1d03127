import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { CommandContext } from '../plans/commandContext.ts';
import type { PlanScope } from '../plans/planScope.ts';
import { loadEntries } from './entryRows.ts';
import type { KeptEntry, StatementChange } from './statement.ts';

/**
 * Lets entries follow payments and returns of some plans that were told once more, in a transaction that holds the
 * lock of reconciliation. A movement that is told with more than before is taken back and recorded anew. It is the
 * same money, and no other entry may be matched with it. Answers what is to be published.
 */
export async function followCorrected(
  transaction: Database,
  scope: PlanScope,
  planIds: readonly string[],
  { atMs }: CommandContext,
): Promise<readonly StatementChange[]> {
  const before = new Map<string, KeptEntry>();
  // What was told three times is followed in two steps.
  for (;;) {
    const moved = await moveAllocations(transaction, scope, planIds, before);
    if (moved === 0) break;
  }
  const entryIds = [...before.keys()];
  if (entryIds.length === 0) return [];
  await sql`update statement_entries e set updated_at = ${new Date(atMs).toISOString()}
    where e.organisation_id = ${scope.organisationId} and e.environment = ${scope.environment}
      and e.entry_id = any(${entryIds})`.execute(transaction);
  const after = await loadEntries(transaction, scope, sql`e.entry_id = any(${entryIds}) order by e.entry_id`);
  return after.map(({ kept }) => ({
    type: 'statement_entry.updated',
    before: before.get(kept.entryId),
    after: kept,
  }));
}

/**
 * Moves allocations from a movement that was taken back to the movement that records it again, and returns how many.
 * `before` gets their entries as they were.
 */
async function moveAllocations(
  transaction: Database,
  scope: PlanScope,
  planIds: readonly string[],
  before: Map<string, KeptEntry>,
): Promise<number> {
  const { organisationId, environment } = scope;
  const { rows } = await sql<{ entry_id: string; plan_id: string; first: number; again: number }>`
    select a.entry_id, a.plan_id, first.seq as first, again.seq as again
    from movements back
    join movements first on first.organisation_id = ${organisationId} and first.environment = ${environment}
      and first.plan_id = back.plan_id and first.seq = back.reverses
    join lateral (
      select n.seq, n.paid from movements n
      where n.organisation_id = ${organisationId} and n.environment = ${environment} and n.plan_id = back.plan_id
        and n.revision = back.revision and n.seq > back.seq and n.kind = back.kind and n.reverses is null
        and n.actual = first.actual and n.provider_reference is not distinct from first.provider_reference
      order by n.seq limit 1
    ) again on true
    join entry_allocations a on a.organisation_id = ${organisationId} and a.environment = ${environment}
      and a.plan_id = back.plan_id and a.movement_seq = back.reverses
    where back.organisation_id = ${organisationId} and back.environment = ${environment} and back.plan_id = any(${planIds})
      and back.kind in ('PAYOUT', 'RETURN') and (first.paid is null or again.paid = first.paid)
      and (again.paid is null or (again.paid ->> 'amount')::numeric >= (select sum(b.amount) from entry_allocations b
        where b.organisation_id = ${organisationId} and b.environment = ${environment} and b.plan_id = first.plan_id
          and b.movement_seq in (first.seq, again.seq)))`.execute(transaction);
  if (rows.length === 0) return 0;
  const entryIds = rows.map(({ entry_id }) => entry_id).filter((entryId) => !before.has(entryId));
  for (const { kept } of await loadEntries(transaction, scope, sql`e.entry_id = any(${entryIds})`))
    before.set(kept.entryId, kept);
  for (const { entry_id, plan_id, first, again } of rows)
    await sql`update entry_allocations a set movement_seq = ${again}
      where a.organisation_id = ${organisationId} and a.environment = ${environment} and a.entry_id = ${entry_id}
        and a.plan_id = ${plan_id} and a.movement_seq = ${first}`.execute(transaction);
  return rows.length;
}
