import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Address } from '@fairway/engine';
import { hasSent } from '../src/index.ts';

const OWNER = `0x${'0a'.repeat(20)}` as unknown as Address;
const BLOCK = `0x${'bb'.repeat(32)}`;

test('an account has sent a transaction when the block that is named counts one', async () => {
  const asked: unknown[] = [];
  const answering = (answer: unknown) => async (call: unknown) => {
    asked.push(call);
    return answer;
  };
  assert.equal(await hasSent(answering('0x0'), BLOCK, OWNER), false);
  assert.equal(await hasSent(answering('0x1'), BLOCK, OWNER), true);
  const asking = { method: 'eth_getTransactionCount', params: [OWNER, { blockHash: BLOCK }] };
  assert.deepEqual(asked, [asking, asking]);
  await assert.rejects(hasSent(answering('many'), BLOCK, OWNER), { name: 'NodeNonsenseError' });
});
