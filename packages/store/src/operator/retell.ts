import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { ChangeParts } from '../payments/changeParts.ts';
import { lockPlan } from '../plans/loadPlans.ts';
import type { PlanScope } from '../plans/planScope.ts';
import { writeNews } from '../events/news.ts';
import type { ReportNewsOf } from '../reports/changeReport.ts';
import { isReport, loadReports } from '../reports/reportRows.ts';
import type { SavedNewsOf } from '../saved/savedParts.ts';
import { lockSaved } from '../saved/savedRows.ts';
import { lockReconciliation } from '../statements/reconciliationLock.ts';
import { loadEntries } from '../statements/entryRows.ts';
import type { StatementNewsOf } from '../statements/statement.ts';
import type { EndpointNewsOf } from '../webhooks/endpoint.ts';
import { lockEndpoint, tellOfEndpoint } from '../webhooks/endpointRows.ts';
import { IS_OPEN } from './openPlans.ts';

/**
 * A part of the plans, recipients, webhook endpoints, statement entries or reports that are published again: those
 * after an id, at most `limit`.
 */
export type RetellPart = {
  readonly sinceMs: number;
  readonly limit: number;
  readonly after?: string | undefined;
};

/** How many were published again, and the `after` of the next part; undefined at the end. */
export type Retold = { readonly count: number; readonly next: string | undefined };

/** The record that is published again, by its id. */
type Row = {
  readonly organisation_id: string;
  readonly environment: PlanScope['environment'];
  readonly id: string;
};

function retoldOf(rows: readonly Row[], limit: number): Retold {
  return { count: rows.length, next: rows.length < limit ? undefined : rows.at(-1)?.id };
}

/** Publishes each row again in a transaction of its own. */
async function retellEach(
  database: Database,
  asked: RawBuilder<Row>,
  limit: number,
  tell: (transaction: Database, scope: PlanScope, id: string) => Promise<void>,
): Promise<Retold> {
  const { rows } = await asked.execute(database);
  for (const { organisation_id: organisationId, environment, id } of rows)
    await database
      .transaction()
      .execute((transaction) => tell(transaction, { organisationId, environment }, id));
  return retoldOf(rows, limit);
}

/**
 * Publishes again the state of plans that are open or have changed since a time, as if they had changed. After a
 * restore, readers may have seen what the database does not know any more. Each plan has a transaction of its own; it
 * may be repeated.
 */
export function retell(
  database: Database,
  { now, newsOf }: ChangeParts,
  { sinceMs, limit, after = '' }: RetellPart,
): Promise<Retold> {
  const asked = sql<Row>`
    select organisation_id, environment, plan_id as id from plans any_operated
    where plan_id > ${after} and (${IS_OPEN} or updated_at >= ${new Date(sinceMs).toISOString()}::timestamptz)
    order by plan_id limit ${limit}`;
  return retellEach(database, asked, limit, async (transaction, scope, planId) => {
    const plan = await lockPlan(transaction, scope, planId);
    const news = plan === undefined ? [] : newsOf('AGAIN', plan);
    await writeNews(transaction, scope, news, now().getTime());
  });
}

/**
 * Publishes again the state of saved recipients that are ACTIVE, wait for approval or have changed since a time, as
 * if they had changed. Each in a transaction of its own; it may be repeated.
 */
export function retellRecipients(
  database: Database,
  { now, savedNewsOf }: Pick<ChangeParts, 'now'> & { readonly savedNewsOf: SavedNewsOf },
  { sinceMs, limit, after = '' }: RetellPart,
): Promise<Retold> {
  const asked = sql<Row>`
    select organisation_id, environment, recipient_id as id from saved_recipients any_operated
    where recipient_id > ${after}
      and (status in ('ACTIVE', 'PENDING_APPROVAL') or updated_at >= ${new Date(sinceMs).toISOString()}::timestamptz)
    order by recipient_id limit ${limit}`;
  return retellEach(database, asked, limit, async (transaction, scope, recipientId) => {
    const kept = await lockSaved(transaction, scope, recipientId);
    const atMs = now().getTime();
    const news = kept === undefined ? [] : savedNewsOf('recipient.updated', undefined, kept, atMs);
    await writeNews(transaction, scope, news, atMs);
  });
}

/**
 * Publishes again the state of webhook endpoints, all but deleted ones, as if they had changed: the events after the
 * backup are lost. Each in a transaction of its own; it may be repeated.
 */
export function retellEndpoints(
  database: Database,
  parts: Pick<ChangeParts, 'now'> & { readonly endpointNewsOf: EndpointNewsOf },
  { limit, after = '' }: RetellPart,
): Promise<Retold> {
  const asked = sql<Row>`
    select organisation_id, environment, endpoint_id as id from webhook_endpoints any_operated
    where endpoint_id > ${after} and status <> 'DELETED'
    order by endpoint_id limit ${limit}`;
  return retellEach(database, asked, limit, async (transaction, scope, endpointId) => {
    const found = await lockEndpoint(transaction, scope, endpointId);
    if (found === undefined) return;
    const news = { type: 'webhook_endpoint.updated', endpoint: found.kept } as const;
    await tellOfEndpoint(transaction, parts, scope, { ...news, atMs: parts.now().getTime() });
  });
}

/**
 * Publishes again the state of statement entries that are not wholly matched or ignored, or have changed since a
 * time, as if they had changed. Those of an organisation in one transaction; it may be repeated.
 */
export async function retellEntries(
  database: Database,
  { now, statementNewsOf }: Pick<ChangeParts, 'now'> & { readonly statementNewsOf: StatementNewsOf },
  { sinceMs, limit, after = '' }: RetellPart,
): Promise<Retold> {
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
      const news = found.flatMap(({ kept }) =>
        statementNewsOf({ type: 'statement_entry.updated', before: undefined, after: kept }),
      );
      await writeNews(transaction, scope, news, now().getTime());
    });
  return retoldOf(rows, limit);
}

/**
 * Publishes again the state of reports that are PENDING or have changed since a time, as if they had changed. Each in
 * a transaction of its own; it may be repeated.
 */
export function retellReports(
  database: Database,
  { now, reportNewsOf }: Pick<ChangeParts, 'now'> & { readonly reportNewsOf: ReportNewsOf },
  { sinceMs, limit, after = '' }: RetellPart,
): Promise<Retold> {
  const asked = sql<Row>`
    select organisation_id, environment, report_id as id from reports any_operated
    where report_id > ${after}
      and (status = 'PENDING' or updated_at >= ${new Date(sinceMs).toISOString()}::timestamptz)
    order by report_id limit ${limit}`;
  return retellEach(database, asked, limit, async (transaction, scope, reportId) => {
    const [report] = await loadReports(transaction, sql`${isReport(scope, reportId)} for no key update`);
    const news = report === undefined ? [] : reportNewsOf(report);
    await writeNews(transaction, scope, news, now().getTime());
  });
}
