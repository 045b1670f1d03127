import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { test, type TestContext } from 'node:test';
import Fastify from 'fastify';
import { optional } from '../fields/fields.ts';
import { textField } from '../fields/textFields.ts';
import { readQuery } from '../fields/query.ts';
import { type AdmissionGate, type AnswerKind, createAdmissionGate } from '../limits/gate.ts';
import { GATE_LIMITS } from '../limits/limits.ts';
import type { Answer } from '../answers/answer.ts';
import { createLongAnswers } from '../limits/longAnswers.ts';
import { createProblemSender } from '../answers/problemSender.ts';
import { operation } from '@fairway/wire';
import { createRegistrar, type Registrar } from './registrar.ts';

const CALLER = {
  outcome: 'AUTHENTICATED',
  credentialId: 'cred_1',
  organisationId: 'acme',
  environment: 'sandbox',
  permissions: [],
  stillHolds: () => true,
} as const;

async function serve(
  t: TestContext,
  register: (registrar: Registrar) => void,
  gate: AdmissionGate = createAdmissionGate(GATE_LIMITS),
): Promise<URL> {
  const server = Fastify({ routerOptions: { querystringParser: readQuery } });
  t.after(() => server.close());
  server.decorateRequest('caller', undefined);
  server.addHook('onRequest', async (request) => {
    request.caller = CALLER;
  });
  register(
    createRegistrar(
      server,
      createProblemSender(() => 'http://test'),
      gate,
      createLongAnswers(async () => true, { error: () => {} }),
      operation,
    ),
  );
  return new URL(await server.listen({ port: 0, host: '127.0.0.1' }));
}

const streaming = (stream: Readable): Answer<never> => ({ ok: true, stream, contentType: 'text/csv' });

test('a handler can answer with a stream, which is sent in full', async (t) => {
  const line = `${'x'.repeat(1023)}\n`;
  const url = await serve(t, (registrar) =>
    registrar.find('getPayment', { answer: async () => streaming(Readable.from(Array(5_000).fill(line))) }),
  );
  const response = await fetch(new URL('/v1/payments/plan_1', url));
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), 'text/csv');
  assert.equal((await response.text()).length, 5_000 * 1024);
});

test('a stream is destroyed when its reader disconnects', async (t) => {
  const endless = new Readable({
    read() {
      this.push('x'.repeat(65_536));
    },
  });
  const url = await serve(t, (registrar) =>
    registrar.find('getPayment', { answer: async () => streaming(endless) }),
  );
  const socket = connect(Number(url.port), '127.0.0.1');
  socket.write('GET /v1/payments/plan_1 HTTP/1.1\r\nHost: test\r\n\r\n');
  await once(socket, 'data');
  socket.destroy();
  if (!endless.closed) await once(endless, 'close');
  assert.ok(endless.destroyed);
});

test('an answer whose stream fails is cut off, so that the caller notices that it is incomplete', async (t) => {
  async function* lines() {
    yield 'first\n';
    await new Promise((resolve) => setImmediate(resolve));
    throw new Error('the source is gone');
  }
  const url = await serve(t, (registrar) =>
    registrar.find('getPayment', { answer: async () => streaming(Readable.from(lines())) }),
  );
  const reading = fetch(new URL('/v1/payments/plan_1', url)).then((response) => response.text());
  await assert.rejects(reading);
});

test('a request with wrong fields is refused before its operation runs', async (t) => {
  let runs = 0;
  const url = await serve(t, (registrar) =>
    registrar.find('listPayments', {
      input: (fields) => ({ corridorId: optional(fields, 'corridorId', textField(3)) }),
      async answer() {
        runs += 1;
        return { ok: true, body: [] };
      },
    }),
  );
  const refused = await fetch(new URL('/v1/payments?corridorId=four&wrong=1', url));
  assert.equal(refused.status, 400);
  const { code, errors } = (await refused.json()) as { code: string; errors: { pointer: string }[] };
  assert.equal(code, 'validation-failed');
  assert.deepEqual(errors.map(({ pointer }) => pointer).sort(), ['/query/corridorId', '/query/wrong']);
  assert.equal(runs, 0);
  assert.equal((await fetch(new URL('/v1/payments?corridorId=two', url))).status, 200);
  assert.equal(runs, 1);
});

test('the gate compares answers of one place and about one size, and no refusals', async (t) => {
  const gate = createAdmissionGate(GATE_LIMITS);
  const kinds: AnswerKind[] = [];
  const noting: AdmissionGate = {
    ...gate,
    run: (asker, need, work) =>
      gate.run(asker, need, async () => {
        const kind = await work();
        kinds.push(kind);
        return kind;
      }),
  };
  const register = (registrar: Registrar) =>
    registrar.page('listPayments', {
      input: (fields) => ({
        limit: optional(fields, 'limit', textField(3)),
        corridorId: optional(fields, 'corridorId', textField(9)),
      }),
      answer: async ({ limit, corridorId = 'near' }) => ({
        ok: true,
        body: 'x'.repeat(1_000 * Number(limit)),
        place: corridorId,
      }),
    });
  const url = await serve(t, register, noting);
  for (const query of ['limit=100', 'limit=99', 'limit=1', 'limit=99&corridorId=far', 'limit=four'])
    await fetch(new URL(`/v1/payments?${query}`, url));
  const [hundred, ninetyNine, one, far, refused] = kinds;
  assert.equal(hundred, ninetyNine);
  assert.equal(new Set([hundred, one, far]).size, 3, kinds.join(', '));
  assert.equal(refused, undefined);
});
