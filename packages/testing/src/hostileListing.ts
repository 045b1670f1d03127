import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AskNode } from './node.ts';

/** What a token does to those who read its description, in the order of its contract's numbers, which begin at 1. */
export const HOSTILE_LISTINGS = [
  'symbol() is invalid',
  'everything is invalid',
  'name() never ends',
  'symbol() is as long as gas allows',
  'symbol() reverts with as much as gas allows',
  'symbol() and name() are bytes32',
  'symbol() is in no encoding',
  'symbol() is empty',
  'everything reverts',
  'decimals() are 300',
  'symbol() is longer than its answer',
  'name() ends within a surrogate pair',
] as const;

/** Makes a token at an address whose description is hostile. */
export async function putHostileListing(
  rpc: AskNode,
  address: string,
  hostility: (typeof HOSTILE_LISTINGS)[number],
): Promise<void> {
  const path = join(import.meta.dirname, '..', 'artifacts', 'HostileListing.json');
  const { deployedBytecode } = JSON.parse(readFileSync(path, 'utf8')) as { deployedBytecode: string };
  const number = HOSTILE_LISTINGS.indexOf(hostility) + 1;
  await rpc('anvil_setStorageAt', [address, '0x0', `0x${number.toString(16).padStart(64, '0')}`]);
  await rpc('anvil_setCode', [address, deployedBytecode]);
}
