import assert from 'node:assert/strict';
import { randomUUIDv7 } from 'node:crypto';
import type { EndpointCreation, KeptEndpoint } from '@fairway/outbox';
import type { TestStore } from './storeOfTest.ts';

/** Where the endpoints of tests send to. */
export const RECEIVER_URL = 'https://receiver.example/hooks';

/** What an endpoint of tests is made of. */
export function endpointCreation(changes: Partial<EndpointCreation> = {}): EndpointCreation {
  return {
    endpointId: `whe_${randomUUIDv7().replaceAll('-', '')}`,
    url: RECEIVER_URL,
    types: ['*'],
    secrets: { secrets: [{ secret: 'whsec_first' }], headers: {} },
    bodyFingerprint: undefined,
    ...changes,
  };
}

/** Makes an endpoint. */
export async function newEndpoint(
  { store, scope, clock }: TestStore,
  changes: Partial<EndpointCreation> = {},
): Promise<KeptEndpoint> {
  const made = await store.webhooks.createEndpoint(scope, endpointCreation(changes), clock.nowMs);
  assert.ok(made.ok && made.outcome === 'CREATED', JSON.stringify(made));
  return made.endpoint;
}
