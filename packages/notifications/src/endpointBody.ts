import { defined } from '@fairway/values';
import type { KeptDelivery, KeptEndpoint } from '@fairway/outbox';
import type { WebhookDelivery, WebhookEndpoint } from '@fairway/wire';
import { timestampOf } from '@fairway/api';
import { deliveryIdOf, type ShownEndpoint } from './endpoints.ts';

/** A webhook endpoint in the form of the API. */
export function endpointBody(kept: KeptEndpoint): WebhookEndpoint {
  const { endpointId, url, types, description, clientReference, headerNames, hasClientCertificate } = kept;
  const { status, disabledReason, failingSinceMs, createdAtMs, updatedAtMs } = kept;
  return {
    ...{ endpointId, url, types: [...types] },
    ...defined({ description, clientReference }),
    headerNames: [...headerNames],
    hasClientCertificate,
    status,
    ...defined({
      disabledReason,
      failingSince: failingSinceMs === undefined ? undefined : timestampOf(failingSinceMs),
    }),
    createdAt: timestampOf(createdAtMs),
    updatedAt: timestampOf(updatedAtMs),
  };
}

/** The same with its secret, where there is one to show. */
export function shownEndpointBody({ endpoint, secret }: ShownEndpoint): WebhookEndpoint {
  return { ...endpointBody(endpoint), ...defined({ secret }) };
}

/** A delivery in the form of the API. */
export function deliveryBody(kept: KeptDelivery): WebhookDelivery {
  const { endpointId, eventId, type, status, attempts, dueMs, createdAtMs } = kept;
  return {
    deliveryId: deliveryIdOf(eventId),
    ...{ endpointId, eventId, type, status },
    attempts: attempts.map(({ atMs, ...made }) => ({ at: timestampOf(atMs), ...made })),
    ...defined({ nextAttemptAt: dueMs === undefined ? undefined : timestampOf(dueMs) }),
    createdAt: timestampOf(createdAtMs),
  };
}
