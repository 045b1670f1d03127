import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLine } from './line.ts';
import { createRpc, NodeUnreachable } from './rpc.ts';

test('work is done one after the other, and failed work does not stop the rest', async () => {
  const line = createLine(60_000);
  const order: string[] = [];
  const work = (name: string) => async () => {
    order.push(`${name} begins`);
    await sleep(1);
    order.push(`${name} ends`);
    if (name === 'second') throw new Error('it failed');
    return name;
  };
  const done = await Promise.allSettled(['first', 'second', 'third'].map((name) => line(work(name))));
  assert.deepEqual(
    done.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
  assert.deepEqual(
    order,
    ['first', 'second', 'third'].flatMap((name) => [`${name} begins`, `${name} ends`]),
  );
});

test('work that waits behind hanging work gives up in time, and is not done later', async () => {
  const line = createLine(20);
  const hanging = Promise.withResolvers<string>();
  const first = line(() => hanging.promise);
  let begun = 0;
  const behind = Array.from({ length: 5 }, () => line(async () => (begun += 1)));
  const outcomes = await Promise.allSettled(behind);
  for (const outcome of outcomes) {
    assert.ok(outcome.status === 'rejected' && outcome.reason instanceof NodeUnreachable);
  }
  hanging.resolve('at last');
  assert.equal(await first, 'at last');
  assert.equal(await line(async () => 'next'), 'next');
  assert.equal(begun, 0);
});

test('a node that does not answer in time counts as unreachable', async () => {
  const server = createServer(() => undefined).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await assert.rejects(createRpc(`http://127.0.0.1:${port}`, 50).request('eth_blockNumber'), NodeUnreachable);
  server.closeAllConnections();
  server.close();
});
