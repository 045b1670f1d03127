import { type ChainRpc, latestHead } from '@fairway/evm';
import type { Hex } from '@fairway/relay';
import type { Database } from '../database/schema.ts';
import type { Journal } from '../journal/journal.ts';
import { enrol } from './recover.ts';

/** A relayer before it is at work. */
export type UnpreparedRelayer = {
  readonly relayerId: string;
  readonly chainId: number;
  readonly address: Hex;
  readonly request: ChainRpc['request'];
};

/** Reads what the chain shows of a key's past, and registers its relayer. */
export async function prepareRelayer(
  database: Database,
  journal: Journal,
  { relayerId, chainId, address, request }: UnpreparedRelayer,
): Promise<void> {
  const [genesisHash, nonce, pendingNonce] = await Promise.all([
    genesisOf(request),
    countAt(request, address, 'latest'),
    countAt(request, address, 'pending'),
  ]);
  const isUnused = nonce === 0 && pendingNonce === 0;
  await enrol(database, journal, { relayerId, chainId, address, genesisHash, nonce, isUnused });
}

async function genesisOf(request: ChainRpc['request']): Promise<Hex> {
  const block = await request({ method: 'eth_getBlockByNumber', params: ['0x0', false] });
  return (block as { readonly hash: Hex }).hash;
}

async function countAt(
  request: ChainRpc['request'],
  address: Hex,
  tag: 'latest' | 'pending',
): Promise<number> {
  const at = tag === 'latest' ? `0x${(await latestHead(request)).number.toString(16)}` : tag;
  return Number(BigInt((await request({ method: 'eth_getTransactionCount', params: [address, at] })) as Hex));
}
