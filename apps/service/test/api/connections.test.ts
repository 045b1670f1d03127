import assert from 'node:assert/strict';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { basic, passed, startHarness, swapBody } from '../httpHarness.ts';
import type { ConnectionLimits } from '@fairway/api';

/** Starts a server with limits of connections, and connects to it. Everything ends with the test. */
async function serve(t: TestContext, connections: Partial<ConnectionLimits>) {
  const harness = await startHarness({
    limits: { requestsPerSecond: 1e6, failedLoginsPerMinute: 1e6, connections },
  });
  await harness.server.listen({ port: 0, host: '127.0.0.1' });
  const { port } = harness.server.server.address() as AddressInfo;
  const sockets: Socket[] = [];
  t.after(async () => {
    for (const socket of sockets) socket.destroy();
    await harness.close();
  });
  const open = async (): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    sockets.push(socket);
    await once(socket, 'connect');
    return socket;
  };
  /** How many connections the server has. */
  const count = () =>
    new Promise<number>((resolve, reject) =>
      harness.server.server.getConnections((error, found) => (error ? reject(error) : resolve(found))),
    );
  return { harness, open, count };
}

async function firstData(socket: Socket): Promise<string> {
  const [data] = (await once(socket, 'data', { signal: AbortSignal.timeout(20_000) })) as [Buffer];
  return data.toString();
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  for (let round = 0; round < 1_000; round += 1) {
    if (await condition()) return;
    await sleep(20);
  }
  assert.fail('The connections did not become what they should be.');
}

const DOCUMENT = 'GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n';
const LIVEZ = 'GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n';

/** Asks for more than the buffers of the system hold, and reads nothing. */
async function askUnread(open: () => Promise<Socket>): Promise<Socket> {
  const socket = await open();
  socket.pause();
  socket.write(DOCUMENT.repeat(60));
  return socket;
}

test('a connection that stays unused is closed, and one with a request is not', async (t) => {
  const { open, count } = await serve(t, { unusedMs: 300 });
  const used = await open();
  used.write(LIVEZ);
  await firstData(used);
  await open();
  await until(async () => (await count()) === 1);
  await sleep(600);
  used.write(LIVEZ);
  assert.match(await firstData(used), /^HTTP\/1.1 200/);
});

test('a connection whose answer is not read is closed', async (t) => {
  const { open, count } = await serve(t, { unreadMs: 300 });
  await askUnread(open);
  await until(async () => (await count()) === 0);
});

test('a connection whose answer is read little by little is left alone', async (t) => {
  const { open, count } = await serve(t, { unreadMs: 5_000, progressBytes: 1_000 });
  const socket = await askUnread(open);
  // A little longer than the limit.
  for (let round = 0; round < 30; round += 1) {
    socket.read(200_000);
    await sleep(200);
  }
  assert.equal(await count(), 1);
});

test('a connection whose answer is read far too slowly is closed', async (t) => {
  const { open, count } = await serve(t, { unreadMs: 600, progressBytes: 1e9 });
  const socket = await askUnread(open);
  await until(async () => {
    socket.read(100);
    return (await count()) === 0;
  });
});

test('only a limited number of answers may be unread at once', async (t) => {
  const { open, count } = await serve(t, { mostUnread: 2 });
  for (let opened = 0; opened < 5; opened += 1) await askUnread(open);
  await until(async () => (await count()) === 2);
  await sleep(600);
  assert.equal(await count(), 2);
});

test('unread answers may have a limited number of bytes together', async (t) => {
  const { open, count } = await serve(t, { mostUnreadBytes: 1 });
  await askUnread(open);
  await until(async () => (await count()) === 0);
});

test('idle connections beyond the limit are closed, those without any request first', async (t) => {
  const { harness, open, count } = await serve(t, { mostConnections: 2 });
  const { promise, resolve } = Promise.withResolvers<void>();
  harness.setSwapResult(async () => {
    await promise;
    return passed(harness.orders.at(-1) ?? assert.fail());
  });
  const busy = await open();
  const body = JSON.stringify(swapBody());
  const head = `POST /v1/swap HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${basic('full:secret')}\r\n`;
  busy.write(`${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
  await until(async () => harness.orders.length === 1);
  const used = await open();
  used.write(LIVEZ);
  await firstData(used);
  for (let opened = 0; opened < 6; opened += 1) await open();
  await until(async () => (await count()) === 2);
  used.write(LIVEZ);
  assert.match(await firstData(used), /^HTTP\/1.1 200/);
  resolve();
  assert.match(await firstData(busy), /^HTTP\/1.1 200/);
});

/** More than the buffers of the system hold, and than the service reads of any body of an operation. */
const LARGE = Buffer.alloc(8 * 1024 * 1024, 'x');
const HEADERS = { authorization: basic('full:secret'), 'content-type': 'application/json' };

test('the answer to a body that is too large reaches a caller that sends all of it first', async (t) => {
  const { harness } = await serve(t, {});
  const { port } = harness.server.server.address() as AddressInfo;
  const statuses: number[] = [];
  for (let sent = 0; sent < 10; sent += 1) {
    const url = `http://127.0.0.1:${port}/v1/swap`;
    const answer = await fetch(url, { method: 'POST', headers: HEADERS, body: LARGE });
    assert.partialDeepStrictEqual(await answer.json(), { code: 'body-too-large' });
    statuses.push(answer.status);
  }
  assert.deepEqual(
    statuses,
    Array.from({ length: 10 }, () => 413),
  );
});

test('a body that is sent after its answer is passed over, also where the connection then ends', async (t) => {
  for (const [authorization, status] of [
    [HEADERS.authorization, 413],
    [basic('full:wrong'), 401],
  ] as const) {
    const { open, count } = await serve(t, {});
    const socket = await open();
    const errors: Error[] = [];
    socket.on('error', (error) => errors.push(error));
    const head = `POST /v1/swap HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: ${authorization}\r\n`;
    socket.write(`${head}Content-Type: application/json\r\nContent-Length: ${LARGE.length}\r\n\r\n`);
    const first = await firstData(socket);
    assert.match(first, new RegExp(`^HTTP/1.1 ${status}`));
    await new Promise<void>((resolve) => socket.end(LARGE, resolve));
    await text(socket);
    assert.deepEqual(errors, []);
    await until(async () => (await count()) === 0);
  }
});
