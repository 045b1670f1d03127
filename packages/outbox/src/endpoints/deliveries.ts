import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../database/schema.ts';
import type { Scope } from '@fairway/values';
import type { EndpointAbsent, EndpointDisabled, EndpointParts } from './endpoint.ts';
import { findEndpoint, isEndpoint, loadEndpoints } from './endpointRows.ts';
import { noteResend } from '../events/resends.ts';
import { isOneOf, isWanted } from '../events/wanted.ts';

/** How a delivery stands. CANCELLED: its endpoint was disabled before it was delivered. */
export type DeliveryStatus = 'PENDING' | 'DELIVERED' | 'FAILED' | 'CANCELLED';

/** An attempt to deliver an event. */
export type KeptAttempt = {
  readonly atMs: number;
  readonly status?: number;
  readonly error?: string;
  readonly durationMs: number;
};

/** An event for an endpoint, with its newest attempts, oldest first. `dueMs`: when the next one is due. */
export type KeptDelivery = {
  readonly endpointId: string;
  readonly eventId: string;
  readonly type: string;
  readonly position: bigint;
  readonly status: DeliveryStatus;
  readonly createdAtMs: number;
  readonly dueMs?: number;
  readonly attempts: readonly KeptAttempt[];
};

/** Which deliveries of an endpoint to list, from new to old. `before`: only those of events before this position. */
export type DeliveryAsk = {
  readonly limit: number;
  readonly status?: DeliveryStatus | undefined;
  readonly before?: bigint | undefined;
};

/** How many attempts of a delivery are shown: all of its schedule, and some of earlier ones. */
const MOST_ATTEMPTS = 20;
/** How many events one call recovers. */
const MOST_RECOVERED = 10_000;

type Row = {
  endpoint_id: string;
  event_id: string;
  type: string;
  place_number: bigint;
  status: DeliveryStatus;
  created_at: Date;
  due_at: Date;
  attempts:
    | readonly { at: string; status: number | null; error: string | null; duration_ms: number }[]
    | null;
};

/** Loads deliveries. `condition` is about `d`, a row of them, and may end with an order and a limit. */
async function loadDeliveries(
  database: Database,
  { organisationId, environment }: Scope,
  condition: RawBuilder<unknown>,
): Promise<KeptDelivery[]> {
  const { rows } = await sql<Row>`
    select d.endpoint_id, d.event_id, e.type, d.position as place_number, d.status, d.created_at, d.due_at, (
        select jsonb_agg(jsonb_build_object('at', made.at, 'status', made.status, 'error', made.error,
          'duration_ms', made.duration_ms) order by made.number)
        from (
          select a.number, a.at, a.status, a.error, a.duration_ms from webhook_attempts a
          where a.organisation_id = d.organisation_id and a.environment = d.environment
            and a.endpoint_id = d.endpoint_id and a.event_id = d.event_id
          order by a.number desc limit ${MOST_ATTEMPTS}
        ) as made
      ) as attempts
    from webhook_deliveries d join events e
      on e.organisation_id = d.organisation_id and e.environment = d.environment and e.event_id = d.event_id
    where d.organisation_id = ${organisationId} and d.environment = ${environment} and ${condition}`.execute(
    database,
  );
  return rows.map((row) => ({
    endpointId: row.endpoint_id,
    eventId: row.event_id,
    type: row.type,
    position: row.place_number,
    status: row.status,
    createdAtMs: row.created_at.getTime(),
    ...(row.status === 'PENDING' ? { dueMs: row.due_at.getTime() } : {}),
    attempts: (row.attempts ?? []).map(({ at, status, error, duration_ms: durationMs }) => ({
      atMs: Date.parse(at),
      ...(status === null ? {} : { status }),
      ...(error === null ? {} : { error }),
      durationMs,
    })),
  }));
}

/** Lists the deliveries of an endpoint. */
export async function listDeliveries(
  database: Database,
  scope: Scope,
  endpointId: string,
  { limit, status, before }: DeliveryAsk,
): Promise<
  | { readonly ok: true; readonly deliveries: readonly KeptDelivery[]; readonly next: bigint | undefined }
  | EndpointAbsent
