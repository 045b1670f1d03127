import { sql } from 'kysely';
import type { Environment, Scope } from '@fairway/values';
import { type ChangedEndpoint, changeEndpoint, type EndpointChange, testEndpoint } from './changeEndpoint.ts';
import {
  type ClaimAsk,
  type ClaimedDeliveries,
  claimDeliveries,
  type DueEndpoint,
  dueEndpoints,
} from './claim.ts';
import {
  type ConcludedAttempt,
  concludeAttempt,
  type HeldDelivery,
  releaseDelivery,
  publishFailing,
} from './conclude.ts';
import { type CreatedEndpoint, createEndpoint, type EndpointCreation } from './createEndpoint.ts';
import {
  type DeliveryAsk,
  type KeptDelivery,
  listDeliveries,
  type RecoverAsk,
  type Recovered,
  recoverDeliveries,
  resendEvent,
  type Resent,
} from './deliveries.ts';
import type { EndpointAbsent, EndpointDisabled, EndpointParts, KeptEndpoint } from './endpoint.ts';
import { findEndpoint, loadEndpoints } from './endpointRows.ts';

/**
 * Endpoints that get events, and what was sent to them. A scope sees its own alone: an id of another scope is
 * answered like an id that does not exist. Times are the caller's.
 */
export type Webhooks = {
  /** Keeps a new endpoint. Throws when there is no key to seal its secret with. */
  createEndpoint(scope: Scope, creation: EndpointCreation, atMs: number): Promise<CreatedEndpoint>;
  /** An endpoint as it is. */
  loadEndpoint(scope: Scope, endpointId: string): Promise<{ readonly endpoint: KeptEndpoint | undefined }>;
  /** All endpoints of a scope, newest first; they are few. */
  listEndpoints(scope: Scope): Promise<{ readonly endpoints: readonly KeptEndpoint[] }>;
  /** Changes an endpoint. */
  changeEndpoint(
    scope: Scope,
    endpointId: string,
    change: EndpointChange,
    atMs: number,
  ): Promise<ChangedEndpoint>;
  /** Has an event made for this endpoint alone, and answers its id. */
  testEndpoint(
    scope: Scope,
    endpointId: string,
    atMs: number,
  ): Promise<{ readonly ok: true; readonly eventId: string } | EndpointAbsent | EndpointDisabled>;
  /** The deliveries of an endpoint, newest event first. */
  listDeliveries(
    scope: Scope,
    endpointId: string,
    ask: DeliveryAsk,
  ): Promise<
    | { readonly ok: true; readonly deliveries: readonly KeptDelivery[]; readonly next: bigint | undefined }
    | EndpointAbsent
  >;
  /** Has events of a time sent again. */
  recoverDeliveries(scope: Scope, endpointId: string, ask: RecoverAsk, nowMs: number): Promise<Recovered>;
  /** Has an event sent again. */
  resendEvent(
    scope: Scope,
    eventId: string,
    ask: { readonly endpointId?: string | undefined; readonly isDelivery?: boolean; readonly nowMs: number },
  ): Promise<Resent>;
  /** The endpoints of all organisations that something is due for. */
  dueEndpoints(environment: Environment, nowMs: number): Promise<{ readonly due: readonly DueEndpoint[] }>;
  /** Takes deliveries to itself, to attempt them now. */
  claimDeliveries(scope: Scope, endpointId: string, ask: ClaimAsk): Promise<ClaimedDeliveries>;
  /** Records how an attempt ended. */
  concludeAttempt(held: HeldDelivery, made: ConcludedAttempt, nowMs: number): Promise<void>;
  /** Gives a delivery back without an attempt. */
  releaseDelivery(held: HeldDelivery): Promise<void>;
  /** Tells of the endpoints that have failed for an hour. */
  publishFailing(environment: Environment, nowMs: number): Promise<void>;
};

/**
 * Binds the operations to a database, and to what the application does with secrets, events and notices.
 *
 * @example
 * ```ts
 * import { createSealing } from '@fairway/keys';
 * import { createWebhooks, type OutboxTables } from '@fairway/outbox';
 * import type { Kysely } from 'kysely';
 *
 * declare const database: Kysely<OutboxTables>;
 * const webhooks = createWebhooks({
 *   database,
 *   sealing: createSealing([{ id: 'k1', key: Buffer.alloc(32) }]),
 *   comparable: (fingerprint) => fingerprint,
 *   publishedEventsOfEndpoint: (type, { endpointId: id, status }) => [
 *     { type, subject: { type: 'webhook_endpoint', id }, data: { status } },
 *   ],
 *   addNotice: async () => {},
 * });
 * const { endpoints } = await webhooks.listEndpoints({ organisationId: 'org_1', environment: 'production' });
 * ```
 */
export function createWebhooks(parts: EndpointParts): Webhooks {
  const { database } = parts;
  return {
    createEndpoint: (scope, creation, atMs) => createEndpoint(parts, scope, creation, atMs),
    loadEndpoint: async (scope, endpointId) => ({
      endpoint: (await findEndpoint(database, scope, endpointId))?.kept,
    }),
    listEndpoints: async ({ organisationId, environment }) => {
      const found = await loadEndpoints(
        database,
        sql`w.organisation_id = ${organisationId} and w.environment = ${environment} and w.status <> 'DELETED'
            order by w.endpoint_id desc`,
      );
      return { endpoints: found.map(({ kept }) => kept) };
    },
    changeEndpoint: (scope, endpointId, change, atMs) =>
      changeEndpoint(parts, scope, endpointId, change, atMs),
    testEndpoint: (scope, endpointId, atMs) => testEndpoint(parts, scope, endpointId, atMs),
    listDeliveries: (scope, endpointId, ask) => listDeliveries(database, scope, endpointId, ask),
    recoverDeliveries: (scope, endpointId, ask, nowMs) =>
      recoverDeliveries(parts, scope, endpointId, ask, nowMs),
    resendEvent: (scope, eventId, ask) => resendEvent(parts, scope, eventId, ask),
    dueEndpoints: (environment, nowMs) => dueEndpoints(database, environment, nowMs),
    claimDeliveries: (scope, endpointId, ask) => claimDeliveries(parts, scope, endpointId, ask),
    concludeAttempt: (held, made, nowMs) => concludeAttempt(parts, held, made, nowMs),
    releaseDelivery: (held) => releaseDelivery(database, held),
    publishFailing: (environment, nowMs) => publishFailing(parts, environment, nowMs),
  };
}
