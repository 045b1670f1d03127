// Everything that waits is cancelled at once, and what is valid until a time is not executed after it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Hex } from '@fairway/relay';
import { cancelPending } from '../src/platform/database/cancelPending.ts';
import { acceptExecution } from '../src/platform/database/executions.ts';
import { ask, CHAIN_ID, outcomes, paid, startKindGround, until, untilOver } from './ground.ts';

test('all that waits is cancelled, with its nonce or without one', async () => {
  await using ground = await startKindGround();
  const { node, database, address } = ground;
  const rules = { ...ground.order.rules, mostPending: 2 };
  ground.another('journal', { rules }).start();
  node.behave(({ method }) => (method === 'eth_sendRawTransaction' ? 'SILENT_BEFORE' : undefined));
  const cancelled = await ask(ground, ['a', 'b', 'c']);
  await until(async () => new Set(node.sent).size >= 2, 'two of three are offered');
  assert.equal(await cancelPending(database, 'r'), 3);
  node.behave(() => undefined);
  const executed = await ask(ground, ['later']);
  const late: Hex = `0x${'1a7e'.repeat(10)}`;
  const call = { chainId: CHAIN_ID, sender: address, to: late, data: '0x', valueWei: 1n } as const;
  await acceptExecution(database, {
    ...{ key: 'late', bodyFingerprint: Buffer.from('late'), relayerId: 'r', calls: [call] },
    validUntilMs: Date.now() - 60_000,
  });
  await untilOver(ground);
  const ends = ['CANCELLED', 'CANCELLED', 'WITHDRAWN', 'CONFIRMED', 'EXPIRED'];
  assert.deepEqual(await outcomes(ground), ends);
  assert.deepEqual(await paid(ground, [...cancelled, ...executed, late]), [0, 0, 0, 1, 0]);
});
