import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestChain } from '@fairway/testing';

/**
 * Writes a configuration that serves a test chain, with changes to its only chain and further members of the file.
 * Returns the file's path.
 */
export function writeConfig(
  chain: TestChain,
  folder: string,
  changes: object = {},
  members: object = {},
): string {
  const { contracts, tokens, chainId } = chain;
  const served = {
    chainId,
    name: 'Test chain',
    rpcUrls: [chain.ipcPath ?? chain.wsUrl],
    wrappedNative: contracts.weth9,
    factories: [
      { kind: 'UNISWAP_V2', name: 'uniswap-v2', address: contracts.v2Factory },
      { kind: 'UNISWAP_V3', name: 'uniswap-v3', address: contracts.v3Factory },
    ],
    routers: [{ kind: 'SWAP_ROUTER_02', address: contracts.swapRouter02 }],
    confirmations: 1,
    staleAfterSeconds: 2,
    maxBlockAgeSeconds: 3600,
    pollIntervalMs: 100,
    ...changes,
  };
  const list = { name: 'Test', tokens: tokens.map((token) => ({ chainId: served.chainId, ...token })) };
  writeFileSync(join(folder, 'tokens.json'), JSON.stringify(list));
  const file = join(folder, 'fairway.json');
  const limits = { requestsPerSecond: 10_000 };
  const content = { tokenLists: ['tokens.json'], chains: [served], metrics: { port: 0 }, limits, ...members };
  writeFileSync(file, JSON.stringify(content));
  return file;
}
