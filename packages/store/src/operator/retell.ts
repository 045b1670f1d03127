import { attempt, type Unavailable } from '@fairway/postgres';
import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { ChangeParts } from '../payments/changeParts.ts';
import { lockPlan } from '../plans/loadPlans.ts';
import type { PlanScope } from '../plans/planScope.ts';
import { writeNews } from '../events/news.ts';
import type { ReportNewsOf } from '../reports/changeReport.ts';
import { isReport, loadReports } from '../reports/reportRows.ts';
import type { SavedNewsOf } from '../saved/savedParts.ts';
import { lockSaved } from '../saved/savedRows.ts';
import { holdBook } from '../statements/book.ts';
import { loadEntries } from '../statements/entryRows.ts';
import type { StatementNewsOf } from '../statements/statement.ts';
import type { EndpointNewsOf } from '../webhooks/endpoint.ts';
import { lockEndpoint, tellOfEndpoint } from '../webhooks/endpointRows.ts';
import { IS_OPEN } from './openPlans.ts';

/** A part of the plans, recipients, webhook endpoints, entries of statements or reports that are told again: those after an id, at most `limit`. */
export type RetellPart = {
  readonly sinceMs: number;
  readonly limit: number;
  readonly after?: string | undefined;
};

/** How many were told of, and the `after` of the next part; undefined at the end. */
export type Retold = { readonly ok: true; readonly count: number; readonly next: string | undefined };

/**
 * Tells again how plans are that are open or have changed since a time, as if they had changed: after a restore, readers may have
 * seen what the database does not know any more. Each plan in a transaction of its own; it may be repeated.
 */
export function retell(
  database: Database,
  { now, newsOf }: ChangeParts,
  { sinceMs, limit, after = '' }: RetellPart,
): Promise<Retold | Unavailable> {
  return attempt(async () => {
    const { rows } = await sql<{
      organisation_id: string;
      environment: PlanScope['environment'];
      plan_id: string;
    }>`
      select organisation_id, environment, plan_id from plans any_operated
      where plan_id > ${after} and (${IS_OPEN} or updated_at >= ${new Date(sinceMs).toISOString()}::timestamptz)
      order by plan_id limit ${limit}`.execute(database);
    for (const { organisation_id: organisationId, environment, plan_id: planId } of rows) {
      const scope = { organisationId, environment };
      await database.transaction().execute(async (transaction) => {
        const plan = await lockPlan(transaction, scope, planId);
        const news = plan === undefined ? [] : newsOf('AGAIN', plan);
        await writeNews(transaction, scope, news, now().getTime());
      });
    }
    return {
      ok: true,
      count: rows.length,
      next: rows.length < limit ? undefined : rows.at(-1)?.plan_id,
    };
  });
}

/**
 * Tells again how saved recipients are that are ACTIVE, wait for approval or have changed since a time, as if they had changed. Each in a transaction of
 * its own; it may be repeated.
 */
export function retellRecipients(
  database: Database,
  { now, savedNewsOf }: Pick<ChangeParts, 'now'> & { readonly savedNewsOf: SavedNewsOf },
  { sinceMs, limit, after = '' }: RetellPart,
): Promise<Retold | Unavailable> {
  return attempt(async () => {
    const { rows } = await sql<{
      organisation_id: string;
      environment: PlanScope['environment'];
      recipient_id: string;
    }>`
      select organisation_id, environment, recipient_id from saved_recipients any_operated
      where recipient_id > ${after}
        and (status in ('ACTIVE', 'PENDING_APPROVAL') or updated_at >= ${new Date(sinceMs).toISOString()}::timestamptz)
      order by recipient_id limit ${limit}`.execute(database);
    for (const { organisation_id: organisationId, environment, recipient_id: recipientId } of rows) {
      const scope = { organisationId, environment };
      await database.transaction().execute(async (transaction) => {
        const kept = await lockSaved(transaction, scope, recipientId);
        const atMs = now().getTime();
        const news = kept === undefined ? [] : savedNewsOf('recipient.updated', undefined, kept, atMs);
        await writeNews(transaction, scope, news, atMs);
      });
    }
    return {
      ok: true,
      count: rows.length,
      next: rows.length < limit ? undefined : rows.at(-1)?.recipient_id,
    };
  });
}

/**
 * Tells again how webhook endpoints are, all but deleted ones, as if they had changed: what became of them after the backup is lost.
 * Each in a transaction of its own; it may be repeated.
 */
