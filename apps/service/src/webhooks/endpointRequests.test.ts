import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bodyFields } from '../fields/fields.ts';
import type { JsonValue } from '../fields/body.ts';
import { readEndpointRequest } from './endpointRequests.ts';

const FIELDS = ['url', 'types', 'description', 'clientReference', 'headers', 'clientCertificate'];
const RULE = { httpToLoopback: false, allowPrivate: [] };

function errorsOf(body: JsonValue) {
  const fields = bodyFields(body, FIELDS);
  readEndpointRequest(fields, RULE);
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
