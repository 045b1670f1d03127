// What a receiver gets, and what its answer leads to.
import assert from 'node:assert/strict';
import type { IncomingHttpHeaders, IncomingMessage, RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { createWebhookSecret, createWebhookSender, type Delivery } from '../src/index.ts';
import { closeServers, orderTo, startRawReceiver, startReceiver } from './receivers.ts';
import { SANDBOX } from './rules.ts';

const sender = createWebhookSender(SANDBOX, { version: '9.8.7' });
after(async () => {
  await sender.close();
  await closeServers();
});

type Received = { request: IncomingMessage; body: string };

/** Delivers to a receiver that answers as told, and gives back what it got and how the attempt ended. */
async function deliver(
  answer: RequestListener,
  more: Partial<Parameters<typeof sender.send>[0]> = {},
): Promise<{ delivery: Delivery; received: Received[] }> {
  const received: Received[] = [];
  const receiver = await startReceiver((request, response) => {
    void text(request).then((body) => {
      received.push({ request, body });
      answer(request, response);
    });
  });
  const delivery = await sender.send(orderTo(`http://127.0.0.1:${receiver.port}/hooks?a=b%20c`, more));
  await receiver.close();
  return { delivery, received };
}

const verifiable = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));

test('a receiver gets the event with the headers of Standard Webhooks, verified by its library', async () => {
  const secret = createWebhookSecret();
  const nowMs = Date.now();
  const body = '{"type":"payment_plan.completed","memo":"Zürich – 東京 ✓"}';
  const headers = { 'X-Tenant': 'north', Authorization: 'Bearer abc' };
  const { delivery, received } = await deliver((_request, response) => response.writeHead(204).end(), {
    eventId: 'evt_2b',
    body,
    headers,
    secrets: [secret],
    nowMs,
  });
  assert.equal(received.length, 1);
  const { request, body: got } = received[0]!;
  assert.equal(got, body);
  assert.deepEqual([request.method, request.url], ['POST', '/hooks?a=b%20c']);
  const port = Number(request.headers.host?.split(':')[1]);
  const { 'webhook-signature': signature, ...others } = request.headers;
  assert.deepEqual(others, {
    'x-tenant': 'north',
    authorization: 'Bearer abc',
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    'user-agent': 'Fairway/9.8.7',
    'webhook-id': 'evt_2b',
    'webhook-timestamp': String(Math.floor(nowMs / 1000)),
    host: `127.0.0.1:${port}`,
    connection: 'close',
  });
  assert.match(String(signature), /^v1,[A-Za-z0-9+/]{43}=$/);
  assert.deepEqual(new Webhook(secret).verify(got, verifiable(request.headers)), JSON.parse(body));
  const { outcome, ...rest } = delivery;
  assert.deepEqual([outcome, { ...rest, durationMs: 0 }], ['DELIVERED', { status: 204, durationMs: 0 }]);
});

test('while a secret is changed, receivers with the old and with the new one accept the event', async () => {
  const [old, next, foreign] = [createWebhookSecret(), createWebhookSecret(), createWebhookSecret()];
  const { received } = await deliver((_request, response) => response.end(), { secrets: [next, old] });
  const { request, body } = received[0]!;
  for (const secret of [old, next]) new Webhook(secret).verify(body, verifiable(request.headers));
  assert.throws(() => new Webhook(foreign).verify(body, verifiable(request.headers)), /No matching/);
  assert.throws(() => new Webhook(old).verify(`${body} `, verifiable(request.headers)), /No matching/);
});

test('the status alone decides: 2xx is delivered, 410 is gone, the rest has failed', async () => {
  const outcomes: Record<number, string> = {
    200: 'DELIVERED',
    202: 'DELIVERED',
    204: 'DELIVERED',
    299: 'DELIVERED',
    300: 'FAILED',
    301: 'FAILED',
    304: 'FAILED',
    308: 'FAILED',
    400: 'FAILED',
    404: 'FAILED',
    410: 'GONE',
    500: 'FAILED',
    599: 'FAILED',
  };
  for (const [status, outcome] of Object.entries(outcomes)) {
    const { delivery } = await deliver((_request, response) => response.writeHead(Number(status)).end());
    const { durationMs, ...rest } = delivery;
    assert.ok(Number.isInteger(durationMs) && durationMs >= 0);
    assert.deepEqual(rest, { outcome, status: Number(status) });
  }
});

