import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { ChangeParts } from '../payments/changeParts.ts';
import { lockPlan } from '../plans/loadPlans.ts';
import type { PlanScope } from '../plans/planScope.ts';
import { type PublishedEventsOfEndpoint, republishEndpoint, writePublishedEvents } from '@fairway/outbox';
import type { PublishedEventsOfReport } from '../reports/changeReport.ts';
import { isReport, loadReports } from '../reports/reportRows.ts';
import type { PublishedEventsOfRecipient } from '../recipients/registeredParts.ts';
import { lockRegistered } from '../recipients/registeredRows.ts';
import { lockReconciliation } from '../reconciliation/bookLock.ts';
import { loadEntries } from '../reconciliation/entryRows.ts';
import type { PublishedEventsOfStatement } from '../reconciliation/statement.ts';
import { IS_OPEN } from './openPlans.ts';

/**
 * A part of the plans, recipients, webhook endpoints, statement entries or reports that are published again: those
 * after an id, at most `limit`.
 */
export type RepublishPart = {
  readonly sinceMs: number;
  readonly limit: number;
  readonly after?: string | undefined;
};

/** How many were published again, and the `after` of the next part; undefined at the end. */
export type Republished = { readonly count: number; readonly next: string | undefined };

/** The record that is published again, by its id. */
type Row = {
  readonly organisation_id: string;
  readonly environment: PlanScope['environment'];
  readonly id: string;
};

function republishedOf(rows: readonly Row[], limit: number): Republished {
  return { count: rows.length, next: rows.length < limit ? undefined : rows.at(-1)?.id };
}

/** Publishes each row again in a transaction of its own. */
async function republishEach(
  database: Database,
  asked: RawBuilder<Row>,
  limit: number,
  republishOne: (transaction: Database, scope: PlanScope, id: string) => Promise<void>,
): Promise<Republished> {
  const { rows } = await asked.execute(database);
  for (const { organisation_id: organisationId, environment, id } of rows)
    await database
      .transaction()
      .execute((transaction) => republishOne(transaction, { organisationId, environment }, id));
  return republishedOf(rows, limit);
}

/**
 * Publishes again the state of plans that are open or have changed since a time, as if they had changed. After a
 * restore, readers may have seen what the database does not know any more. Each plan has a transaction of its own; it
 * may be repeated.
 */
export function republish(
  database: Database,
  { now, publishedEventsOfPlan }: ChangeParts,
  { sinceMs, limit, after = '' }: RepublishPart,
): Promise<Republished> {
  const asked = sql<Row>`
    select organisation_id, environment, plan_id as id from plans any_operated
    where plan_id > ${after} and (${IS_OPEN} or updated_at >= ${new Date(sinceMs).toISOString()}::timestamptz)
    order by plan_id limit ${limit}`;
  return republishEach(database, asked, limit, async (transaction, scope, planId) => {
    const plan = await lockPlan(transaction, scope, planId);
    const published = plan === undefined ? [] : publishedEventsOfPlan('AGAIN', plan);
    await writePublishedEvents(transaction, scope, published, now().getTime());
  });
}

/**
 * Publishes again the state of registered recipients that are ACTIVE, wait for approval or have changed since a time, as
 * if they had changed. Each in a transaction of its own; it may be repeated.
 */
export function republishRecipients(
  database: Database,
  {
    now,
    publishedEventsOfRecipient,
  }: Pick<ChangeParts, 'now'> & { readonly publishedEventsOfRecipient: PublishedEventsOfRecipient },
  { sinceMs, limit, after = '' }: RepublishPart,
): Promise<Republished> {
  const asked = sql<Row>`
    select organisation_id, environment, recipient_id as id from registered_recipients any_operated
    where recipient_id > ${after}
      and (status in ('ACTIVE', 'PENDING_APPROVAL') or updated_at >= ${new Date(sinceMs).toISOString()}::timestamptz)
    order by recipient_id limit ${limit}`;
  return republishEach(database, asked, limit, async (transaction, scope, recipientId) => {
    const kept = await lockRegistered(transaction, scope, recipientId);
    const atMs = now().getTime();
    const published =
      kept === undefined ? [] : publishedEventsOfRecipient('recipient.updated', undefined, kept, atMs);
    await writePublishedEvents(transaction, scope, published, atMs);
  });
}

