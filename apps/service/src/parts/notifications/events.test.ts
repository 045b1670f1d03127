import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readableEvent } from '@fairway/notifications';
import type { KeptEvent } from '@fairway/outbox';
import { operation, SUBJECT_READERS, SUBJECT_TYPES } from '@fairway/wire';
import { CATALOGUE } from './catalogue.ts';

const SECRET = 'seen by whoever may ask for it';

function eventOn(type: string): KeptEvent {
  return {
    eventId: 'evt_1',
    type: `${type}.updated`,
    subject: { type, id: 'x' },
    sequence: 3,
    atMs: 0,
    data: { stepId: 'step_1', evidence: { txHash: SECRET }, data: { object: { name: SECRET } } },
    position: 1n,
  };
}

test('an event shows of its subject what the credential could ask for', () => {
  for (const type of SUBJECT_TYPES) {
    const needed = SUBJECT_READERS[type];
    const shownTo = (permissions: readonly string[]) =>
      JSON.stringify(readableEvent(eventOn(type), CATALOGUE, { environment: 'sandbox', permissions }));
    assert.ok(shownTo(['events:read', ...(needed === undefined ? [] : [needed])]).includes(SECRET), type);
    const without = JSON.parse(shownTo(['events:read'])) as Record<string, unknown>;
    assert.deepEqual([without['sequence'], without['subject']], [3, { type, id: 'x' }]);
    if (needed === undefined) continue;
    assert.deepEqual(
      [without['data'], without['stepId'], without['evidence']],
      [{ object: {} }, undefined, undefined],
    );
  }
});

test('what events show of a subject needs the permission that reading it needs', () => {
  const reading = {
    payment_plan: 'getPayment',
    collect_request: 'getCollectRequest',
    recipient: 'getRecipient',
    webhook_endpoint: 'getWebhookEndpoint',
    report: 'getReport',
    statement: 'getStatement',
    statement_entry: 'getEntry',
  } as const;
  for (const [type, id] of Object.entries(reading)) {
    const { access } = operation(id);
    assert.equal(
      access.kind === 'PERMISSION' && access.permission,
      SUBJECT_READERS[type as keyof typeof reading],
    );
  }
});
