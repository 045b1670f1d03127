import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { after, before, test } from 'node:test';
import { text } from 'node:stream/consumers';
import { type Door, openDoor } from './door.ts';

/** A node that answers everybody as anvil does, also WebSockets of any origin. */
let node: Server;
let door: Door;
const asked: string[] = [];
before(async () => {
  node = createServer((request, response) => {
    void text(request).then((body) => {
      asked.push(body);
      response.setHeader('content-type', 'application/json').end(`{"echo":${body}}`);
    });
  });
  node.on('upgrade', (_request, socket) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n');
    socket.on('data', (data: Buffer) => void socket.write(`heard ${data.toString()}`));
    socket.on('error', () => socket.destroy());
  });
  node.listen(0, '127.0.0.1');
  await once(node, 'listening');
  door = await openDoor({ host: '127.0.0.1', port: (node.address() as AddressInfo).port });
});
after(async () => {
  await door.close();
  node.closeAllConnections();
  node.close();
});

async function post(headers: Record<string, string>): Promise<{ status: number; text: string }> {
  const sent = request({ host: '127.0.0.1', port: door.port, method: 'POST', headers });
  sent.end('{"id":1}');
  const [answer] = (await once(sent, 'response')) as [import('node:http').IncomingMessage];
  return { status: answer.statusCode ?? 0, text: await text(answer) };
}

/** Opens a WebSocket with these headers and says something; answers with all that came back. */
async function socketSays(headers: readonly string[]): Promise<string> {
  const socket = connect(door.port, '127.0.0.1');
  const opening = ['GET / HTTP/1.1', 'Connection: Upgrade', 'Upgrade: websocket', ...headers];
  socket.write(`${opening.join('\r\n')}\r\n\r\n`);
  let heard = '';
  for await (const data of socket) {
    heard += String(data);
    if (heard.endsWith('\r\n\r\n') && heard.includes('101')) socket.write('hello');
    if (heard.includes('heard hello')) break;
  }
  socket.destroy();
  return heard;
}

test('programs of this machine and wallets reach the node', async () => {
  for (const headers of [
    {},
    { host: `localhost:${door.port}` },
    { host: '[::1]:8545' },
    { origin: 'chrome-extension://nkbihfbeogaeaoehlefnkodbefgpgknn' },
  ]) {
    assert.deepEqual(
      await post(headers),
      { status: 200, text: '{"echo":{"id":1}}' },
      JSON.stringify(headers),
    );
  }
  assert.match(await socketSays([`Host: 127.0.0.1:${door.port}`]), /101 [^]*heard hello/);
});

test('a web page does not reach the node: not by its own name, nor from its origin', async () => {
  asked.length = 0;
  for (const headers of [
    { host: 'evil.example' },
    { host: `evil.example:${door.port}` },
    { host: '127.0.0.1.evil.example' },
    { host: 'localhost@evil.example' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: 'http://localhost:3000' },
    { origin: 'https://chrome-extension.evil.example' },
  ] as Record<string, string>[]) {
    assert.equal((await post(headers)).status, 403, JSON.stringify(headers));
  }
  assert.deepEqual(asked, []);
  const host = `Host: 127.0.0.1:${door.port}`;
  assert.match(await socketSays([host, 'Origin: https://evil.example']), /^HTTP\/1.1 403 /);
  assert.match(await socketSays(['Host: evil.example']), /^HTTP\/1.1 403 /);
});

test('while the node is away, a request fails and the door stays open', async () => {
  const away = await openDoor({ host: '127.0.0.1', port: 1 });
  await assert.rejects(fetch(`http://127.0.0.1:${away.port}`));
  await assert.rejects(fetch(`http://127.0.0.1:${away.port}`));
  await away.close();
});
