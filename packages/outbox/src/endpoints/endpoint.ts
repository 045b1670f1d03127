import type { SealedPlace, Sealing, Unsealing } from '@fairway/keys';
import type { Scope } from '@fairway/values';
import type { QueryExecutorProvider } from 'kysely';
import type { Database } from '../database/schema.ts';
import type { PublishedEvent } from '../events/publishedEvents.ts';

/** Why an endpoint gets nothing. GONE: it answered 410. FAILING: no attempt has succeeded for days. DELETED: its owner took it away. */
export type DisabledReason = 'GONE' | 'FAILING' | 'DELETED';

/**
 * An endpoint as it is kept, without what is sealed. `types`: whole types, beginnings such as `payment_plan.*`, or `*`.
 * `failingSinceMs`: the first attempt that failed since the last that succeeded.
 */
export type KeptEndpoint = {
  readonly endpointId: string;
  readonly clientReference?: string;
  readonly url: string;
  readonly types: readonly string[];
  readonly description?: string;
  readonly headerNames: readonly string[];
  readonly hasClientCertificate: boolean;
  readonly status: 'ENABLED' | 'DISABLED';
  readonly disabledReason?: DisabledReason;
  readonly failingSinceMs?: number;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
};

/** A secret, and when it ends; the present one has no end. */
export type EndpointSecret = { readonly secret: string; readonly untilMs?: number };

/** What of an endpoint is sealed. `secrets`: newest first. */
export type EndpointSecrets = {
  readonly secrets: readonly EndpointSecret[];
  readonly headers: Readonly<Record<string, string>>;
  readonly clientCertificate?: { readonly cert: string; readonly key: string };
};

/** The types of events about endpoints. */
export type EndpointEventType =
  | 'webhook_endpoint.updated'
  | 'webhook_endpoint.failing'
  | 'webhook_endpoint.recovered'
  | 'webhook_endpoint.disabled'
  | 'webhook_endpoint.test';

/** Makes the published events about an endpoint. */
export type PublishedEventsOfEndpoint = (
  type: EndpointEventType,
  endpoint: KeptEndpoint,
) => readonly PublishedEvent[];

/**
 * What has become of an endpoint. `host`: where it was at that moment, with its port. FAILING: no attempt has succeeded
 * for an hour, since `sinceMs`. GONE and DISABLED: nothing more is sent to it, because it answered 410, or failed for
 * five days.
 */
export type EndpointNotice = {
  readonly scope: Scope;
  readonly endpointId: string;
  readonly host: string;
  readonly atMs: number;
} & (
  | { readonly kind: 'FAILING'; readonly sinceMs: number }
  | { readonly kind: 'RECOVERED' | 'GONE' | 'DISABLED' }
);

/**
 * The place of the secrets, headers and client certificate of a webhook endpoint.
 *
 * @example
 * ```ts
 * import { createSealing } from '@fairway/keys';
 * import { endpointPlace } from '@fairway/outbox';
 *
 * const { seal } = createSealing([{ id: 'k1', key: Buffer.alloc(32) }]);
 * const { keyId } = seal(endpointPlace('org_1', 'whe_1'), '{}'); // 'k1'
 * ```
 */
export function endpointPlace(organisationId: string, endpointId: string): SealedPlace {
  return { organisationId, ownerId: endpointId, field: 'webhook' };
}

/**
 * How an application tells of its endpoints. `addNotice`: has a notice sent to the owner of the endpoint, once the
 * transaction is committed.
 */
export type Telling = {
  readonly publishedEventsOfEndpoint: PublishedEventsOfEndpoint;
  addNotice(transaction: QueryExecutorProvider, notice: EndpointNotice): Promise<void>;
};

/**
 * What operations on endpoints work with. `comparable`: a kept fingerprint of a request; undefined where its key is
 * lost, so that it cannot be compared with anything.
 */
export type EndpointParts = Telling & {
  readonly database: Database;
  readonly sealing: Sealing;
  comparable(bodyFingerprint: Buffer): Buffer | undefined;
};

/** The scope has no such endpoint. */
export type EndpointAbsent = { readonly ok: false; readonly reason: 'ENDPOINT_UNKNOWN' };
/** The endpoint gets nothing at the moment. */
export type EndpointDisabled = { readonly ok: false; readonly reason: 'ENDPOINT_DISABLED' };
/** No key opens what of an endpoint is sealed. */
export type EndpointSealed = Extract<Unsealing, { readonly ok: false }>;
