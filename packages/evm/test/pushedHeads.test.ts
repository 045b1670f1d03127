// Heads that nodes push over real WebSockets: one node can neither add work at the other nodes nor hide their pushes.
import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocketServer } from 'ws';
import { createAgreedRpc } from '../src/agreement/agreedRpc.ts';
import { createChainRpc } from '../src/rpc/chainRpc.ts';

const word = (height: number) => `0x${height.toString(16).padStart(64, '0')}`;

function headerOf(height: number) {
  const number = `0x${height.toString(16)}`;
  return {
    number,
    hash: word(height),
    parentHash: word(height - 1),
    timestamp: number,
    baseFeePerGas: '0x7',
  };
}

const chain = { top: 100 };
const closing: (() => Promise<unknown>)[] = [];
after(() => Promise.all(closing.map((close) => close())));

type Call = { readonly id: number; readonly method: string; readonly params: readonly unknown[] };

/** A node of the chain. Counts what it is asked for. */
async function startNode() {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  const subscribed = new Map<string, (result: unknown) => void>();
  const node = { url: '', subscriptions: 0, looks: 0, ends: false, pushesAtOnce: false, subscribed };
  server.on('connection', (socket, { socket: connection }) => {
    const own: string[] = [];
    const send = (message: object) => socket.send(JSON.stringify({ jsonrpc: '2.0', ...message }));
    socket.on('error', () => undefined);
    socket.on('close', () => own.forEach((id) => subscribed.delete(id)));
    const answers: Readonly<Record<string, (params: readonly unknown[]) => unknown>> = {
      eth_subscribe() {
        const subscription = `0x${(++node.subscriptions).toString(16)}`;
        own.push(subscription);
        subscribed.set(subscription, (result) =>
          send({ method: 'eth_subscription', params: { subscription, result } }),
        );
        if (node.ends) setTimeout(() => socket.terminate(), 10);
        return subscription;
      },
      eth_unsubscribe: ([subscription]) => subscribed.delete(String(subscription)),
      eth_getBlockByNumber([block]) {
        node.looks++;
        return headerOf(block === 'latest' ? chain.top : Number(block));
      },
    };
    socket.on('message', (data) => {
      const { id, method, params } = JSON.parse((data as Buffer).toString()) as Call;
      const result = answers[method]?.(params);
      const isAtOnce = node.pushesAtOnce && method === 'eth_subscribe';
      // Both are in one packet.
      if (isAtOnce) connection.cork();
      send({ id, result });
      if (isAtOnce) subscribed.get(String(result))?.('at once');
      if (isAtOnce) connection.uncork();
    });
  });
  await new Promise<void>((resolve) => server.on('listening', resolve));
  closing.push(async () => {
    for (const client of server.clients) client.terminate();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });
  node.url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    node,
    push: (result: unknown) => subscribed.forEach((send) => send(result)),
    drop: () => server.clients.forEach((client) => client.terminate()),
  };
}

/** Three nodes, asked as one, and the heads that are passed on. */
async function followThree() {
  const nodes = await Promise.all([startNode(), startNode(), startNode()]);
  const rpc = createAgreedRpc({
    nodes: nodes.map(({ node }, index) => ({ name: `node-${index}`, rpc: createChainRpc([node.url], 2000) })),
    agreement: 2,
    onEvent: () => {},
  });
  const heights: number[] = [];
  const subscription = await rpc.subscribeHeads(
    (header) => heights.push(Number((header as { readonly number: string }).number)),
    () => assert.fail('the subscription stands'),
  );
  assert.ok(subscription.state === 'SUBSCRIBED');
  const [bad, ...good] = nodes;
  const stop = () => {
    subscription.stop();
    rpc.close();
  };
  return { bad, good, heights, stop };
}

async function until(what: string, holds: () => boolean): Promise<void> {
  for (let tries = 0; tries < 500 && !holds(); tries++) await sleep(10);
  assert.ok(holds(), `it never came true that ${what}`);
}

test('a subscription that is stopped is ended at the node, too, and brings no more heads', async () => {
  const { node, push } = await startNode();
  const rpc = createChainRpc([node.url], 2000);
  const heads: unknown[] = [];
  const subscription = await rpc.subscribeHeads(
    (header) => heads.push(header),
    () => {},
  );
  assert.ok(subscription.state === 'SUBSCRIBED');
  push('one');
  await until('the head arrives', () => heads.length === 1);
  subscription.stop();
  push('two');
  await until('the node has no subscription', () => node.subscribed.size === 0);
  assert.deepEqual(heads, ['one']);
  rpc.close();
});

test('a head that comes in one packet with the answer to the subscription is not lost', async () => {
  const { node } = await startNode();
  node.pushesAtOnce = true;
  const rpc = createChainRpc([node.url], 2000);
  const heads: unknown[] = [];
  const subscription = await rpc.subscribeHeads(
    (header) => heads.push(header),
    () => {},
  );
  assert.ok(subscription.state === 'SUBSCRIBED');
  await until('the head arrives', () => heads.length === 1);
  subscription.stop();
  rpc.close();
});

test('a node that ends its connection again and again has no other node asked for a subscription', async () => {
  const { bad, good, heights, stop } = await followThree();
  bad.node.ends = true;
  bad.drop();
  // A busy machine may see more than one of them at once.
  await until('the node was asked again', () => bad.node.subscriptions >= 2);
  bad.node.ends = false;
  const ended = bad.node.subscriptions;
  const isAgain = () => bad.node.subscriptions > ended && bad.node.subscribed.size === 1;
  await until('the node has a subscription again', isAgain);
  for (const { node } of good) assert.deepEqual([node.subscriptions, node.subscribed.size], [1, 1]);
  chain.top++;
  bad.push(headerOf(chain.top));
  await until('its push brings the head', () => heights.at(-1) === chain.top);
  stop();
});

test('a node that pushes without end brings about few looks and hides no push of another node', async () => {
  const { bad, good, heights, stop } = await followThree();
  const [honest] = good;
  const startMs = performance.now();
  for (let round = 0; round < 100; round++) {
    for (let each = 0; each < 10; each++) bad.push(headerOf(1000 + round * 10 + each));
    await sleep(5);
  }
  const looks = honest.node.looks;
  const most = (performance.now() - startMs) / 150 + 2;
  assert.ok(looks >= 2 && looks <= most, `${looks} looks, ${most} expected at most`);
  chain.top++;
  honest.push(headerOf(chain.top));
  bad.push(headerOf(7));
  await until('the honest push brings the head', () => heights.at(-1) === chain.top);
  stop();
});
