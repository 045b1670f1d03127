import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClock } from './clock.ts';
import { createLine } from './line.ts';
import type { Rpc } from './rpc.ts';

test("the node's clock is not set back between an advance and its block", async () => {
  const asked: string[] = [];
  let nodeSeconds = 0;
  const rpc: Rpc = {
    async request<T>(method: string, params: readonly unknown[] = []) {
      await new Promise((resolve) => setImmediate(resolve));
      asked.push(method);
      if (method === 'evm_setTime') nodeSeconds = Number(params[0]);
      return { timestamp: String(nodeSeconds) } as T;
    },
    batch: () => assert.fail('not used'),
  };
  const clock = createClock(rpc, 0, () => 1_000_000, createLine(60_000));
  await Promise.all([clock.advance(3600), clock.align(), clock.advance(60)]);
  assert.equal(clock.nowMs(), 1_000_000 + 3_660_000);
  assert.deepEqual(asked, [
    ...['evm_setTime', 'evm_mine', 'eth_getBlockByNumber', 'evm_setTime'],
    ...['evm_setTime', 'evm_mine', 'eth_getBlockByNumber'],
  ]);
});
