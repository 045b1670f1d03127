import {
  type Asker,
  CHECKS_OF_ADDRESS,
  createRateLimits,
  type Door,
  type RateLimits,
  type SendProblem,
} from '@fairway/api';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import Fastify from 'fastify';
import type { CollectParts } from './parts.ts';
import { registerCollectPages } from './pages.ts';

test('a form waits for a turn of the organisation whose link it is, and says when there was none', async (t) => {
  const asked: Asker[] = [];
  const link = { scope: { organisationId: 'org_1', environment: 'sandbox' }, planId: 'plan_1' };
  const parts = {
    environment: 'sandbox',
    nowMs: () => 0,
    store: {
      collect: { findLink: () => Promise.resolve({ ok: true, link }) },
      pageStates: { seal: (_environment: string, text: string) => text, typingKey: () => 'k' },
    },
  } as unknown as CollectParts;
  const limits = {
    countForm: () => 0,
    tokens: {
      judge: async (_request: unknown, guess: { check(): Promise<unknown> }) => ({
        ok: true,
        result: await guess.check(),
      }),
    },
  } as unknown as RateLimits;
  const server = Fastify();
  t.after(() => server.close());
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  const full = async (asker: Asker) => {
    asked.push(asker);
    return { code: 'overloaded', detail: 'Too many.' } as const;
  };
  registerCollectPages(doorOf({ server, limits, gate: { run: full } }), parts, { record: () => {} });
  const page = await server.inject({
    method: 'POST',
    url: '/collect/details',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: 'token=abc&type=bank&code=123456&own=yes',
  });
  assert.deepEqual(asked, [{ organisationId: 'org_1', operation: 'collectForm' }]);
  assert.equal(page.statusCode, 503);
  assert.match(page.headers['retry-after'] ?? '', /^\d+$/);
  // A reload tries the same once more.
  const state = { step: 'details', form: 'token=abc&type=bank', madeAtMs: 0 };
  assert.ok(page.body.includes(JSON.stringify(state).replaceAll('"', '&quot;').replaceAll('&t', '&amp;t')));
});

test('a form that finds no place among those of others is answered with a page that keeps it', async (t) => {
  const free = Promise.withResolvers<void>();
  t.after(() => free.resolve());
  const parts = {
    environment: 'sandbox',
    nowMs: () => 0,
    store: {
      collect: { findLink: () => free.promise.then(() => ({ ok: true })) },
      pageStates: { seal: (_environment: string, text: string) => text, typingKey: () => 'k' },
    },
  } as unknown as CollectParts;
  const server = Fastify();
  t.after(() => server.close());
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  registerCollectPages(
    doorOf({
      server,
      limits: createRateLimits({ requestsPerSecond: 10, failedLoginsPerMinute: 5 }),
      gate: { run: () => assert.fail('no link is known') },
    }),
    parts,
    { record: () => {} },
  );
  const posted = Array.from({ length: CHECKS_OF_ADDRESS + 1 }, (_, number) =>
    server.inject({
      method: 'POST',
      url: '/collect/details',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: `token=${number}&type=bank&name=Jo`,
    }),
  );
  // All others wait for the database.
  const page = await Promise.race(posted);
  assert.equal(page.statusCode, 503);
  assert.match(page.headers['retry-after'] ?? '', /^[1-9]\d*$/);
  const state = { step: 'details', form: `token=${CHECKS_OF_ADDRESS}&type=bank&name=Jo`, madeAtMs: 0 };
  assert.ok(page.body.includes(JSON.stringify(state).replaceAll('&', '&amp;').replaceAll('"', '&quot;')));
  assert.match(page.body, /reload this page/);
});

test('a form is refused before anything is sealed, and too much of a form before it is read', async (t) => {
  const parts = {
    environment: 'sandbox',
    nowMs: () => 0,
    store: { pageStates: { seal: () => assert.fail('sealed'), open: () => undefined } },
  } as unknown as CollectParts;
  const counted: string[] = [];
  const limits = { countForm: (name: string) => counted.push(name) } as unknown as RateLimits;
  const server = Fastify();
  t.after(() => server.close());
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  const told: string[] = [];
  const sendProblem: SendProblem = (_request, reply, { code }) => {
    told.push(code);
    return reply.code(400).send();
  };
  const door = { ...doorOf({ server, limits, gate: { run: () => assert.fail('worked on') } }), sendProblem };
  registerCollectPages(door, parts, { record: () => {} });
  const post = async (path: string, payload: string) =>
    (
      await server.inject({
        method: 'POST',
        url: `/collect/${path}`,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        payload,
      })
    ).statusCode;
  const fields = (count: number) => Array.from({ length: count }, (_, index) => `f${index}=x`).join('&');
  assert.equal(await post('details', fields(60)), 429);
  assert.equal(counted.length, 1);
  assert.equal(await post('details', fields(61)), 400);
  assert.equal(await post('details', '&'.repeat(60)), 400);
  assert.equal(await post('details', 'x'.repeat(16_384)), 429);
  assert.equal(await post('details', 'x'.repeat(16_385)), 413);
  assert.equal(await post('restore', 'x'.repeat(32_768)), 410);
  assert.equal(await post('restore', 'x'.repeat(32_769)), 413);
  assert.deepEqual([counted.length, told], [2, ['malformed-request', 'malformed-request']]);
});

test('there is a style sheet for each colour, the same for everybody, and no other', async (t) => {
  const server = Fastify();
  t.after(() => server.close());
  const nothing = {} as never;
  registerCollectPages(doorOf({ server, limits: nothing, gate: nothing }), nothing, { record: () => {} });
  const style = await server.inject('/collect/colour/e8833a.css');
  assert.equal(style.headers['content-type'], 'text/css; charset=utf-8');
  assert.match(style.body, /--button:#e8833a;--on-button:#000000/);
  const etag = String(style.headers['etag']);
  const again = await server.inject({
    url: '/collect/colour/e8833a.css',
    headers: { 'if-none-match': etag },
  });
  assert.equal(again.statusCode, 304);
  for (const other of ['E8833A', 'e8833', 'e8833ab', 'red', '000000%7D*%7Bcolor:red'])
    assert.equal((await server.inject(`/collect/colour/${other}.css`)).statusCode, 404, other);
});

/** A door whose registrar is not used: pages are no operations. */
function doorOf(given: Pick<Door, 'server' | 'limits' | 'gate'>): Door {
  return { ...given, registrar: {} as Door['registrar'], sendProblem: () => assert.fail('no problem') };
}
