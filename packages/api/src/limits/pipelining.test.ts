import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { guardConnections } from './connections.ts';
import { CONNECTION_LIMITS } from './limits.ts';

/** Starts a server, and connects to it. */
async function connectTo(t: TestContext, listener: RequestListener): Promise<Socket> {
  const server = createServer();
  guardConnections(server, CONNECTION_LIMITS, listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {});
  t.after(() => {
    socket.destroy();
    server.closeAllConnections();
    server.close();
  });
  return socket;
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;

async function read(socket: Socket, ending: string): Promise<string> {
  let text = '';
  for await (const chunk of socket) {
    text += String(chunk);
    if (text.endsWith(ending)) break;
  }
  return text;
}

test('requests that arrive together are worked on one after another, in their order', async (t) => {
  const events: string[] = [];
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    events.push(`begin ${request.url}`);
    let body = '';
    for await (const chunk of request) body += String(chunk);
    await new Promise((resolve) => setImmediate(resolve));
    events.push(`end ${request.url} ${body}`.trim());
    response.end(`answer to ${request.url};`);
  }
  const socket = await connectTo(t, (request, response) => void answer(request, response));
  const post = 'POST /two HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello';
  socket.write(get('/one') + post + get('/three'));
  const answers = await read(socket, 'answer to /three;');
  assert.deepEqual(answers.match(/answer to \/\w+/g), [
    'answer to /one',
    'answer to /two',
    'answer to /three',
  ]);
  const inTurn = ['begin /one', 'end /one', 'begin /two', 'end /two hello', 'begin /three', 'end /three'];
  assert.deepEqual(events, inTurn);
});

test('while an answer is not read, the next requests of its connection do not begin', async (t) => {
  let begun = 0;
  const { promise: isFull, resolve: fill } = Promise.withResolvers<void>();
  const answer = Buffer.alloc(8 * 1024 * 1024);
  const socket = await connectTo(t, (_request, response) => {
    begun += 1;
    response.end(answer);
    setTimeout(fill, 100);
  });
  socket.pause();
  socket.write(get('/large').repeat(100));
  await isFull;
  assert.ok(begun < 5, `${begun} of 100 requests began, though no answer was read`);
});

test('the requests of a closed connection are forgotten', async (t) => {
  let begun = 0;
  const { promise: isClosed, resolve: closed } = Promise.withResolvers<void>();
  const socket = await connectTo(t, (_request, response) => {
    begun += 1;
    response.once('close', () => setImmediate(closed));
  });
  socket.write(get('/').repeat(10));
  while (begun === 0) await new Promise((resolve) => setImmediate(resolve));
  socket.destroy();
  await isClosed;
  assert.equal(begun, 1);
});

test('a connection with more requests than may wait is closed, and the waiting ones never begin', async (t) => {
  let begun = 0;
  const socket = await connectTo(t, () => {
    begun += 1;
  });
  const ended = new Promise((resolve) => socket.once('close', resolve));
  socket.resume().write(get('/held').repeat(CONNECTION_LIMITS.mostPipelined + 2));
  await ended;
  assert.equal(begun, 1);
});

test('requests that wait on one connection leave turns to other work', async (t) => {
  let turns = 0;
  const count = () => {
    turns += 1;
    counting = setImmediate(count);
  };
  let counting = setImmediate(count);
  t.after(() => clearImmediate(counting));
  const turnsAtBegin: number[] = [];
  const socket = await connectTo(t, (request, response) => {
    turnsAtBegin.push(turns);
    response.end(request.url === '/last' ? 'last;' : 'one');
  });
  socket.write(get('/one').repeat(50) + get('/last'));
  await read(socket, 'last;');
  assert.equal(new Set(turnsAtBegin).size, turnsAtBegin.length, 'no two begin in one turn');
});
