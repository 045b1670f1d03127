import { randomUUIDv7 } from 'node:crypto';
import { defined } from '@fairway/values';
import type {
  CreatedEndpoint,
  EndpointChange,
  KeptDelivery,
  KeptEndpoint,
  RecoverAsk,
} from '@fairway/outbox';
import type { Scope } from '@fairway/values';
import { createWebhookSecret } from '@fairway/webhooks';
import { DELIVERY_ID_PATTERN, ENDPOINT_ID_PATTERN, EVENT_ID_PATTERN } from '@fairway/wire';
import { done, type Outcome, refuse, referenceReused } from '@fairway/api';
import type { EndpointParts } from './endpointParts.ts';
import {
  CANNOT_SEAL,
  endpointRefused,
  NO_SUCH_DELIVERY,
  NO_SUCH_ENDPOINT,
  NO_SUCH_EVENT,
  TOO_MANY,
} from './endpointProblems.ts';
import type { EndpointRequest } from './endpointRequests.ts';

/** The form of an endpoint's id. */
export const ENDPOINT_ID: RegExp = new RegExp(ENDPOINT_ID_PATTERN);
const DELIVERY_ID = new RegExp(DELIVERY_ID_PATTERN);
const EVENT_ID = new RegExp(EVENT_ID_PATTERN);

/** An endpoint, with its secret where that was made by this request. */
export type ShownEndpoint = { readonly endpoint: KeptEndpoint; readonly secret?: string };

/** Makes an endpoint, one for each reference. `isReplayed`: an earlier request made it; its secret is not shown again. */
export async function makeEndpoint(
  parts: EndpointParts,
  scope: Scope,
  request: EndpointRequest,
): Promise<Outcome<ShownEndpoint & { readonly isReplayed: boolean }>> {
  const { url, types, description, clientReference, headers, clientCertificate } = request;
  if (!parts.canSeal) return refuse(CANNOT_SEAL);
  const secret = createWebhookSecret();
  const bodyFingerprint =
    clientReference === undefined ? undefined : fingerprintOf(parts, scope, request, clientReference);
  const created = await parts.webhooks.createEndpoint(
    scope,
    {
      endpointId: `whe_${randomUUIDv7().replaceAll('-', '')}`,
      ...{ url, types, bodyFingerprint },
      ...defined({ description, clientReference }),
      secrets: { secrets: [{ secret }], headers, ...defined({ clientCertificate }) },
    },
    parts.nowMs(),
  );
  if (!created.ok) return refuse(TOO_MANY);
  if (created.outcome === 'CREATED') return done({ endpoint: created.endpoint, secret, isReplayed: false });
  return replayed(created, clientReference, bodyFingerprint);
}

function replayed(
  { endpoint, isDeleted, bodyFingerprint }: Extract<CreatedEndpoint, { outcome: 'EXISTS' }>,
  clientReference: string | undefined,
  fingerprint: Buffer | undefined,
): Outcome<ShownEndpoint & { readonly isReplayed: boolean }> {
  const isSame = fingerprint !== undefined && bodyFingerprint?.equals(fingerprint) === true;
  if (isSame && !isDeleted) return done({ endpoint, isReplayed: true });
  const name = JSON.stringify(clientReference);
  const detail = isDeleted
    ? `clientReference ${name} stands for an endpoint that was deleted; send this one under a reference of its own.`
    : `clientReference ${name} stands for another endpoint already; send this one under a reference of its own.`;
  return referenceReused(detail);
}

/** Equal for requests with the same meaning. The order of types and of headers makes no difference. */
function fingerprintOf(
  { fingerprint }: EndpointParts,
  { organisationId }: Scope,
  { url, types, description, headers, clientCertificate }: EndpointRequest,
  clientReference: string,
): Buffer {
  const sortedHeaders = Object.entries(headers).sort(([a], [b]) => (a < b ? -1 : 1));
  const certificate = clientCertificate && [clientCertificate.cert, clientCertificate.key];
  const parts = [url, types.toSorted(), description ?? null, sortedHeaders, certificate ?? null];
  return fingerprint('request', organisationId, JSON.stringify(['webhook', clientReference, ...parts]));
}

/** The endpoint with an id. */
export async function findEndpoint(
  { webhooks }: EndpointParts,
  scope: Scope,
  endpointId: string,
): Promise<Outcome<ShownEndpoint>> {
  if (!ENDPOINT_ID.test(endpointId)) return refuse(NO_SUCH_ENDPOINT);
  const { endpoint } = await webhooks.loadEndpoint(scope, endpointId);
  return endpoint === undefined ? refuse(NO_SUCH_ENDPOINT) : done({ endpoint });
}