> {
  if ((await findEndpoint(database, scope, endpointId)) === undefined)
    return { ok: false, reason: 'ENDPOINT_UNKNOWN' };
  const found = await loadDeliveries(
    database,
    scope,
    sql`d.endpoint_id = ${endpointId}
        ${status === undefined ? sql`` : sql`and d.status = ${status}`}
        ${before === undefined ? sql`` : sql`and d.position < ${before}`}
        order by d.position desc limit ${limit + 1}`,
  );
  const deliveries = found.slice(0, limit);
  return { ok: true, deliveries, next: found.length > limit ? deliveries.at(-1)?.position : undefined };
}

/**
 * Events to send again. `since` and `until` compare with when they happened. UNDELIVERED: those that were not delivered. `most`: how
 * many at once, 10,000 unless a test has fewer.
 */
export type RecoverAsk = {
  readonly sinceMs: number;
  readonly untilMs: number;
  readonly types?: readonly string[] | undefined;
  readonly only: 'UNDELIVERED' | 'ALL';
  readonly most?: number;
};

/** How many events are sent again. `nextMs`: the time of the earliest event that this call has left out, if any. */
export type Recovered =
  | { readonly ok: true; readonly recovered: number; readonly nextMs: number | undefined }
  | EndpointAbsent
  | EndpointDisabled;

/**
 * Has events of a time sent now to an endpoint that wants them, each with a new schedule. This includes events that
 * wait for their next attempt, which may be hours away. Those that are due for their first one stay as they are.
 */
export async function recoverDeliveries(
  { database }: Pick<EndpointParts, 'database'>,
  scope: Scope,
  endpointId: string,
  { sinceMs, untilMs, types, only, most = MOST_RECOVERED }: RecoverAsk,
  nowMs: number,
): Promise<Recovered> {
  const { organisationId, environment } = scope;
  const delivered = only === 'ALL' ? sql`` : sql`or d.status = 'DELIVERED'`;
  return database.transaction().execute(async (transaction) => {
    const open = await shareEnabled(transaction, scope, endpointId);
    if (!open.ok) return open;
    const { rows } = await sql<{ event_id: string; at: Date }>`
        select e.event_id, e.at from events e, webhook_endpoints w
        where e.organisation_id = ${organisationId} and e.environment = ${environment} and ${isEndpoint(scope, endpointId)}
          and e.position is not null and e.at >= ${new Date(sinceMs)} and e.at < ${new Date(untilMs)} and ${isWanted('e')}
          ${types === undefined ? sql`` : sql`and ${isOneOf(sql`e.type`, sql`${types}::text[]`)}`}
          and not exists (select from webhook_deliveries d
            where ${isEndpoint(scope, endpointId, 'd')} and d.event_id = e.event_id
              and (d.status = 'PENDING' and d.tries = 0 ${delivered}))
        order by e.at, e.position limit ${most + 1}`.execute(transaction);
    const eventIds = rows.slice(0, most).map(({ event_id }) => event_id);
    await begin(transaction, scope, { endpointIds: [endpointId], eventIds, nowMs });
    return { ok: true, recovered: eventIds.length, nextMs: rows[most]?.at.getTime() };
  });
}

/** The deliveries that were begun again; UNKNOWN: there is no such delivery or event. */
export type Resent =
  | { readonly ok: true; readonly deliveries: readonly KeptDelivery[] }
  | EndpointAbsent
  | EndpointDisabled
  | { readonly ok: false; readonly reason: 'EVENT_UNKNOWN' };

/**
 * Has an event sent again: to one endpoint, whatever its types, or to all that want it and to the streams that ask for resends.
 * `isDelivery`: only if the endpoint was to get it before.
 */
