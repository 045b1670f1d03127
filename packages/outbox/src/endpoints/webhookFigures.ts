import type { Environment } from '@fairway/values';
import { type QueryExecutorProvider, sql } from 'kysely';

/** What waits to be sent to webhook endpoints, counted up to 100,000. `failing`: endpoints that had no success for an hour. */
export type WebhookFigures = {
  readonly pending: number;
  /** How long ago the delivery was made that has waited for longest, whenever its next attempt is due; 0 when none waits. */
  readonly oldestPendingMs: number;
  readonly failing: number;
  readonly disabled: number;
};

/** How many deliveries are counted: behind receivers that are dead for days there may be millions, whose count would take seconds. */
const MOST_COUNTED = 100_000;

/**
 * Counts what waits to be sent to the endpoints of all organisations, and the endpoints that fail. Every count is read
 * from an index. `most`: how many deliveries are counted, 100,000 unless a test has fewer.
 *
 * @example
 * ```ts
 * import { type OutboxTables, webhookFigures } from '@fairway/outbox';
 * import type { Kysely } from 'kysely';
 *
 * declare const database: Kysely<OutboxTables>;
 * const { pending, failing } = await webhookFigures(database, 'production', Date.now());
 * ```
 */
export async function webhookFigures(
  database: QueryExecutorProvider,
  environment: Environment,
  nowMs: number,
  most = MOST_COUNTED,
): Promise<WebhookFigures> {
  const endpoints = await sql<{ failing_count: bigint; disabled_count: bigint }>`
    select count(*) filter (where any_endpoint.is_failing) as failing_count,
      count(*) filter (where any_endpoint.status = 'DISABLED') as disabled_count
    from webhook_endpoints any_endpoint where any_endpoint.environment = ${environment}`.execute(database);
  // PENDING deliveries belong to ENABLED endpoints, so these few endpoints lead to them by their indexes.
  const pending = sql`webhook_deliveries d
    where d.organisation_id = any_endpoint.organisation_id and d.environment = any_endpoint.environment
      and d.endpoint_id = any_endpoint.endpoint_id and d.status = 'PENDING'`;
  const enabled = sql`any_endpoint.environment = ${environment} and any_endpoint.status = 'ENABLED'`;
  const deliveries = await sql<{ pending_count: bigint; oldest: Date | null }>`
    select (
      select count(*) from (
        select from webhook_endpoints any_endpoint
        cross join lateral (select from ${pending} limit ${most}) waiting
        where ${enabled} limit ${most}
      ) counted
    ) as pending_count, (
      select min(first.created_at) from webhook_endpoints any_endpoint
      cross join lateral (select d.created_at from ${pending} order by d.position limit 1) first
      where ${enabled}
    ) as oldest`.execute(database);
  const { failing_count = 0n, disabled_count = 0n } = endpoints.rows[0] ?? {};
  const { pending_count = 0n, oldest = null } = deliveries.rows[0] ?? {};
  return {
    pending: Number(pending_count),
    oldestPendingMs: oldest === null ? 0 : Math.max(0, nowMs - oldest.getTime()),
    failing: Number(failing_count),
    disabled: Number(disabled_count),
  };
}
