import type { Database } from '../database/database.ts';
import type { PublishedEvent } from '../events/publishedEvents.ts';
import type { Fingerprints } from '../keys/fingerprints.ts';
import type { Sealing } from '../keys/sealing.ts';

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

/** What operations on endpoints work with. */
export type EndpointParts = {
  readonly database: Database;
  readonly sealing: Sealing;
  readonly fingerprints: Fingerprints;
  readonly publishedEventsOfEndpoint: PublishedEventsOfEndpoint;
};

/** The scope has no such endpoint. */
export type EndpointAbsent = { readonly ok: false; readonly reason: 'ENDPOINT_UNKNOWN' };
/** The endpoint gets nothing at the moment. */
export type EndpointDisabled = { readonly ok: false; readonly reason: 'ENDPOINT_DISABLED' };
/** No key opens what of an endpoint is sealed. */
export type EndpointSealed = { readonly ok: false; readonly reason: 'KEY_UNKNOWN' | 'SEAL_BROKEN' };
