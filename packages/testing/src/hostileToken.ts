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

/** Words of the storage of tokens that take the place of the sandbox's. */
const SLOT = { TOTAL: '0x2', HOSTILITY: '0x5', PART_BPS: '0x6', POOLED: '0x5' } as const;

/**
 * Gives a token of the sandbox the code of a hostile token; its balances and allowances stay. `partBps` is the part that it
 * keeps or adds. Resolves to the function that gives the token its own code back.
 */
export async function makeHostile(
  rpc: AskNode,
  token: string,
  hostility: (typeof HOSTILITIES)[number],
  partBps = 100,
): Promise<() => Promise<void>> {
  return replace(rpc, token, 'HostileToken', [
    [SLOT.HOSTILITY, BigInt(HOSTILITIES.indexOf(hostility) + 1)],
    [SLOT.PART_BPS, BigInt(partBps)],
  ]);
}

/**
 * Makes a token of the sandbox a share token: balances are shares from then on, each worth `pooled` / `shares` units.
 * Resolves to the function that gives the token its own code back.
 */
export async function makeShares(
  rpc: AskNode,
  token: string,
  { shares, pooled }: { readonly shares: bigint; readonly pooled: bigint },
): Promise<() => Promise<void>> {
  return replace(rpc, token, 'ShareToken', [
    [SLOT.TOTAL, shares],
    [SLOT.POOLED, pooled],
  ]);
}

async function replace(
  rpc: AskNode,
  token: string,
  contract: 'HostileToken' | 'ShareToken',
  words: readonly (readonly [string, bigint])[],
): Promise<() => Promise<void>> {
  const path = join(import.meta.dirname, '..', 'artifacts', `${contract}.json`);
  const { deployedBytecode } = JSON.parse(readFileSync(path, 'utf8')) as { deployedBytecode: string };
  const ownCode = await rpc<string>('eth_getCode', [token, 'latest']);
  const own = await Promise.all(
    words.map(
      async ([slot]) => [slot, await rpc<string>('eth_getStorageAt', [token, slot, 'latest'])] as const,
    ),
  );
  for (const [slot, word] of words)
    await rpc('anvil_setStorageAt', [token, slot, `0x${word.toString(16).padStart(64, '0')}`]);
  await rpc('anvil_setCode', [token, deployedBytecode]);
  return async () => {
    await rpc('anvil_setCode', [token, ownCode]);
    for (const [slot, word] of own) await rpc('anvil_setStorageAt', [token, slot, word]);
  };
}
