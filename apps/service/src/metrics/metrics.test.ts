import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { test } from 'node:test';
import { ConfigError } from '../config/configError.ts';
import { createMetrics } from './metrics.ts';

const hasIpv6 = Object.values(networkInterfaces()).some((each) =>
  each?.some(({ address }) => address === '::1'),
);

test('metrics are served at the returned URL, also over IPv6', async () => {
  for (const host of hasIpv6 ? ['127.0.0.1', '::1'] : ['127.0.0.1']) {
    const served = await createMetrics().listen(host, 0);
    assert.match(await (await fetch(served.url)).text(), /process_cpu/);
    await served.close();
  }
});

test('a metrics port that is taken is a configuration error', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  await assert.rejects(
    createMetrics().listen('127.0.0.1', port),
    (error) =>
      error instanceof ConfigError &&
      error.message.startsWith(`metrics.port ${port}: another program`) &&
      error.message.includes('Each process on a machine needs one of its own'),
  );
  other.close();
});

test('a node of several that gives no answer is counted by its name', async () => {
  const metrics = createMetrics();
  const failed = { type: 'NODE_FAILED', method: 'eth_call', node: 'third', detail: 'no answer' } as const;
  metrics.onNodesEvent(1, failed);
  metrics.onNodesEvent(1, failed);
  const served = await metrics.listen('127.0.0.1', 0);
  const text = await (await fetch(served.url)).text();
  assert.match(text, /^fairway_node_failures_total\{chain="1",node="third"\} 2$/m);
  await served.close();
});
