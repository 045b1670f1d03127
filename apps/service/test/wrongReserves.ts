import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AskNode } from '@fairway/testing';
import type { SwapPlan } from '@fairway/wire';
import type { Reply } from './provocation.ts';

/** The word of a V2 pair's storage that holds its reserves, and the bits of the first of them. */
const RESERVES_SLOT = '0x8';
const RESERVE_BITS = 112n;

/**
 * Asks for a swap while a pair's storage holds a hundredth less of a token than its last log said. Then the pair gets
 * its reserves back.
 */
export async function whileReservesDiffer(
  rpc: AskNode,
  swap: (changes: Record<string, unknown>) => Promise<Reply>,
): Promise<Reply> {
  const changes = { excludeSources: ['uniswap-v3'], maxHops: 1 };
  const { quote } = JSON.parse((await swap(changes)).text) as SwapPlan;
  const pair = quote.route?.legs[0]?.pool ?? assert.fail();
  const word = BigInt(await rpc<string>('eth_getStorageAt', [pair, RESERVES_SLOT, 'latest']));
  const reserve0 = word & (2n ** RESERVE_BITS - 1n);
  const set = (value: bigint) =>
    rpc('anvil_setStorageAt', [pair, RESERVES_SLOT, `0x${value.toString(16).padStart(64, '0')}`]);
  await set(word - reserve0 / 100n);
  const reply = await swap(changes);
  await set(word);
  while ((await swap(changes)).status !== 200) await sleep(50);
  return reply;
}
