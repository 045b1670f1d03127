import type { TimeMs } from '@fairway/plan';

import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { PlanScope } from '../plans/planScope.ts';

/**
 * Books a part of the movements that were recorded before a time and that no report has had yet. Booking gives them the
 * time at which reports have them. Returns whether more movements may follow. When none follows, the time before `toMs`
 * is sealed. A movement that was recorded before it, but is committed later, is booked at the seal, which is in the
 * next period. So a period that is sealed never gets another row, whatever a slow process commits afterwards, and no
 * row is left out. Only the holder of the seal's row books.
 */
export async function bookMovements(
  database: Database,
  { organisationId, environment }: PlanScope,
  toMs: TimeMs,
  limit: number,
): Promise<{ readonly isSealed: boolean }> {
  const to = new Date(toMs).toISOString();
  return database.transaction().execute(async (transaction) => {
    await sql`insert into ledger_seals (organisation_id, environment, sealed_to)
        values (${organisationId}, ${environment}, '-infinity') on conflict do nothing`.execute(transaction);
    const { rows: held } = await sql<{ sealed_to: string; is_sealed: boolean }>`
        select sealed_to::text, sealed_to >= ${to}::timestamptz as is_sealed from ledger_seals
        where organisation_id = ${organisationId} and environment = ${environment} for update`.execute(
      transaction,
    );
    const [seal] = held;
    if (seal === undefined) throw new Error('The seal must be there once it was written.');
    // A movement that was recorded in a sealed time, but committed later, belongs to no sealed period.
    if (seal.is_sealed) return { isSealed: true };
    // A query of its own, so that it sees what was booked before the row was held. It finds rows by their place
    // in the table. By their key, the database would look among all rows of the organisation while it has no
    // statistics of them yet.
    const { rows } = await sql<{ booked_count: bigint }>`
        with unbooked as (
          select ctid as place, recorded_at from movements
          where organisation_id = ${organisationId} and environment = ${environment}
            and booked_at is null and recorded_at < ${to}::timestamptz
          order by recorded_at limit ${limit}
        ), booked as (
          update movements m set booked_at = greatest(unbooked.recorded_at, ${seal.sealed_to}::timestamptz)
          from unbooked
          where m.organisation_id = ${organisationId} and m.environment = ${environment}
            and m.ctid = unbooked.place
          returning m.seq
        )
        select count(*) as booked_count from booked`.execute(transaction);
    const isSealed = (rows[0]?.booked_count ?? 0n) < BigInt(limit);
    if (isSealed)
      await sql`update ledger_seals set sealed_to = ${to}::timestamptz
          where organisation_id = ${organisationId} and environment = ${environment}`.execute(transaction);
    return { isSealed };
  });
}
