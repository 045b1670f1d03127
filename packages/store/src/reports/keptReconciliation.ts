import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { Row } from '../database/schema.ts';
import type { PlanScope } from '../plans/planScope.ts';
import type { Reconciled } from './report.ts';

/** Which rows of which making of a report. `firstRow`: how many rows are before them. */
export type ReconciledPlace = {
  readonly reportId: string;
  readonly making: number;
  readonly firstRow: number;
};

function partKey(
  { organisationId, environment }: PlanScope,
  { reportId, making, firstRow }: ReconciledPlace,
): Omit<Row<'report_reconciliation'>, 'reconciled'> {
  return {
    ...{ organisation_id: organisationId, environment },
    ...{ report_id: reportId, making, first_row: firstRow },
  };
}

/** Keeps what reconciliation said of a part of the rows of a report. A part of which it said nothing is not kept. */
export async function keepReconciled(
  database: Database,
  scope: PlanScope,
  place: ReconciledPlace,
  reconciled: readonly (Reconciled | null)[],
): Promise<void> {
  if (reconciled.some((each) => each !== null))
    await database
      .insertInto('report_reconciliation')
      .values({ ...partKey(scope, place), reconciled: JSON.stringify(reconciled) })
      .execute();
}

/** What reconciliation said of a part of the rows of a report, in their order; empty where it said nothing. */
export async function keptReconciled(
  database: Database,
  scope: PlanScope,
  place: ReconciledPlace,
): Promise<{ readonly reconciled: readonly (Reconciled | null)[] }> {
  const row = await database
    .selectFrom('report_reconciliation')
    .select('reconciled')
    .$narrowType<{ reconciled: readonly (Reconciled | null)[] }>()
    .where((eb) => eb.and(partKey(scope, place)))
    .executeTakeFirst();
  return { reconciled: row?.reconciled ?? [] };
}

/** Removes the rows that other makings of a report have kept: those that did not end, or ended second. */
export async function forgetOtherMakings(
  transaction: Database,
  { organisationId, environment }: PlanScope,
  reportId: string,
): Promise<void> {
  await sql`delete from report_reconciliation k
    where k.organisation_id = ${organisationId} and k.environment = ${environment} and k.report_id = ${reportId}
      and k.making is distinct from (
        select (r.result -> 'reconciled' ->> 'making')::integer from reports r
        where r.organisation_id = ${organisationId} and r.environment = ${environment}
          and r.report_id = ${reportId})`.execute(transaction);
}
