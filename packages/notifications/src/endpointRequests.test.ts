import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bodyFields, type JsonValue } from '@fairway/api';
import type { Catalogue } from './catalogue.ts';
import { readEndpointRequest, readRecovery } from './endpointRequests.ts';

const FIELDS = ['url', 'types', 'description', 'clientReference', 'headers', 'clientCertificate'];
const catalogue: Catalogue = {
  root: '/v1',
  types: ['payment_plan.created', 'payment_plan.completed'],
  subjectIds: { pattern: /^plan_/, must: 'the id of a plan' },
  readAnew: 'Read the plans',
  readerOf: () => undefined,
  scopeOf: () => ({ organisationId: 'org_1', environment: 'sandbox' }),
};
const RULES = { rule: { httpToLoopback: false, allowPrivate: [] }, catalogue };

function errorsOf(body: JsonValue) {
  const fields = bodyFields(body, FIELDS);
  readEndpointRequest(fields, RULES);
  return fields.errors;
}

test('an endpoint without a URL is told which one it needs', () => {
  assert.deepEqual(errorsOf({}), [{ pointer: '/url', detail: 'url is missing; it must be an https URL.' }]);
});

test('a header that is no text is named, and what was meant by a type of events', () => {
  const url = 'https://shop.example/hooks';
  assert.deepEqual(errorsOf({ url, headers: { b: 'c', 'x/a': true } }), [
    { pointer: '/headers/x~1a', detail: 'headers."x/a" must be a text.' },
  ]);
  const [error] = errorsOf({ url, types: ['payment.completed'] });
  assert.equal(error?.pointer, '/types/0');
  assert.ok(error?.suggestions?.includes('payment_plan.completed'), JSON.stringify(error));
});

test('a recovery that begins in the future is told so, and until is named only where it was sent', () => {
  const errorOf = (body: JsonValue) => {
    const fields = bodyFields(body, ['since', 'until']);
    readRecovery(fields, { nowMs: Date.parse('2026-11-26T12:00:00Z'), catalogue });
    return fields.errors[0]?.detail;
  };
  assert.equal(errorOf({ since: '2026-11-26T13:00:00Z' }), 'since must not be in the future.');
  const until = '2026-11-26T09:00:00Z';
  assert.equal(errorOf({ since: '2026-11-26T10:00:00Z', until }), 'since must be before until.');
  assert.equal(errorOf({ since: '2026-11-26T12:00:00Z' }), undefined);
});
