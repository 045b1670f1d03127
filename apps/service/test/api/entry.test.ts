import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { GATE_LIMITS } from '@fairway/api';
import {
  assertProblem,
  basic,
  type Harness,
  type JsonBody,
  passed,
  startHarness,
  swapBody,
} from '../httpHarness.ts';

const ENDLESS = { requestsPerSecond: 1e6, failedLoginsPerMinute: 1e6 };

/** Sends a request to a listening harness, and reads the whole answer. */
async function send(harness: Harness, url: string, login: string, body?: object) {
  const { port } = harness.server.server.address() as AddressInfo;
  const headers = { authorization: basic(login), 'content-type': 'application/json' };
  const method = body === undefined ? 'GET' : 'POST';
  const sent = request({ port, host: '127.0.0.1', path: url, method, headers });
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  const chunks = (await answer.toArray()) as Buffer[];
  const json = JSON.parse(Buffer.concat(chunks).toString()) as JsonBody;
  const headersRead = answer.headers as Record<string, string>;
  if ((answer.statusCode ?? 0) >= 400) assertProblem(answer.statusCode ?? 0, headersRead, json);
  return { status: answer.statusCode, headers: headersRead, json };
}

/** A harness whose swaps wait until they are released, and that lets one request wait for each organisation. */
async function startFull() {
  const places = { ...GATE_LIMITS.places, CHAIN: { all: 2, alone: 1 } };
  const gate = { places, waiting: 2, waitMs: 60_000 };
  const harness = await startHarness({ limits: { ...ENDLESS, gate } });
  await harness.server.listen({ port: 0, host: '127.0.0.1' });
  const { promise, resolve } = Promise.withResolvers<void>();
  harness.setSwapResult(async () => {
    await promise;
    return passed(harness.orders.at(-1) ?? assert.fail());
  });
  return { harness, release: resolve };
}

test('credentials of one organisation share its places; more requests get 503 and Retry-After', async (t) => {
  const { harness, release } = await startFull();
  t.after(() => harness.close());
  const logins = ['full', 'second', 'full', 'second'];
  const sent = [];
  for (const login of logins) {
    sent.push(send(harness, '/v1/swap', `${login}:secret`, swapBody()));
    // Each request arrives before the next one is sent.
    for (let round = 0; round < 20; round += 1) await new Promise((resolve) => setImmediate(resolve));
  }
  const turnedAway = await sent[3];
  assert.equal(turnedAway?.status, 503);
  assert.equal(turnedAway?.json['code'], 'overloaded');
  assert.equal(turnedAway?.headers['retry-after'], '1');
  const wrong = await send(harness, '/v1/swap', 'second:wrong', swapBody());
  assert.equal(wrong.status, 401, 'a wrong password tells nothing about the organisation');
  const other = send(harness, '/v1/swap', 'stranger:secret', swapBody());
  release();
  assert.equal((await other).status, 200, 'another organisation has a place of its own');
  for (const served of sent.slice(0, 3)) assert.equal((await served).status, 200);
});

test('requests above the rate of an organisation get 429 with Retry-After, early ones too', async (t) => {
  const harness = await startHarness({ limits: { requestsPerSecond: 2, failedLoginsPerMinute: 100 } });
  t.after(() => harness.close());
  await harness.server.listen({ port: 0, host: '127.0.0.1' });
  const statuses = [];
  for (let sent = 0; sent < 6; sent += 1) {
    const answer = await send(harness, '/health', sent % 2 === 0 ? 'full:secret' : 'second:secret');
    statuses.push(answer.status);
    assert.equal(answer.headers['ratelimit-limit'], '2');
    assert.equal(answer.headers['retry-after'], answer.status === 429 ? '1' : undefined);
  }
  assert.deepEqual(statuses, [200, 200, 429, 429, 429, 429]);
  const wrong = await send(harness, '/health', 'second:wrong');
  assert.equal(wrong.status, 401, 'a wrong password tells nothing about the organisation');
  assert.equal((await send(harness, '/health', 'stranger:secret')).status, 200);
});
