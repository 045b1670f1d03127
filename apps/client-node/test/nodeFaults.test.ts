// What nodes do wrong: they are late, ask for patience, lag, contradict each other, or are of another chain.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Hex } from '@fairway/relay';
import { createRandom, startTestChain } from '@fairway/testing';
import {
  ask,
  disabled,
  type Ground,
  KIND,
  mine,
  outcomes,
  paid,
  startKindGround,
  until,
  untilOver,
} from './ground.ts';
import { startUnkindNode, type Whim } from './unkindNode.ts';

const isSend = (method: string) => method === 'eth_sendRawTransaction';

test('a node that is late, busy, stale, or of another chain delays, and doubles nothing', async () => {
  await using ground = await startKindGround();
  const { node } = ground;
  const process = ground.another('journal');
  process.start();
  const troubles: Record<string, Whim> = {
    'times out before it takes a transaction': ({ method }) => (isSend(method) ? 'SILENT_BEFORE' : undefined),
    'times out after it has taken a transaction': ({ method }) =>
      isSend(method) ? 'SILENT_AFTER' : undefined,
    'is asked too often': () => ({ status: 429 }),
    'says an older nonce': ({ method }) =>
      method === 'eth_getTransactionCount' ? { result: '0x1' } : undefined,
    'is of another chain': ({ method }) => (method === 'eth_chainId' ? { result: '0x1' } : undefined),
  };
  const asked: Hex[] = [...(await ask(ground, ['before']))];
  await untilOver(ground);
  for (const [trouble, whim] of Object.entries(troubles)) {
    const { length } = process.errors;
    node.behave(whim);
    asked.push(...(await ask(ground, [`${trouble} 1`, `${trouble} 2`])));
    for (let block = 0; block < 6; block += 1) await mine(ground);
    if (trouble === 'is of another chain') {
      await until(async () => process.errors.length > length, 'a line says so');
      assert.match(
        process.errors.slice(length).join(''),
        /The nodes of chain 31337 say that they are of chain 1\. Correct their URLs\./,
      );
      assert.deepEqual(await paid(ground, asked.slice(-2)), [0, 0], 'nothing is sent');
    }
    node.behave(() => undefined);
    await untilOver(ground);
    assert.deepEqual(new Set(await paid(ground, asked)), new Set([1]), trouble);
    assert.equal(await disabled(ground), null, trouble);
  }
});

test('of three nodes one is behind and one on another fork: only what two say is believed', async () => {
  await using ground = await startKindGround();
  await using ending = new AsyncDisposableStack();
  const fork = await startTestChain();
  ending.defer(fork.close);
  await fork.rpc('evm_setAutomine', [false]);
  await fork.rpc('anvil_mine', ['0x20']);
  const behind = await startUnkindNode(ground.chain.rpcUrl, createRandom(1), KIND);
  ending.defer(behind.close);
  behind.behave(await lagging(ground, 2n));
  const process = ground.another('journal', {
    nodeUrls: [fork.rpcUrl, behind.url, ground.node.url],
    agreement: 2,
  });
  ending.defer(process.kill);
  process.start();
  const asked = [...(await ask(ground, ['a', 'b', 'c']))];
  const mineBoth = async () => {
    await fork.rpc('evm_mine');
    await mine(ground);
  };
  await untilOver(ground, mineBoth);
  assert.deepEqual(await paid(ground, asked), [1, 1, 1]);

  // Without the good one, no two say the same of the newest blocks.
  ground.node.behave(() => ({ status: 503 }));
  asked.push(...(await ask(ground, ['d'])));
  for (let block = 0; block < 6; block += 1) await mineBoth();
  assert.equal((await outcomes(ground)).at(-1), null);
  ground.node.behave(() => undefined);
  await untilOver(ground, mineBoth);
  assert.deepEqual(await paid(ground, asked), [1, 1, 1, 1]);
  assert.equal(await disabled(ground), null);
});

/** As a node answers that lacks the newest blocks. */
async function lagging({ chain }: Ground, blocks: bigint): Promise<Whim> {
  const newest = async () => BigInt(await chain.rpc<Hex>('eth_blockNumber', [])) - blocks;
  const hex = (number: bigint): Hex => `0x${number.toString(16)}`;
  return async ({ method, params }) => {
    const last = await newest();
    const [first, second] = params as [string, unknown];
    if (method === 'eth_getBlockByNumber') {
      if (first === 'latest') return { result: await chain.rpc(method, [hex(last), second]) };
      return BigInt(first) > last ? { result: null } : undefined;
    }
    if (method === 'eth_getTransactionCount' && typeof second === 'string' && BigInt(second) > last)
      return { error: { code: -32_001, message: 'block not found' } };
    if (method !== 'eth_getTransactionReceipt') return undefined;
    const receipt = await chain.rpc<{ blockNumber: Hex } | null>(method, params);
    return { result: receipt !== null && BigInt(receipt.blockNumber) > last ? null : receipt };
  };
}
