import { type MaskedRecipient, type MovementId, movementIdOf, type PlanId, type TimeMs } from '@fairway/plan';
import { defined } from '@fairway/values';
import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { PlanScope } from '../plans/planScope.ts';
import { isOfAccount, isOf, type PaidAccount, plansIn, type SumPart } from './accountEntries.ts';
import { payeesOf } from './payees.ts';
import { isInPart, placeOf, REPORT_ORDER } from './partOfPeriod.ts';
import type { ReportPlace } from './report.ts';

/**
 * An entry of an account as a statement has it. `minor`: in minor units of its currency. `endToEndId`: also of what a
 * reversal takes back. `payee`: where the recipient wanted the money when the movement was recorded.
 */
export type PeriodEntry = {
  readonly planId: PlanId;
  readonly clientReference: string;
  readonly bookedAtMs: TimeMs;
  readonly kind: 'PAYOUT' | 'RETURN';
  readonly movementId: MovementId;
  readonly reverses?: MovementId;
  readonly minor: bigint;
  readonly providerReference?: string;
  readonly endToEndId?: string;
  readonly occurredAtMs?: TimeMs;
  readonly payee?: MaskedRecipient;
  readonly failureCode?: string;
};

/** Entries in the order of reports; `next` is the `after` of the next part, undefined at the end. */
export type EntriesOfPeriod = {
  readonly entries: readonly PeriodEntry[];
  readonly next: ReportPlace | undefined;
};

type Row = {
  plan_id: PlanId;
  seq: number;
  revision: number;
  kind: PeriodEntry['kind'];
  reverses: number | null;
  client_reference: string;
  booked_at: Date;
  occurred_at: Date | null;
  minor: string;
  provider_reference: string | null;
  end_to_end_id: string | null;
  is_of_account: boolean;
};

/**
 * Reads a part of the entries of an account in a sealed time. Read again, a part is the same for ever.
 * It has fewer than `limit` where the corridor had another account, too.
 */
export async function entriesOfPeriod(
  database: Database,
  scope: PlanScope,
  account: PaidAccount,
  part: SumPart,
): Promise<EntriesOfPeriod> {
  const { rows } = await sql<Row>`
    with part as materialized (
      select m.* from movements m
      where ${isOf('m', scope)} and ${isInPart(part)} and m.corridor_id = ${account.corridorId}
        and m.is_entry and m.entry_minor is not null
      order by ${REPORT_ORDER} limit ${part.limit}
    )
    select m.plan_id, m.seq, m.revision, m.kind, m.reverses, p.client_reference, m.booked_at, m.occurred_at,
      m.entry_minor::text as minor, m.provider_reference,
      coalesce(m.end_to_end_id, (
        select o.end_to_end_id from movements o
        where ${isOf('o', scope)} and o.plan_id = m.plan_id and o.seq = m.reverses)) as end_to_end_id,
      ${isOfAccount(account)} as is_of_account
    from part m ${plansIn(scope)} order by ${REPORT_ORDER}`.execute(database);
  const payees = await payeesOf(database, scope, rows);
  const entries = rows.filter((row) => row.is_of_account).map((row) => entryOf(row, payees(row)));
  const last = rows.length < part.limit ? undefined : rows.at(-1);
  return { entries, next: last && placeOf(last) };
}

function entryOf(row: Row, { payee, failureCode }: Pick<PeriodEntry, 'payee' | 'failureCode'>): PeriodEntry {
  const { plan_id: planId, seq, kind, reverses } = row;
  return {
    planId,
    clientReference: row.client_reference,
    bookedAtMs: row.booked_at.getTime(),
    kind,
    movementId: movementIdOf(planId, seq),
    minor: BigInt(row.minor),
    ...defined({
      reverses: reverses === null ? undefined : movementIdOf(planId, reverses),
      providerReference: row.provider_reference ?? undefined,
      endToEndId: row.end_to_end_id ?? undefined,
      occurredAtMs: row.occurred_at?.getTime(),
      payee,
      failureCode,
    }),
  };
}
