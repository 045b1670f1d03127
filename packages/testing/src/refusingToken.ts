import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AskNode } from './node.ts';

/** The transfers that a token refuses: all, those from and to one account, or those above an amount. */
export type Refusal = 'ALL' | { readonly account: string } | { readonly above: bigint };

/** The words of a refusing token's storage that say what it refuses. */
const [PAUSED_SLOT, ACCOUNT_SLOT, MOST_SLOT] = ['0x5', '0x6', '0x7'] as const;

/**
 * Gives a token of the sandbox the code of one that refuses transfers; its balances and allowances stay. Resolves to the
 * function that gives the token its own code back.
 */
export async function makeRefusing(
  rpc: AskNode,
  token: string,
  refusal: Refusal,
): Promise<() => Promise<void>> {
  const path = join(import.meta.dirname, '..', 'artifacts', 'RefusingToken.json');
  const { deployedBytecode } = JSON.parse(readFileSync(path, 'utf8')) as { deployedBytecode: string };
  const ownCode = await rpc<string>('eth_getCode', [token, 'latest']);
  const [slot, value] =
    refusal === 'ALL'
      ? [PAUSED_SLOT, 1n]
      : 'account' in refusal
        ? [ACCOUNT_SLOT, BigInt(refusal.account)]
        : [MOST_SLOT, refusal.above];
  const set = (word: bigint) =>
    rpc('anvil_setStorageAt', [token, slot, `0x${word.toString(16).padStart(64, '0')}`]);
  await set(value);
  await rpc('anvil_setCode', [token, deployedBytecode]);
  return async () => {
    await rpc('anvil_setCode', [token, ownCode]);
    await set(0n);
  };
}
