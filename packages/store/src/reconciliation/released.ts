import { recordset } from '@fairway/postgres';
import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { PlanScope } from '../plans/planScope.ts';
import type { FoundEntry } from './entryRows.ts';
import type { FoundMovement } from './movements.ts';

/** A row of an allocation as it was. */
export type ReleasedRow = {
  readonly entry_id: string;
  readonly plan_id: string;
  readonly movement_seq: number;
  readonly amount: string;
};

/** Movements without what was released of them. */
export function withoutReleased(
  movements: readonly FoundMovement[],
  rows: readonly ReleasedRow[],
): readonly FoundMovement[] {
  const amounts = new Map<string, bigint>();
  for (const { plan_id, movement_seq, amount } of rows) {
    const key = `${plan_id} ${movement_seq}`;
    amounts.set(key, (amounts.get(key) ?? 0n) + BigInt(amount));
  }
  return movements.map((found) => {
    const amount = amounts.get(`${found.planId} ${found.movement.seq}`);
    return amount === undefined ? found : { ...found, taken: found.taken - amount };
  });
}

/**
 * Takes from entries what they were matched with by itself, so that they are matched again. Answers the rows, which are
 * written back where nothing changes.
 */
export async function releaseMatches(
  transaction: Database,
  { organisationId, environment }: PlanScope,
  entries: readonly FoundEntry[],
): Promise<readonly ReleasedRow[]> {
  const matched = entries.filter(({ kept }) => kept.status === 'MATCHED');
  if (matched.length === 0) return [];
  const { rows } = await sql<{ row: ReleasedRow }>`
    delete from entry_allocations a where a.organisation_id = ${organisationId} and a.environment = ${environment}
      and a.entry_id = any(${matched.map(({ kept }) => kept.entryId)})
    returning to_jsonb(a) || jsonb_build_object('amount', a.amount::text) as row`.execute(transaction);
  return rows.map(({ row }) => row);
}

/** How many allocations are written at once. */
const WRITTEN_AT_ONCE = 500;

/** Writes allocations. */
export async function writeAllocations(transaction: Database, rows: readonly object[]): Promise<void> {
  for (let index = 0; index < rows.length; index += WRITTEN_AT_ONCE)
    await sql`insert into entry_allocations
      select * from ${recordset('entry_allocations', rows.slice(index, index + WRITTEN_AT_ONCE))}`.execute(
      transaction,
    );
}
