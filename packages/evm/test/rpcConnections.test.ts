// Nodes restart, become silent or send nonsense: no request hangs, pushed heads resume, and nothing crashes.
import assert from 'node:assert/strict';
import { createServer as createHttpServer } from 'node:http';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { listenForHeads } from '../src/follower/headListener.ts';
import { createChainRpc } from '../src/rpc/chainRpc.ts';
import { RpcAnswerError, RpcUnreachableError } from '../src/rpc/errors.ts';

const folder = mkdtempSync(join(tmpdir(), 'fairway-rpc-'));
after(() => rmSync(folder, { recursive: true }));

type Call = { id: number; method: string };
/** A test node's answer to a call; undefined: none. */
type Script = (call: Call, say: (text: string) => void) => unknown;

let nodes = 0;

/** A node on an IPC socket that follows a script. */
async function startNode(script: Script, path = join(folder, `${nodes++}.ipc`)) {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      for (const text of chunk.toString().split(/(?<=\})(?=\{"jsonrpc")/)) {
        const call: Call = JSON.parse(text);
        const result = script(call, (said) => socket.write(said));
        if (result !== undefined) socket.write(JSON.stringify({ jsonrpc: '2.0', id: call.id, result }));
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return {
    path,
    push: (result: unknown) => {
      const params = { subscription: '0x1', result };
      for (const socket of sockets) {
        socket.write(JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params }));
      }
    },
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const obedient: Script = ({ method }) => (method === 'eth_subscribe' ? '0x1' : '0x7');

async function until(what: string, holds: () => boolean): Promise<void> {
  for (let tries = 0; tries < 500 && !holds(); tries++) await sleep(10);
  assert.ok(holds(), `it never came true that ${what}`);
}

test('braces and quotes inside a message do not end it, and messages may come in pieces', async () => {
  const reason = 'execution reverted: }}{ \\" é"]';
  const node = await startNode(({ id }, say) => {
    const text = JSON.stringify({ jsonrpc: '2.0', id, error: { code: 3, message: reason } });
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += 7) say(bytes.subarray(at, at + 7) as unknown as string);
  });
  const rpc = createChainRpc([node.path], 2000);
  for (let time = 0; time < 3; time++) {
    await assert.rejects(rpc.request({ method: 'eth_call' }), (error) => {
      assert.ok(error instanceof RpcAnswerError);
      assert.equal(error.message, reason);
      return true;
    });
  }
  rpc.close();
  await node.stop();
});

for (const nonsense of ['{not json}', 'hello', '}', '[1', '"x"']) {
  test(`a connection that carries ${nonsense} is given up, and a new one is opened`, async () => {
    let calls = 0;
    const node = await startNode((_, say) => {
      if (++calls > 1) return '0x7';
      say(nonsense);
      return undefined;
    });
    const rpc = createChainRpc([node.path], 500);
    await assert.rejects(rpc.request({ method: 'eth_chainId' }), RpcUnreachableError);
    assert.equal(await rpc.request({ method: 'eth_chainId' }), '0x7');
    rpc.close();
    await node.stop();
  });
}

test('after a restart of the node heads are pushed again', async () => {
  const first = await startNode(obedient);
  const rpc = createChainRpc([first.path], 1000);
  const heads: unknown[] = [];
  const listener = listenForHeads(
    rpc,
    () => performance.now(),
    (head) => heads.push(head),
  );
  await listener.ensure();
  first.push('one');
  await until('the first head arrives', () => heads.length === 1);
  await first.stop();
  const second = await startNode(obedient, first.path);
  await until('the connection is back', () => heads.length === 1);
  while (heads.length === 1) {
    await rpc.request({ method: 'eth_blockNumber' }).catch(() => undefined);
    await listener.ensure();
    second.push('two');
    await sleep(10);
  }
  assert.equal(heads[1], 'two');
  listener.stop();
  rpc.close();
  await second.stop();
});

test('a node that does not answer a subscription does not delay anything else', async () => {
  const node = await startNode(({ method }) => (method === 'eth_subscribe' ? undefined : '0x7'));
  const rpc = createChainRpc([node.path], 300);
  const subscription = await rpc.subscribeHeads(
    () => undefined,
    () => undefined,
  );
  assert.equal(subscription.state, 'UNAVAILABLE');
  assert.equal(await rpc.request({ method: 'eth_chainId' }), '0x7');
  rpc.close();
  await node.stop();
});

test('a WebSocket address that accepts connections and stays silent is skipped', async () => {
  const mute = createServer(() => undefined);
  await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
  const node = await startNode(obedient);
  const rpc = createChainRpc([`ws://127.0.0.1:${(mute.address() as AddressInfo).port}`, node.path], 300);
  assert.equal(await rpc.request({ method: 'eth_chainId' }), '0x7');
  const subscription = await rpc.subscribeHeads(
    () => undefined,
    () => undefined,
  );
  assert.equal(subscription.state, 'SUBSCRIBED');
  rpc.close();
  await node.stop();
  mute.close();
});

test('HTTP addresses cannot push heads, and closing rejects requests under way', async () => {
  const rpc = createChainRpc(['http://127.0.0.1:1'], 300);
  const subscription = await rpc.subscribeHeads(
    () => undefined,
    () => undefined,
  );
  assert.equal(subscription.state, 'IMPOSSIBLE');
  const node = await startNode(() => undefined);
  const silent = createChainRpc([node.path], 60_000);
  const asked = silent.request({ method: 'eth_chainId' });
  await sleep(50);
  silent.close();
  await assert.rejects(asked, RpcUnreachableError);
  await assert.rejects(silent.request({ method: 'eth_chainId' }), RpcUnreachableError);
  await node.stop();
});

test('a request that is too large for one URL is sent to the next one', async () => {
  const limited = await startNode(({ id }, say) =>
    say(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32_005, message: 'limit exceeded' } })),
  );
  const node = await startNode(obedient);
  const rpc = createChainRpc([limited.path, node.path], 1000);
  const range = { method: 'eth_getLogs', params: [{ fromBlock: '0x1', toBlock: '0x9' }] };
  assert.equal(await rpc.request(range), '0x7');
  const alone = createChainRpc([limited.path], 1000);
  await assert.rejects(alone.request(range), /limit exceeded/);
  rpc.close();
  alone.close();
  await limited.stop();
  await node.stop();
});

test('an answer whose id is no number is no answer, and crashes nothing', async () => {
  const ids = ['{"valueOf":1,"toString":1}', '[[[]]]', 'null', '"1"', 'true'];
  const node = await startNode(({ id }, say) => {
    for (const wrong of ids) say(`{"jsonrpc":"2.0","id":${wrong},"result":"0x1"}`);
    say(`{"jsonrpc":"2.0","id":${id},"result":"0x7"}`);
    return undefined;
  });
  const rpc = createChainRpc([node.path], 2000);
  assert.equal(await rpc.request({ method: 'eth_chainId' }), '0x7');
  rpc.close();
  await node.stop();
});

test('a node that refuses a login or a key is told from one that is away', async () => {
  for (const [status, said] of [
    [401, /\(HTTP 401: it does not accept the login or the key of its URL\)/],
    [403, /\(HTTP 403: it does not accept/],
    [502, /\(HTTP 502\)/],
  ] as const) {
    const server = createHttpServer((_, response) => response.writeHead(status).end('no'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const rpc = createChainRpc([`http://me:wrong@127.0.0.1:${port}`], 500);
    await assert.rejects(rpc.request({ method: 'eth_chainId' }), said);
    rpc.close();
    server.close();
  }
});
