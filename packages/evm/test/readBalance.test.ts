import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Address } from '@fairway/engine';
import { readBalance } from '../src/index.ts';

const [TOKEN, OWNER] = [`0x${'01'.repeat(20)}`, `0x${'0a'.repeat(20)}`] as unknown as [Address, Address];
const BLOCK = `0x${'bb'.repeat(32)}`;

function balanceFrom(
  answer: unknown,
  asked: unknown[] = [],
  of: { token?: Address } = { token: TOKEN },
): Promise<bigint> {
  const request = async (call: unknown) => {
    asked.push(call);
    return answer;
  };
  return readBalance(request, BLOCK, { ...of, owner: OWNER });
}

test('a balance is read at the block that is named', async () => {
  const asked: unknown[] = [];
  assert.equal(await balanceFrom(`0x${250_000_000n.toString(16).padStart(64, '0')}`, asked), 250_000_000n);
  const data = `0x70a08231${OWNER.slice(2).padStart(64, '0')}`;
  assert.deepEqual(asked, [{ method: 'eth_call', params: [{ to: TOKEN, data }, { blockHash: BLOCK }] }]);
});

test('without a token the native currency is read', async () => {
  const asked: unknown[] = [];
  assert.equal(await balanceFrom('0x5', asked, {}), 5n);
  assert.deepEqual(asked, [{ method: 'eth_getBalance', params: [OWNER, { blockHash: BLOCK }] }]);
  await assert.rejects(balanceFrom('5', [], {}), { name: 'NodeNonsenseError' });
});

test('an answer that is no amount is nonsense of the node', async () => {
  for (const answer of ['0x', '0x00', `0x${'00'.repeat(33)}`, null, 'none'])
    await assert.rejects(balanceFrom(answer), { name: 'NodeNonsenseError' });
});