export function retellEndpoints(
  database: Database,
  parts: Pick<ChangeParts, 'now'> & { readonly endpointNewsOf: EndpointNewsOf },
  { limit, after = '' }: RetellPart,
): Promise<Retold | Unavailable> {
  return attempt(async () => {
    const { rows } = await sql<{
      organisation_id: string;
      environment: PlanScope['environment'];
      endpoint_id: string;
    }>`
      select organisation_id, environment, endpoint_id from webhook_endpoints any_operated
      where endpoint_id > ${after} and status <> 'DELETED'
      order by endpoint_id limit ${limit}`.execute(database);
    for (const { organisation_id: organisationId, environment, endpoint_id: endpointId } of rows) {
      const scope = { organisationId, environment };
      await database.transaction().execute(async (transaction) => {
        const found = await lockEndpoint(transaction, scope, endpointId);
        if (found === undefined) return;
        const news = { type: 'webhook_endpoint.updated', endpoint: found.kept } as const;
        await tellOfEndpoint(transaction, parts, scope, { ...news, atMs: parts.now().getTime() });
      });
    }
    return {
      ok: true,
      count: rows.length,
      next: rows.length < limit ? undefined : rows.at(-1)?.endpoint_id,
    };
  });
}

/**
 * Tells again how entries of statements are that are not wholly matched or ignored, or have changed since a time, as if they had changed. Those of
 * an organisation in one transaction; it may be repeated.
 */
export function retellEntries(
  database: Database,
  { now, statementNewsOf }: Pick<ChangeParts, 'now'> & { readonly statementNewsOf: StatementNewsOf },
  { sinceMs, limit, after = '' }: RetellPart,
): Promise<Retold | Unavailable> {
  return attempt(async () => {
    const { rows } = await sql<{
      organisation_id: string;
      environment: PlanScope['environment'];
      entry_id: string;
    }>`
      select organisation_id, environment, entry_id from statement_entries any_operated
      where entry_id > ${after}
        and (status not in ('MATCHED', 'IGNORED') or updated_at >= ${new Date(sinceMs).toISOString()}::timestamptz)
      order by entry_id limit ${limit}`.execute(database);
    const scopes = new Map(
      rows.map(({ organisation_id: organisationId, environment }) => [
        `${organisationId} ${environment}`,
        { organisationId, environment },
      ]),
    );
    const ids = rows.map(({ entry_id: entryId }) => entryId);
    for (const scope of scopes.values())
      await database.transaction().execute(async (transaction) => {
        await holdBook(transaction, scope);
        const found = await loadEntries(
          transaction,
          scope,
          sql`e.entry_id = any(${ids}) order by e.entry_id`,
        );
        const news = found.flatMap(({ kept }) =>
          statementNewsOf({ type: 'statement_entry.updated', before: undefined, after: kept }),
        );
        await writeNews(transaction, scope, news, now().getTime());
      });
    return {
      ok: true,
      count: rows.length,
      next: rows.length < limit ? undefined : rows.at(-1)?.entry_id,
    };
  });
}

/**
 * Tells again how reports are that are PENDING or have changed since a time, as if they had changed. Each in a transaction of its own;
 * it may be repeated.
 */
export function retellReports(
  database: Database,
  { now, reportNewsOf }: Pick<ChangeParts, 'now'> & { readonly reportNewsOf: ReportNewsOf },
  { sinceMs, limit, after = '' }: RetellPart,
): Promise<Retold | Unavailable> {
  return attempt(async () => {
    const { rows } = await sql<{
      organisation_id: string;
      environment: PlanScope['environment'];
      report_id: string;
    }>`
      select organisation_id, environment, report_id from reports any_operated
      where report_id > ${after}
        and (status = 'PENDING' or updated_at >= ${new Date(sinceMs).toISOString()}::timestamptz)
      order by report_id limit ${limit}`.execute(database);
    for (const { organisation_id: organisationId, environment, report_id: reportId } of rows) {
      const scope = { organisationId, environment };
      await database.transaction().execute(async (transaction) => {
        const [report] = await loadReports(transaction, sql`${isReport(scope, reportId)} for no key update`);
        const news = report === undefined ? [] : reportNewsOf(report);
        await writeNews(transaction, scope, news, now().getTime());
      });
    }
    return {
      ok: true,
      count: rows.length,
      next: rows.length < limit ? undefined : rows.at(-1)?.report_id,
    };
  });
}