/**
 * Publishes again the state of webhook endpoints, all but deleted ones, as if they had changed: the events after the
 * backup are lost. Each in a transaction of its own; it may be repeated.
 */
export function republishEndpoints(
  database: Database,
  parts: Pick<ChangeParts, 'now'> & { readonly publishedEventsOfEndpoint: PublishedEventsOfEndpoint },
  { limit, after = '' }: RepublishPart,
): Promise<Republished> {
  const asked = sql<Row>`
    select organisation_id, environment, endpoint_id as id from webhook_endpoints any_operated
    where endpoint_id > ${after} and status <> 'DELETED'
    order by endpoint_id limit ${limit}`;
  return republishEach(database, asked, limit, (transaction, scope, endpointId) =>
    republishEndpoint(transaction, parts, scope, endpointId, parts.now().getTime()),
  );
}

/**
 * Publishes again the state of statement entries that are not wholly matched or ignored, or have changed since a
 * time, as if they had changed. Those of an organisation in one transaction; it may be repeated.
 */
export async function republishEntries(
  database: Database,
  {
    now,
    publishedEventsOfStatement,
  }: Pick<ChangeParts, 'now'> & { readonly publishedEventsOfStatement: PublishedEventsOfStatement },
  { sinceMs, limit, after = '' }: RepublishPart,
): Promise<Republished> {
  const { rows } = await sql<Row>`
      select organisation_id, environment, entry_id as id from statement_entries any_operated
      where entry_id > ${after}
        and (status not in ('MATCHED', 'IGNORED') or updated_at >= ${new Date(sinceMs).toISOString()}::timestamptz)
      order by entry_id limit ${limit}`.execute(database);
  const scopes = new Map(
    rows.map(({ organisation_id: organisationId, environment }) => [
      `${organisationId} ${environment}`,
      { organisationId, environment },
    ]),
  );
  const ids = rows.map(({ id }) => id);
  for (const scope of scopes.values())
    await database.transaction().execute(async (transaction) => {
      await lockReconciliation(transaction, scope);
      const found = await loadEntries(transaction, scope, sql`e.entry_id = any(${ids}) order by e.entry_id`);
      const published = found.flatMap(({ kept }) =>
        publishedEventsOfStatement({ type: 'statement_entry.updated', before: undefined, after: kept }),
      );
      await writePublishedEvents(transaction, scope, published, now().getTime());
    });
  return republishedOf(rows, limit);
}

/**
 * Publishes again the state of reports that are PENDING or have changed since a time, as if they had changed. Each in
 * a transaction of its own; it may be repeated.
 */
export function republishReports(
  database: Database,
  {
    now,
    publishedEventsOfReport,
  }: Pick<ChangeParts, 'now'> & { readonly publishedEventsOfReport: PublishedEventsOfReport },
  { sinceMs, limit, after = '' }: RepublishPart,
): Promise<Republished> {
  const asked = sql<Row>`
    select organisation_id, environment, report_id as id from reports any_operated
    where report_id > ${after}
      and (status = 'PENDING' or updated_at >= ${new Date(sinceMs).toISOString()}::timestamptz)
    order by report_id limit ${limit}`;
  return republishEach(database, asked, limit, async (transaction, scope, reportId) => {
    const [report] = await loadReports(transaction, sql`${isReport(scope, reportId)} for no key update`);
    const published = report === undefined ? [] : publishedEventsOfReport(report);
    await writePublishedEvents(transaction, scope, published, now().getTime());
  });
}