/** All endpoints of a scope, newest first. */
export async function listEndpoints(
  { webhooks }: EndpointParts,
  scope: Scope,
): Promise<Outcome<readonly KeptEndpoint[]>> {
  const listed = await webhooks.listEndpoints(scope);
  return done(listed.endpoints);
}

/** Changes an endpoint. */
export async function changeEndpoint(
  { webhooks, nowMs }: EndpointParts,
  scope: Scope,
  endpointId: string,
  change: EndpointChange,
): Promise<Outcome<ShownEndpoint>> {
  if (!ENDPOINT_ID.test(endpointId)) return refuse(NO_SUCH_ENDPOINT);
  const changed = await webhooks.changeEndpoint(scope, endpointId, change, nowMs());
  return changed.ok ? done({ endpoint: changed.endpoint }) : refuse(endpointRefused(changed));
}

/** Makes a new secret; the former ones stay in use for a time. */
export async function rotateSecret(
  parts: EndpointParts,
  scope: Scope,
  endpointId: string,
  overlapSeconds: number,
): Promise<Outcome<ShownEndpoint>> {
  const secret = createWebhookSecret();
  const untilMs = parts.nowMs() + 1000 * overlapSeconds;
  const rotated = await changeEndpoint(parts, scope, endpointId, { type: 'ROTATED', secret, untilMs });
  return rotated.ok ? done({ ...rotated.value, secret }) : rotated;
}

/** Has an event made for an endpoint alone, and answers its id. */
export async function testEndpoint(
  { webhooks, nowMs }: EndpointParts,
  scope: Scope,
  endpointId: string,
): Promise<Outcome<string>> {
  if (!ENDPOINT_ID.test(endpointId)) return refuse(NO_SUCH_ENDPOINT);
  const tested = await webhooks.testEndpoint(scope, endpointId, nowMs());
  return tested.ok ? done(tested.eventId) : refuse(endpointRefused(tested));
}

/** Has events of a time sent again. */
export async function recoverEvents(
  { webhooks, nowMs }: EndpointParts,
  scope: Scope,
  endpointId: string,
  ask: RecoverAsk,
): Promise<Outcome<{ readonly recovered: number; readonly nextMs: number | undefined }>> {
  if (!ENDPOINT_ID.test(endpointId)) return refuse(NO_SUCH_ENDPOINT);
  const recovered = await webhooks.recoverDeliveries(scope, endpointId, ask, nowMs());
  return recovered.ok ? done(recovered) : refuse(endpointRefused(recovered));
}

/** Has a delivery made again. */
export async function resendDelivery(
  { webhooks, nowMs }: EndpointParts,
  scope: Scope,
  endpointId: string,
  deliveryId: string,
): Promise<Outcome<KeptDelivery>> {
  if (!ENDPOINT_ID.test(endpointId)) return refuse(NO_SUCH_ENDPOINT);
  // An endpoint of another organisation is answered before the delivery is looked at.
  const eventId = DELIVERY_ID.test(deliveryId) ? eventIdOf(deliveryId) : '';
  const resent = await webhooks.resendEvent(scope, eventId, {
    endpointId,
    isDelivery: true,
    nowMs: nowMs(),
  });
  if (!resent.ok)
    return refuse(resent.reason === 'EVENT_UNKNOWN' ? NO_SUCH_DELIVERY : endpointRefused(resent));
  const [delivery] = resent.deliveries;
  if (delivery === undefined) throw new Error('A delivery that was begun again must be there.');
  return done(delivery);
}

/** Has an event sent again, to one endpoint or to all that want it. */
export async function resendEvent(
  { webhooks, nowMs }: EndpointParts,
  scope: Scope,
  eventId: string,
  endpointId: string | undefined,
): Promise<Outcome<readonly KeptDelivery[]>> {
  if (!EVENT_ID.test(eventId)) return refuse(NO_SUCH_EVENT);
  if (endpointId !== undefined && !ENDPOINT_ID.test(endpointId)) return refuse(NO_SUCH_ENDPOINT);
  const resent = await webhooks.resendEvent(scope, eventId, { endpointId, nowMs: nowMs() });
  return resent.ok ? done(resent.deliveries) : refuse(endpointRefused(resent));
}

/** The id of the delivery of an event, which is unique within an endpoint. */
export function deliveryIdOf(eventId: string): string {
  return eventId.replace(/^evt_/, 'whd_');
}

function eventIdOf(deliveryId: string): string {
  return deliveryId.replace(/^whd_/, 'evt_');
}