test('the next attempt waits as long as 429 and 503 ask, at most an hour, and else as usual', async () => {
  const nowMs = Date.UTC(2026, 10, 25, 12);
  const asked: [number, string, number][] = [
    [429, '7', 7000],
    [503, '3600', 3_600_000],
    [503, '86400', 3_600_000],
    [503, 'Wed, 25 Nov 2026 13:30:00 GMT', 3_600_000],
    [429, 'Wed, 25 Nov 2026 11:30:00 GMT', 5000],
    [429, 'soon', 5000],
    [429, '-5', 5000],
    [500, '7', 5000],
  ];
  for (const [status, retryAfter, expected] of asked) {
    const { delivery } = await deliver(
      (_request, response) => response.writeHead(status, { 'retry-after': retryAfter }).end(),
      { nowMs, failedAttempts: 0 },
    );
    const waitMs = ('waitMs' in delivery && delivery.waitMs) || 0;
    assert.ok(expected <= waitMs && waitMs <= (expected * 11) / 10, `${retryAfter}: ${waitMs}`);
  }
});

test('a redirect fails and is not followed', async () => {
  const elsewhere = await startReceiver((_request, response) => response.end());
  const location = `http://127.0.0.1:${elsewhere.port}/`;
  for (const status of [301, 302, 303, 307, 308]) {
    const { delivery } = await deliver((_request, response) =>
      response.writeHead(status, { location }).end(),
    );
    assert.deepEqual({ ...delivery, durationMs: 0 }, { outcome: 'FAILED', status, durationMs: 0 });
  }
  assert.equal(elsewhere.connections(), 0);
  await elsewhere.close();
});

test('each attempt has a connection of its own, which is closed after it', async () => {
  const receiver = await startReceiver((_request, response) =>
    response.writeHead(200, { connection: 'keep-alive' }).end('taken'),
  );
  const order = orderTo(`http://127.0.0.1:${receiver.port}/`);
  for (let count = 1; count <= 3; count += 1) {
    assert.equal((await sender.send(order)).outcome, 'DELIVERED');
    assert.equal(receiver.connections(), count);
  }
  while (receiver.open() > 0) await new Promise((resolve) => setImmediate(resolve));
  await receiver.close();
});

test('nothing is sent to a URL, with headers or with a certificate that the rule refuses', async () => {
  const receiver = await startReceiver((_request, response) => response.end());
  const url = `http://127.0.0.1:${receiver.port}/`;
  const errorOf = async (order: ReturnType<typeof orderTo>): Promise<unknown> => {
    const { durationMs: _, ...rest } = await sender.send(order);
    return rest;
  };
  assert.deepEqual(await errorOf(orderTo(`${url}#x`)), { outcome: 'FAILED', error: 'URL_REFUSED' });
  const headers = { 'x-a': 'b\r\nwebhook-id: evt_other' };
  assert.deepEqual(await errorOf(orderTo(url, { headers })), { outcome: 'FAILED', error: 'HEADERS_REFUSED' });
  const clientCertificate = { cert: 'x', key: 'y' };
  const refused = { outcome: 'FAILED', error: 'CLIENT_CERTIFICATE_REFUSED' };
  assert.deepEqual(await errorOf(orderTo(url, { clientCertificate })), refused);
  assert.equal(receiver.connections(), 0);
  await receiver.close();
});

test('an attempt without a key, or with what is no id of an event, is a bug of the caller', async () => {
  await assert.rejects(sender.send(orderTo('http://127.0.0.1:2000/', { secrets: [] })), RangeError);
  await assert.rejects(sender.send(orderTo('http://127.0.0.1:2000/', { eventId: 'evt.1' })), RangeError);
});

test('close ends attempts that are under way and those that come later', async () => {
  const receiver = await startReceiver(() => undefined);
  const closing = createWebhookSender(SANDBOX, { version: '1' });
  const order = orderTo(`http://127.0.0.1:${receiver.port}/`);
  const sent = [closing.send(order), closing.send(order)];
  while (receiver.connections() < 2) await new Promise((resolve) => setImmediate(resolve));
  await closing.close();
  for (const delivery of [...(await Promise.all(sent)), await closing.send(order)]) {
    assert.deepEqual(
      { ...delivery, durationMs: 0 },
      { outcome: 'FAILED', error: 'SENDER_CLOSED', durationMs: 0 },
    );
  }
  assert.equal(receiver.connections(), 2);
  await closing.close();
  await receiver.close();
});

test('a large body arrives whole, and one that is not read does not hold up the answer', async () => {
  const body = JSON.stringify('x'.repeat(5_000_000));
  const { received } = await deliver((_request, response) => response.end(), { body });
  assert.equal(received[0]?.body, body);
  const busy = await startRawReceiver((socket) =>
    socket.pause().write('HTTP/1.1 503 Busy\r\ncontent-length: 0\r\n\r\n'),
  );
  const { durationMs, ...rest } = await sender.send(orderTo(`http://127.0.0.1:${busy.port}/`, { body }));
  assert.deepEqual(rest, { outcome: 'FAILED', status: 503 });
  // An attempt that waits for the receiver to read takes all the time that it may.
  assert.ok(durationMs < 15_000);
});
