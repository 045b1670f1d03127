// Somebody else signs with the relayer's key: this is found, nothing more is bound, and an operator takes it into use again.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Hex } from '@fairway/relay';
import { privateKeyToAccount } from 'viem/accounts';
import {
  ask,
  CHAIN_ID,
  disabled,
  type Ground,
  mine,
  outcomes,
  paid,
  startKindGround,
  until,
  untilOver,
} from './ground.ts';
import { untilReconciled } from './operator.ts';

const ELSEWHERE: Hex = `0x${'e1'.repeat(20)}`;

test('a nonce that was used elsewhere disables the relayer until it is reconciled', async () => {
  await using ground = await startKindGround();
  await sendElsewhere(ground, 0);
  ground.process.start();
  const asked = await ask(ground, ['a']);
  await until(
    async () => (await disabled(ground)) === 'NONCES_UNKNOWN',
    'it is found',
    () => mine(ground),
  );
  for (let block = 0; block < 4; block += 1) await mine(ground);
  assert.deepEqual(await paid(ground, asked), [0], 'nothing is bound');
  // What is final needs no cancellation.
  await untilReconciled(ground);
  await untilOver(ground);
  assert.deepEqual(await paid(ground, asked), [1]);

  // A nonce that was bound here, before it was mined.
  ground.node.behave(({ method }) => (method === 'eth_sendRawTransaction' ? 'SILENT_BEFORE' : undefined));
  const before = ground.node.sent.length;
  const [lost] = await ask(ground, ['b']);
  await until(async () => ground.node.sent.length > before, 'it is sent');
  await sendElsewhere(ground, 2);
  await untilOver(ground);
  assert.equal(await disabled(ground), 'KEY_USED_ELSEWHERE');
  ground.node.behave(() => undefined);
  const [later] = await ask(ground, ['c']);
  for (let block = 0; block < 3; block += 1) await mine(ground);
  assert.deepEqual(await outcomes(ground), ['CONFIRMED', 'REPLACED', null]);
  await untilReconciled(ground);
  await untilOver(ground);
  assert.deepEqual(await outcomes(ground), ['CONFIRMED', 'REPLACED', 'CONFIRMED']);
  assert.deepEqual(await paid(ground, [lost as Hex, later as Hex]), [0, 1]);
});

/** Sends past the node of the process, and has it mined. */
async function sendElsewhere({ chain, privateKey }: Ground, nonce: number): Promise<void> {
  const raw = await privateKeyToAccount(privateKey).signTransaction({
    ...{ type: 'eip1559', chainId: CHAIN_ID, nonce, to: ELSEWHERE, value: 1n, gas: 21_000n },
    ...{ maxFeePerGas: 10n ** 12n, maxPriorityFeePerGas: 10n ** 10n },
  });
  await chain.rpc('eth_sendRawTransaction', [raw]);
  await chain.rpc('evm_mine');
}
