import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AskNode } from './node.ts';

/** What a hostile token does with transfers, in the order of its contract's numbers, which begin at 1. */
export const HOSTILITIES = [
  'keeps a part of all transfers',
  'keeps a part of what contracts get',
  'keeps a part of what contracts pay',
  'keeps a part of what is pulled',
  'keeps one unit of each transfer',
  'takes more than is transferred',
  'moves nothing',
  'pays more than is transferred',
] as const;

/** The word of a hostile token's storage that says what it does. */
const HOSTILITY_SLOT = '0x5';

/**
 * Gives a token of the sandbox the code of a hostile token; its balances and allowances stay. Resolves to the function
 * that gives the token its own code back.
 */
export async function makeHostile(
  rpc: AskNode,
  token: string,
  hostility: (typeof HOSTILITIES)[number],
): Promise<() => Promise<void>> {
  const path = join(import.meta.dirname, '..', 'artifacts', 'HostileToken.json');
  const { deployedBytecode } = JSON.parse(readFileSync(path, 'utf8')) as { deployedBytecode: string };
  const ownCode = await rpc<string>('eth_getCode', [token, 'latest']);
  const setHostility = (number: number) =>
    rpc('anvil_setStorageAt', [token, HOSTILITY_SLOT, `0x${number.toString(16).padStart(64, '0')}`]);
  await setHostility(HOSTILITIES.indexOf(hostility) + 1);
  await rpc('anvil_setCode', [token, deployedBytecode]);
  return async () => {
    await rpc('anvil_setCode', [token, ownCode]);
    await setHostility(0);
  };
}
