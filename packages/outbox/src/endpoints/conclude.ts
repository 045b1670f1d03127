import { sql } from 'kysely';
import type { Database, RowChange } from '../database/schema.ts';
import type { Environment, Scope } from '@fairway/values';
import { disable } from './changeEndpoint.ts';
import type { EndpointParts } from './endpoint.ts';
import {
  endpointKey,
  findEndpoint,
  type FoundEndpoint,
  isEndpoint,
  lockEndpoint,
  writeEndpointEvent,
} from './endpointRows.ts';

/** An endpoint is reported as failing after an hour without a success, and disabled after five days. */
const [FAILING_MS, DISABLED_MS] = [3_600_000, 432_000_000];
/** How many endpoints are reported as failing at once. */
const MOST_FAILING = 20;

/** A delivery that a process holds. */
export type HeldDelivery = {
  readonly scope: Scope;
  readonly endpointId: string;
  readonly eventId: string;
  readonly claim: number;
};

/**
 * How an attempt ended that was made at `url`. GONE: the endpoint wants nothing more. `dueMs`: when the next attempt is due after one
 * that failed; absent: there is none.
 */
export type ConcludedAttempt = {
  readonly outcome: 'DELIVERED' | 'GONE' | 'FAILED';
  readonly url: string;
  readonly atMs: number;
  readonly status?: number;
  readonly error?: string;
  readonly durationMs: number;
  readonly dueMs?: number;
};

/**
 * Records an attempt, and what it shows about its endpoint. An attempt at a former URL of the endpoint shows nothing.
 * If it failed, its delivery is due again. `nowMs`: when it ended.
 */
export async function concludeAttempt(
  parts: EndpointParts,
  held: HeldDelivery,
  made: ConcludedAttempt,
  nowMs: number,
): Promise<void> {
  const { scope, endpointId } = held;
  await parts.database.transaction().execute(async (transaction) => {
    const isDelivered = made.outcome === 'DELIVERED';
    const seen = await findEndpoint(transaction, scope, endpointId);
    if (seen === undefined) return;
    // Most attempts succeed and say nothing new of the endpoint: these do not wait for each other.
    const changesNothing = isDelivered && seen.kept.failingSinceMs === undefined;
    const found = changesNothing ? seen : await lockEndpoint(transaction, scope, endpointId);
    if (found === undefined) return;
    const isElsewhere = found.kept.url !== made.url;
    await record(transaction, held, made, isElsewhere);
    if (!isElsewhere && !changesNothing && found.kept.status === 'ENABLED')
      await judge(transaction, parts, scope, { found, outcome: made.outcome, atMs: nowMs });
  });
}

async function record(
  transaction: Database,
  { scope, endpointId, eventId, claim }: HeldDelivery,
  { outcome, atMs, status, error, durationMs, dueMs }: ConcludedAttempt,
  isElsewhere: boolean,
): Promise<void> {
  const delivery = { ...endpointKey(scope, endpointId), event_id: eventId };
  await sql`
    insert into webhook_attempts (organisation_id, environment, endpoint_id, event_id, at, status, error, duration_ms)
    select d.organisation_id, d.environment, d.endpoint_id, d.event_id, ${new Date(atMs)}::timestamptz, ${status ?? null}::integer,
      ${error ?? null}::text, ${durationMs}::integer
    from webhook_deliveries d where ${isEndpoint(scope, endpointId, 'd')} and d.event_id = ${eventId}
    for key share`.execute(transaction);
  if (outcome === 'DELIVERED') {
    // It has the event, whoever holds the delivery by now, and also if it was cancelled meanwhile.
    await transaction
      .updateTable('webhook_deliveries')
      .set({ status: 'DELIVERED', held_until: null })
      .where((eb) => eb.and(delivery))
      .execute();
    return;
  }
  if (isElsewhere) {
    await giveBack(transaction, { scope, endpointId, eventId, claim });
    return;
  }
  const next = outcome === 'FAILED' ? dueMs : undefined;
  const then: RowChange<'webhook_deliveries'> =
    next === undefined ? { status: 'FAILED' } : { status: 'PENDING', due_at: new Date(next) };
  await transaction
    .updateTable('webhook_deliveries')
    .set((eb) => ({ held_until: null, tries: eb('tries', '+', 1), ...then }))
    .where((eb) => eb.and({ ...delivery, status: 'PENDING', claim }))
    .execute();
}