export async function resendEvent(
  { database }: Pick<EndpointParts, 'database'>,
  scope: Scope,
  eventId: string,
  {
    endpointId,
    isDelivery = false,
    nowMs,
  }: {
    readonly endpointId?: string | undefined;
    readonly isDelivery?: boolean;
    readonly nowMs: number;
  },
): Promise<Resent> {
  const { organisationId, environment } = scope;
  return database.transaction().execute(async (transaction) => {
    if (endpointId !== undefined) {
      const open = await shareEnabled(transaction, scope, endpointId);
      if (!open.ok) return open;
    }
    const known = isDelivery
      ? sql`select d.event_id from webhook_deliveries d
            where ${isEndpoint(scope, endpointId ?? '', 'd')} and d.event_id = ${eventId}`
      : sql`select e.event_id from events e where e.organisation_id = ${organisationId}
            and e.environment = ${environment} and e.event_id = ${eventId} and e.position is not null`;
    if ((await known.execute(transaction)).rows.length === 0) return { ok: false, reason: 'EVENT_UNKNOWN' };
    const endpointIds = endpointId === undefined ? await wanting(transaction, scope, eventId) : [endpointId];
    await begin(transaction, scope, { endpointIds, eventIds: [eventId], nowMs });
    const deliveries = await loadDeliveries(
      transaction,
      scope,
      sql`d.event_id = ${eventId} and d.endpoint_id = any(${endpointIds}::text[])`,
    );
    // Last, because all other resends wait from here to the commit.
    if (endpointId === undefined) await noteResend(transaction, scope, eventId);
    return { ok: true, deliveries };
  });
}

/**
 * Makes deliveries due, anew or for the first time. An attempt that is under way can still succeed; if it fails, that does not count,
 * as what is begun here is not its claim. The events are locked, so that none is forgotten meanwhile.
 */
async function begin(
  transaction: Database,
  { organisationId, environment }: Scope,
  given: {
    readonly endpointIds: readonly string[];
    readonly eventIds: readonly string[];
    readonly nowMs: number;
  },
): Promise<void> {
  const now = new Date(given.nowMs);
  await sql`
    insert into webhook_deliveries as d
      (organisation_id, environment, endpoint_id, event_id, position, status, due_at, created_at)
    select w.organisation_id, w.environment, w.endpoint_id, e.event_id, e.position, 'PENDING', ${now}, ${now}
    from events e, webhook_endpoints w
    where e.organisation_id = ${organisationId} and e.environment = ${environment} and e.event_id = any(${given.eventIds}::text[])
      and w.organisation_id = ${organisationId} and w.environment = ${environment}
      and w.endpoint_id = any(${given.endpointIds}::text[])
    for key share
    on conflict (organisation_id, environment, endpoint_id, event_id) do update
    set status = 'PENDING', due_at = excluded.due_at, tries = 0, claim = d.claim + 1`.execute(transaction);
}

/** Whether an endpoint gets events; it is locked, so that it is not disabled meanwhile. */
async function shareEnabled(
  transaction: Database,
  scope: Scope,
  endpointId: string,
): Promise<{ readonly ok: true } | EndpointAbsent | EndpointDisabled> {
  const [found] = await loadEndpoints(
    transaction,
    sql`${isEndpoint(scope, endpointId)} and w.status <> 'DELETED' for share`,
  );
  if (found === undefined) return { ok: false, reason: 'ENDPOINT_UNKNOWN' };
  return found.kept.status === 'ENABLED' ? { ok: true } : { ok: false, reason: 'ENDPOINT_DISABLED' };
}

async function wanting(
  transaction: Database,
  { organisationId, environment }: Scope,
  eventId: string,
): Promise<string[]> {
  const { rows } = await sql<{ endpoint_id: string }>`
    select w.endpoint_id from events e, webhook_endpoints w
    where e.organisation_id = ${organisationId} and e.environment = ${environment} and e.event_id = ${eventId}
      and w.organisation_id = ${organisationId} and w.environment = ${environment} and w.status = 'ENABLED'
      and ${isWanted('e')}
    order by w.endpoint_id for share`.execute(transaction);
  return rows.map(({ endpoint_id }) => endpoint_id);
}
