import { createAvoided } from '../platform/chains/avoided.ts';
import type { ChainService } from '../platform/chains/chainService.ts';
import type { ChainConfig } from '../platform/config/file.ts';

/** A market as a command has it, and whom it asks for evidence. */
export type StillMarket = Pick<
  ChainService['follower'],
  'market' | 'tokens' | 'behaviours' | 'pool' | 'head' | 'gasTerms' | 'reread'
> &
  Pick<ChainService, 'request'>;

/** A served chain for one command: nobody follows its market, and no swap is planned. */
export function stillChain(chain: ChainConfig, { request, ...still }: StillMarket): ChainService {
  const head = still.head();
  return {
    ...chain,
    trust: { agreed: chain.agreement, of: chain.nodes.length },
    otherContracts: [],
    follower: {
      ...still,
      examine: async () => {},
      status: () => ({
        head,
        nodeBlockNumber: head?.number,
        lagBlocks: 0n,
        contactAgeMs: head && 0,
        poolCount: still.market.poolCount,
        leftOut: [],
        freshness: { fresh: true },
      }),
      close: async () => {},
    },
    planSwap: async () => ({
      ok: false,
      refusal: { reason: 'NOT_EXECUTABLE', detail: 'Swaps are planned by the running service.' },
    }),
    readRoute: async () => undefined,
    findFaults: async () => undefined,
    avoided: createAvoided(() => 0),
    onReroute: () => {},
    onMarketMismatch: () => {},
    readCallTargets: async () => [],
    newestHead: async () => undefined,
    request,
  };
}
