import { sql } from 'kysely';
import type { Database } from '../database/schema.ts';
import type { Environment, Scope } from '@fairway/values';
import { eventOf, type EventRow, type KeptEvent } from '../events/listEvents.ts';
import type { EndpointParts, EndpointSealed, EndpointSecrets } from './endpoint.ts';
import { isEndpoint, lockEndpoint, openSecrets } from './endpointRows.ts';

/** How many deliveries of an endpoint are under way at the same time, in all processes. */
const MOST_HELD = 16;

/** An endpoint that something is due for. `isFailing`: its last attempt failed. */
export type DueEndpoint = {
  readonly scope: Scope;
  readonly endpointId: string;
  readonly isFailing: boolean;
};

/** A delivery that this process is to attempt. `tries`: attempts that failed so far; `claim`: the number of this hold. */
export type ClaimedDelivery = {
  readonly event: KeptEvent;
  readonly tries: number;
  readonly claim: number;
};

/** `holdMs`: for how long the process has the deliveries to itself, which is longer than an attempt can take. */
export type ClaimAsk = { readonly limit: number; readonly nowMs: number; readonly holdMs: number };

/** Deliveries to attempt now, in the order in which they are to be started. */
export type ClaimedDeliveries =
  | {
      readonly ok: true;
      readonly deliveries: readonly ClaimedDelivery[];
      readonly url: string;
      readonly secrets: EndpointSecrets;
    }
  | EndpointSealed;

/** The endpoints that something is due for, and that nobody attempts at the moment. */
export async function dueEndpoints(
  database: Database,
  environment: Environment,
  nowMs: number,
): Promise<{ readonly due: readonly DueEndpoint[] }> {
  const { rows } = await sql<{ organisation_id: string; endpoint_id: string; is_failing: boolean }>`
      select any_endpoint.organisation_id, any_endpoint.endpoint_id, any_endpoint.failing_since is not null as is_failing
      from webhook_endpoints any_endpoint
      where any_endpoint.environment = ${environment} and any_endpoint.status = 'ENABLED' and exists (
        select from webhook_deliveries d
        where d.organisation_id = any_endpoint.organisation_id and d.environment = any_endpoint.environment
          and d.endpoint_id = any_endpoint.endpoint_id and d.status = 'PENDING' and d.due_at <= ${new Date(nowMs)}
          and (d.held_until is null or d.held_until <= clock_timestamp()))`.execute(database);
  const due = rows.map(({ organisation_id, endpoint_id, is_failing }) => ({
    scope: { organisationId: organisation_id, environment },
    endpointId: endpoint_id,
    isFailing: is_failing,
  }));
  return { due };
}

type ClaimedRow = EventRow & { tries: number; claim: number };

/**
 * Takes deliveries of an endpoint to itself, at most `limit`, and so many that at most 16 are under way in all processes. They are
 * held by the time of the server, which no sandbox moves: what a process leaves behind is due again once `holdMs` have passed.
 */
export async function claimDeliveries(
  { database, sealing }: EndpointParts,
  scope: Scope,
  endpointId: string,
  { limit, nowMs, holdMs }: ClaimAsk,
): Promise<ClaimedDeliveries> {
  const none = { ok: true, deliveries: [], url: '', secrets: { secrets: [], headers: {} } } as const;
  return database.transaction().execute(async (transaction) => {
    // Another process that claims for the endpoint waits, and then counts what is claimed here.
    const found = await lockEndpoint(transaction, scope, endpointId);
    if (found?.kept.status !== 'ENABLED') return none;
    const opened = openSecrets(sealing, scope, found);
    if (!opened.ok) return opened;
    const { rows: held } = await sql<{ held_count: bigint }>`
        select count(*) as held_count from webhook_deliveries h
        where ${isEndpoint(scope, endpointId, 'h')} and h.held_until > clock_timestamp()`.execute(
      transaction,
    );
    const { held_count } = held[0] ?? { held_count: 0n };
    const freeCount = MOST_HELD - Number(held_count);
    if (freeCount <= 0) return none;
    const { rows } = await sql<ClaimedRow>`
        with due as (
          select d.event_id from webhook_deliveries d
          where ${isEndpoint(scope, endpointId, 'd')} and d.status = 'PENDING' and d.due_at <= ${new Date(nowMs)}
            and (d.held_until is null or d.held_until <= clock_timestamp())
          order by d.due_at, d.position limit ${limit < freeCount ? limit : freeCount}
        ), claimed as (
          update webhook_deliveries d
          set claim = d.claim + 1, held_until = clock_timestamp() + ${`${holdMs} ms`}::interval
          from due where ${isEndpoint(scope, endpointId, 'd')} and d.event_id = due.event_id
          returning d.event_id, d.tries, d.claim, d.due_at
        )
        select e.event_id, e.type, e.subject_type, e.subject_id, e.sequence as sequence_number, e.at, e.data,
          e.position as place_number, claimed.tries, claimed.claim
        from events e join claimed on claimed.event_id = e.event_id
        where e.organisation_id = ${scope.organisationId} and e.environment = ${scope.environment}
        order by claimed.due_at, e.position`.execute(transaction);
    return { ok: true, deliveries: rows.map(claimedOf), url: found.kept.url, secrets: opened.secrets };
  });
}

function claimedOf(row: ClaimedRow): ClaimedDelivery {
  return { event: eventOf(row), tries: row.tries, claim: row.claim };
}
