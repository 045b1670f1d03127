import { type FeePips, toAddress } from '@fairway/engine';
import { type ChainRpc, type Follower, type FollowerEvent, startFollower } from '@fairway/evm';
import type { SandboxChain } from '@fairway/sandbox';

/** Follows a sandbox chain as the service does; resolves with the first complete market. */
export async function followSandbox(
  chain: SandboxChain,
  rpc: ChainRpc,
  onEvent: (event: FollowerEvent) => void = () => {},
): Promise<Follower> {
  const { contracts } = chain;
  const follower = startFollower({
    rpc,
    chainId: chain.chainId,
    multicall3: toAddress(contracts.multicall3),
    spender: toAddress(contracts.swapRouter02),
    factories: [
      {
        kind: 'UNISWAP_V2',
        name: 'uniswap-v2',
        address: toAddress(contracts.v2Factory),
        feePips: 3000 as FeePips,
      },
      {
        kind: 'UNISWAP_V3',
        name: 'uniswap-v3',
        address: toAddress(contracts.v3Factory),
        feeTiers: [100, 500, 3000, 10_000] as FeePips[],
      },
    ],
    tokens: chain.tokens.map(({ address }) => toAddress(address)),
    staleAfterMs: 60_000,
    pollIntervalMs: 250,
    auditIntervalMs: 10_000,
    nowMs: chain.nowMs,
    monotonicMs: () => performance.now(),
    onEvent,
  });
  await follower.synced;
  return follower;
}
