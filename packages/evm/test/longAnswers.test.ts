// One answer of a node cannot hold up the process: over every transport, a longer one than is read ends the connection.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer as createSocketServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { WebSocketServer } from 'ws';
import { createChainRpc } from '../src/rpc/chainRpc.ts';
import { AnswerTooLongError } from '../src/rpc/errors.ts';

const folder = mkdtempSync(join(tmpdir(), 'fairway-long-'));
after(() => rmSync(folder, { recursive: true }));

const LIMIT = 10 * 1024 * 1024;

/** An answer of so many bytes to the call in a text. */
function answerOf(text: string): string {
  const { id, params } = JSON.parse(text) as { readonly id: number; readonly params: readonly [number] };
  const frame = JSON.stringify({ jsonrpc: '2.0', id, result: '' });
  return JSON.stringify({ jsonrpc: '2.0', id, result: 'a'.repeat(params[0] - frame.length) });
}

type Node = { readonly url: string; stop(): Promise<unknown> };

const TRANSPORTS: Readonly<Record<string, () => Promise<Node>>> = {
  async HTTP() {
    const server = createHttpServer((request, response) => {
      const asked: Buffer[] = [];
      request.on('data', (chunk: Buffer) => asked.push(chunk));
      request.on('end', () => {
        // Without the header that tells the length.
        response.writeHead(200, { 'content-type': 'application/json', 'transfer-encoding': 'chunked' });
        response.end(answerOf(Buffer.concat(asked).toString()));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const stop = () => new Promise((resolve) => server.close(resolve).closeAllConnections());
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop };
  },
  async WebSocket() {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    server.on('connection', (socket) => {
      socket.on('error', () => undefined);
      socket.on('message', (data) => socket.send(answerOf((data as Buffer).toString())));
    });
    await new Promise<void>((resolve) => server.on('listening', resolve));
    async function stop() {
      for (const client of server.clients) client.terminate();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    }
    return { url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`, stop };
  },
  async IPC() {
    const path = join(folder, 'node.ipc');
    const server = createSocketServer((socket) => {
      socket.on('error', () => undefined);
      socket.on('data', (asked) => socket.write(answerOf(asked.toString())));
    });
    await new Promise<void>((resolve) => server.listen(path, resolve));
    return { url: path, stop: () => new Promise((resolve) => server.close(resolve)) };
  },
};

for (const [transport, start] of Object.entries(TRANSPORTS))
  test(`over ${transport}, an answer of 10 MiB is read, and a longer one is not`, async () => {
    const node = await start();
    const rpc = createChainRpc([node.url], 20_000);
    const ask = (bytes: number) => rpc.request({ method: 'eth_getLogs', params: [bytes] });
    try {
      assert.ok(String(await ask(LIMIT)).length > LIMIT - 100);
      for (const bytes of [LIMIT + 1, 3 * LIMIT])
        await assert.rejects(ask(bytes), (error) => {
          assert.ok(error instanceof AnswerTooLongError);
          assert.match(error.message, /longer than 10 MiB/);
          return true;
        });
      assert.ok(String(await ask(1000)).length > 900);
    } finally {
      rpc.close();
      await node.stop();
    }
  });

for (const [transport, start] of Object.entries(TRANSPORTS))
  test(`over ${transport}, a trace that is too long ends no other request`, async () => {
    const node = await start();
    const rpc = createChainRpc([node.url], 20_000);
    const ask = (method: string, bytes: number) => rpc.request({ method, params: [bytes] });
    const asked = [
      ask('debug_traceTransaction', 3 * LIMIT),
      ask('eth_getLogs', 1000),
      ask('debug_traceTransaction', 1000),
    ];
    try {
      const [long, ...others] = await Promise.allSettled(asked);
      assert.ok(long?.status === 'rejected' && long.reason instanceof AnswerTooLongError);
      assert.deepEqual(
        others.map(({ status }) => status),
        ['fulfilled', 'fulfilled'],
      );
    } finally {
      rpc.close();
      await node.stop();
    }
  });