/** Ends a hold, so that the delivery is due again. */
async function giveBack(
  database: Database,
  { scope, endpointId, eventId, claim }: HeldDelivery,
): Promise<void> {
  await database
    .updateTable('webhook_deliveries')
    .set({ held_until: null })
    .where((eb) => eb.and({ ...endpointKey(scope, endpointId), event_id: eventId, claim }))
    .execute();
}

/** What an attempt says of its endpoint, which is locked. */
async function judge(
  transaction: Database,
  parts: EndpointParts,
  scope: Scope,
  {
    found,
    outcome,
    atMs,
  }: { readonly found: FoundEndpoint; readonly outcome: ConcludedAttempt['outcome']; readonly atMs: number },
): Promise<void> {
  const { endpointId, failingSinceMs } = found.kept;
  if (outcome === 'GONE')
    return void (await disable(transaction, parts, scope, found, { reason: 'GONE', atMs }));
  if (outcome === 'DELIVERED') {
    if (failingSinceMs === undefined) return;
    await mark(transaction, scope, endpointId, { failing_since: null, is_failing: false });
    if (!found.isFailing) return;
    const { failingSinceMs: _, ...endpoint } = found.kept;
    await writeEndpointEvent(transaction, parts, scope, {
      type: 'webhook_endpoint.recovered',
      endpoint,
      atMs,
    });
    return;
  }
  if (failingSinceMs === undefined) {
    await mark(transaction, scope, endpointId, { failing_since: new Date(atMs) });
    return;
  }
  if (atMs - failingSinceMs >= DISABLED_MS)
    await disable(transaction, parts, scope, found, { reason: 'FAILING', atMs });
  else if (atMs - failingSinceMs >= FAILING_MS) await writeFailing(transaction, parts, scope, found, atMs);
}

async function mark(
  transaction: Database,
  scope: Scope,
  endpointId: string,
  marks: RowChange<'webhook_endpoints'>,
): Promise<void> {
  await transaction
    .updateTable('webhook_endpoints')
    .set(marks)
    .where((eb) => eb.and(endpointKey(scope, endpointId)))
    .execute();
}

async function writeFailing(
  transaction: Database,
  parts: EndpointParts,
  scope: Scope,
  { kept: endpoint, isFailing }: FoundEndpoint,
  atMs: number,
): Promise<void> {
  if (isFailing) return;
  await mark(transaction, scope, endpoint.endpointId, { is_failing: true });
  await writeEndpointEvent(transaction, parts, scope, { type: 'webhook_endpoint.failing', endpoint, atMs });
}

/** Gives a delivery back without an attempt: the process ends. */
export async function releaseDelivery(database: Database, held: HeldDelivery): Promise<void> {
  await giveBack(database, held);
}

/** Tells of the endpoints that have failed for an hour, at most some at once; their next attempt may be hours away. */
export async function publishFailing(
  parts: EndpointParts,
  environment: Environment,
  nowMs: number,
): Promise<void> {
  const { rows } = await sql<{ organisation_id: string; endpoint_id: string }>`
      select any_endpoint.organisation_id, any_endpoint.endpoint_id from webhook_endpoints any_endpoint
      where any_endpoint.environment = ${environment} and any_endpoint.status = 'ENABLED' and not any_endpoint.is_failing
        and any_endpoint.failing_since <= ${new Date(nowMs - FAILING_MS)}
      limit ${MOST_FAILING}`.execute(parts.database);
  for (const { organisation_id: organisationId, endpoint_id: endpointId } of rows)
    await parts.database.transaction().execute(async (transaction) => {
      const scope = { organisationId, environment };
      const found = await lockEndpoint(transaction, scope, endpointId);
      const sinceMs = found?.kept.failingSinceMs;
      if (found?.kept.status === 'ENABLED' && sinceMs !== undefined && nowMs - sinceMs >= FAILING_MS)
        await writeFailing(transaction, parts, scope, found, nowMs);
    });
}
