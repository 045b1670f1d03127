// Receivers that hang, break off, flood and lie: each attempt ends in time, says one code, and leaves nothing behind.
import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { after, test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { createWebhookSender, type Delivery, type WebhookSender } from '../src/index.ts';
import { closeServers, orderTo, type Serve, startRawReceiver, trustedCertificate } from './receivers.ts';
import { opening, SANDBOX } from './rules.ts';

/** For receivers that are given up before they answer. */
const SHORT_MS = 250;
/** For receivers that answer and never end: a busy machine needs some time to read their head. */
const LONG_MS = 4000;

type Scheme = 'http' | 'https';

const senders = { SHORT: sendersFor(SHORT_MS), LONG: sendersFor(LONG_MS), USUAL: sendersFor(15_000) };

function sendersFor(attemptMs: number): Record<Scheme, WebhookSender> {
  const options = { version: '1', limits: { attemptMs } };
  return {
    http: createWebhookSender(SANDBOX, options),
    https: createWebhookSender(opening('127.0.0.1/32'), options),
  };
}

const certificate = trustedCertificate('127.0.0.1');
after(async () => {
  await Promise.all(Object.values(senders).flatMap(({ http, https }) => [http.close(), https.close()]));
  await closeServers();
});

/** Writes the same bytes as fast as the other side takes them, until it is gone. */
function flood(socket: Socket, bytes: Buffer | string): void {
  const write = (): void => {
    while (!socket.destroyed && socket.write(bytes));
  };
  socket.on('drain', write);
  write();
}

/** Writes a text again and again, slowly. */
function drip(socket: Socket, text: string): void {
  const timer = setInterval(() => socket.write(text), 5);
  socket.on('close', () => clearInterval(timer));
}

const OK = 'HTTP/1.1 200 OK\r\n';
const MEGABYTE = Buffer.alloc(1_048_576, 'x');
const BOMB = gzipSync(Buffer.alloc(50_000_000));

/** What a receiver does once the request has reached it, and how the attempt ends; `status` or `error`. */
const RECEIVERS: Readonly<Record<string, { serve: Serve; ends: string | number }>> = {
  'never answers': { serve: () => undefined, ends: 'TIMEOUT' },
  'closes without an answer': { serve: (socket) => socket.end(), ends: 'CONNECTION_LOST' },
  'resets the connection': { serve: (_socket, reset) => reset(), ends: 'CONNECTION_LOST' },
  'breaks off in its head': {
    serve: (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-le'),
    ends: 'CONNECTION_LOST',
  },
  'drips its head': {
    serve: (socket) => {
      socket.write(OK);
      drip(socket, 'x-a: b\r\n');
    },
    ends: 'TIMEOUT',
  },
  'sends a head without end': {
    serve: (socket) => flood(socket, `${OK}x-a: ${'b'.repeat(200_000)}`),
    ends: 'ANSWER_NOT_HTTP',
  },
  'sends a status line without end': {
    serve: (socket) => flood(socket, `HTTP/1.1 200 ${'O'.repeat(200_000)}`),
    ends: 'ANSWER_NOT_HTTP',
  },
  'speaks another protocol': {
    serve: (socket) => socket.end('220 mail.example ESMTP\r\n'),
    ends: 'ANSWER_NOT_HTTP',
  },
  'says HTTP/2': {
    serve: (socket) => socket.end('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
    ends: 'ANSWER_NOT_HTTP',
  },
  'gives two lengths': {
    serve: (socket) => socket.end(`${OK}content-length: 1\r\ncontent-length: 2\r\n\r\nab`),
    ends: 'ANSWER_NOT_HTTP',
  },
  'gives a length and chunks': {
    serve: (socket) => socket.end(`${OK}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`),
    ends: 'ANSWER_NOT_HTTP',
  },
  'breaks a header line': { serve: (socket) => socket.end(`${OK}x a: b\r\n\r\n`), ends: 'ANSWER_NOT_HTTP' },
  'changes the protocol': {
    serve: (socket) =>
      flood(
        socket,
        'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\nx'.repeat(1000),
      ),
    ends: 'ANSWER_NOT_HTTP',
  },
  'sends interim answers for ever': {
    serve: (socket) => flood(socket, 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(1000)),
    ends: 'ANSWER_NOT_HTTP',
  },
  'drips interim answers': {
    serve: (socket) => drip(socket, 'HTTP/1.1 102 Processing\r\n\r\n'),
    ends: 'TIMEOUT',
  },
  'sends interim answers before its own': {
    serve: (socket) =>
      socket.end(`HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 x\r\n\r\n${OK}content-length: 0\r\n\r\n`),
    ends: 200,
  },
  'breaks off in its body': {
    serve: (socket) => socket.end(`${OK}content-length: 10\r\n\r\nhalf`),
    ends: 200,
  },
  'resets the connection in its body': {
    serve: (socket, reset) => {
      socket.write(`${OK}content-length: 10\r\n\r\nhalf`);
      setTimeout(reset, 30);
    },
    ends: 200,
  },
  'floods its body': {
    serve: (socket) => {
      socket.write(`${OK}content-length: 999999999999\r\n\r\n`);
      flood(socket, MEGABYTE);
    },
    ends: 200,
  },
  'floods the body of a failure': {
    serve: (socket) => {
      socket.write('HTTP/1.1 500 No\r\n\r\n');
      flood(socket, MEGABYTE);
    },
    ends: 500,
  },
  'floods with chunks that are all extension': {
    serve: (socket) => {
      socket.write(`${OK}transfer-encoding: chunked\r\n\r\n`);
      flood(socket, `1;${'e'.repeat(15_000)}\r\nx\r\n`.repeat(60));
    },
    ends: 200,
  },
  'breaks its chunks': {
    serve: (socket) => socket.end(`${OK}transfer-encoding: chunked\r\n\r\nzz\r\n`),
    ends: 200,
  },
  'floods its trailers': {
    serve: (socket) => {
      socket.write(`${OK}transfer-encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n`);
      flood(socket, `x-a: ${'b'.repeat(1000)}\r\n`.repeat(1000));
    },
    ends: 200,
  },
  'compresses a bomb': {
    serve: (socket) => {
      socket.write(`${OK}content-encoding: gzip\r\ncontent-length: ${BOMB.length}\r\n\r\n`);
      socket.end(BOMB);
    },
    ends: 200,
  },
  'answers twice': {
    serve: (socket) =>
      socket.end(`${OK}content-length: 0\r\n\r\nHTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n`),
    ends: 200,
  },
  'answers 204 and a body': {
    serve: (socket) => socket.end('HTTP/1.1 204 No\r\n\r\nHTTP/1.1 500 x\r\n\r\n'),
    ends: 204,
  },
  'answers with a status of no class': { serve: (socket) => socket.end('HTTP/1.1 999 x\r\n\r\n'), ends: 999 },
};

/** Receivers that answer, and whose body takes longer than an attempt may. */
const ENDLESS: typeof RECEIVERS = {
  'never ends its body': {
    serve: (socket) => socket.write(`${OK}content-length: 10\r\n\r\nhalf`),
    ends: 200,
  },
  'drips its body': {
    serve: (socket) => {
      socket.write(`${OK}transfer-encoding: chunked\r\n\r\n`);
      drip(socket, '1\r\nx\r\n');
    },
    ends: 200,
  },
};

/** How many bytes a receiver can have written before it notices: what was read, and the buffers of the system. */
const MOST_WRITTEN_BYTES = 16 * MEGABYTE.length;

/** Sends to a receiver and expects the end, and that its connection is closed and that not much of it was read. */
async function assertEnds(
  scheme: Scheme,
  { serve, ends }: (typeof RECEIVERS)[string],
  sender: WebhookSender,
): Promise<Delivery> {
  let written = 0;
  const receiver = await startRawReceiver(
    (socket, reset) => {
      socket.once('data', () => serve(socket, reset));
      socket.on('close', () => {
        written += socket.bytesWritten;
      });
    },
    scheme === 'https' ? { certificate } : {},
  );
  const delivery = await sender.send(orderTo(`${scheme}://127.0.0.1:${receiver.port}/`));
  const expected = {
    outcome: typeof ends === 'number' && ends <= 299 ? 'DELIVERED' : 'FAILED',
    ...(typeof ends === 'number' ? { status: ends } : { error: ends }),
  };
  assert.deepEqual({ ...delivery, durationMs: 0 }, { ...expected, durationMs: 0 });
  while (receiver.open() > 0) await new Promise((resolve) => setTimeout(resolve, 2));
  await receiver.close();
  assert.ok(written < MOST_WRITTEN_BYTES, `${written} bytes were written`);
  return delivery;
}

for (const scheme of ['http', 'https'] as const) {
  for (const [what, receiver] of Object.entries(RECEIVERS)) {
    test(`over ${scheme}, a receiver that ${what} ends the attempt as ${receiver.ends}`, async () => {
      const isLate = receiver.ends === 'TIMEOUT';
      const { durationMs } = await assertEnds(scheme, receiver, senders[isLate ? 'SHORT' : 'USUAL'][scheme]);
      if (isLate) assert.ok(durationMs >= SHORT_MS - 5);
    });
  }
}

test('a receiver that answers and never ends its body is judged by its status, when time is up', async () => {
  const endings = (['http', 'https'] as const).flatMap((scheme) =>
    Object.values(ENDLESS).map((receiver) => assertEnds(scheme, receiver, senders.LONG[scheme])),
  );
  for (const { durationMs } of await Promise.all(endings)) assert.ok(durationMs >= LONG_MS - 5);
});

/** The error of an attempt at a port. */
async function errorAt(time: keyof typeof senders, scheme: Scheme, port: number): Promise<unknown> {
  const delivery = await senders[time][scheme].send(orderTo(`${scheme}://127.0.0.1:${port}/`));
  return 'error' in delivery ? delivery.error : delivery.status;
}

test('a port that nobody listens at, and TLS that never begins, have their codes', async () => {
  const gone = await startRawReceiver(() => undefined);
  await gone.close();
  assert.equal(await errorAt('USUAL', 'http', gone.port), 'CONNECTION_FAILED');

  const silent = await startRawReceiver(() => undefined);
  assert.equal(await errorAt('SHORT', 'https', silent.port), 'TIMEOUT');

  const plain = await startRawReceiver((socket) => socket.end(`${OK}\r\n`));
  assert.equal(await errorAt('USUAL', 'https', plain.port), 'TLS_FAILED');
});

test('hundreds of hostile answers leave no memory behind', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const serves = [
    'floods its body',
    'sends a head without end',
    'resets the connection',
    'answers twice',
  ].map((what) => RECEIVERS[what]!.serve);
  let count = 0;
  const receiver = await startRawReceiver((socket, reset) =>
    socket.once('data', () => serves[(count += 1) % serves.length]!(socket, reset)),
  );
  const heapAfter = async (attempts: number): Promise<number> => {
    for (let sent = 0; sent < attempts; sent += 20) {
      await Promise.all(Array.from({ length: 20 }, () => errorAt('USUAL', 'http', receiver.port)));
    }
    while (receiver.open() > 0) await new Promise((resolve) => setTimeout(resolve, 2));
    collect();
    await new Promise((resolve) => setTimeout(resolve, 10));
    collect();
    const { heapUsed, external, arrayBuffers } = process.memoryUsage();
    return heapUsed + external + arrayBuffers;
  };
  const before = await heapAfter(100);
  const grownBytes = (await heapAfter(300)) - before;
  assert.ok(grownBytes < 2_000_000, `${grownBytes} bytes more after 300 attempts`);
  await receiver.close();
});
