import type { Address } from '@fairway/engine';
import {
  type CallTarget,
  createRouteFaultFinder,
  createRouteReader,
  createSwapPlanner,
  type Follower,
  type FollowerOptions,
  type Head,
  readCallTargets,
  type RouteFaultFinder,
  type RouteReader,
  type RouterKind,
  type RpcRequest,
  type SwapPlanner,
  startFollower,
  type Trust,
  venueOf,
} from '@fairway/evm';
import { withPatience } from '@fairway/processes';
import type { Logger } from 'pino';
import { type Avoided, createAvoided } from './avoided.ts';
import { chainLog } from './chainLog.ts';
import { connectNodes } from './connectNodes.ts';
import { createHeadReader } from './newestHead.ts';
import { nodesLog } from './nodesLog.ts';
import type { ChainConfig } from '../config/file.ts';
import { marketFile } from '../config/dataFolder.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { snapshotFile } from './snapshotFile.ts';

/** How long a node may take for one answer. */
const RPC_TIMEOUT_MS = 5000;
/** How long the recording of an execution may be held up by reading what the market offered. */
const ROUTE_TIMEOUT_MS = 5000;
/** How often a sample of pools is read back from the chain and compared. */
const AUDIT_INTERVAL_MS = 10_000;

/** How often the transfers of one token are measured again: a tax can be switched on. 395 tokens take 33 minutes. */
const MEASURING_INTERVAL_MS = 5000;

/** How often the market is written to the data folder. */
const SNAPSHOT_INTERVAL_MS = 600_000;
/** Pools read back from the chain before a market from the data folder is used. */
const SNAPSHOT_SAMPLE_SIZE = 64;
/** How long closing waits for the market to be written: the parts that are closed later need time, too. */
const CLOSE_PATIENCE_MS = 1500;

/** One configured chain. */
export type ChainService = {
  readonly chainId: number;
  readonly name: string;
  readonly nativeSymbol: string;
  /** A block explorer, without a slash at its end: transactions are at /tx/HASH below it. */
  readonly explorerUrl?: string;
  readonly wrappedNative: Address;
  readonly quoteLifetimeMs: number;
  /** The age above which the latest block is not taken for the present; undefined where there is no such limit. */
  readonly maxBlockAgeMs?: number;
  readonly maxPriceImpactBps: number;
  readonly follower: Follower;
  readonly planSwap: SwapPlanner;
  /** Reads what a route would have brought before a block. */
  readonly readRoute: RouteReader;
  /** Finds what makes a route fail whose pools are as quoted. */
  readonly findFaults: RouteFaultFinder;
  /** What routes keep away from for a while, because swaps over it failed. */
  readonly avoided: Avoided;
  /** Counts a swap that was planned another time, around what failed. */
  readonly onReroute: () => void;
  /** Counts a swap that was refused because the chain would pay other amounts than were quoted. */
  readonly onMarketMismatch: () => void;
  /** The router that instructions call. */
  readonly router: Address;
  readonly routerKind: RouterKind;
  /** Reads which contracts instructions call. */
  readonly readCallTargets: () => Promise<readonly CallTarget[]>;
  /** Configured contracts that keep what they are paid: Multicall3, factories, and the sandbox's quoter. */
  readonly otherContracts: readonly Address[];
  /** The newest block that is believed; undefined while there is none, and while the nodes are not asked again. */
  readonly newestHead: () => Promise<Head | undefined>;
  /** How many nodes say alike what is used of the chain. */
  readonly trust: Trust;
  /** The chain's nodes, for evidence of payments. */
  readonly request: RpcRequest;
};

/** A chain being served. */
export type RunningChain = {
  readonly service: ChainService;
  /** Resolves with the first complete market. */
  readonly synced: Promise<void>;
  close(): Promise<void>;
};

/** What a chain is served with. */
export type ChainParts = {
  readonly nowMs: () => number;
  /** A sentence for callers while `nowMs` cannot be trusted. */
  readonly clockFault: () => string | undefined;
  /** Called for every new block of the market, with the block's time. */
  readonly onHead?: (timestampSeconds: bigint) => void;
  readonly metrics: Metrics;
  readonly log: Logger;
  /** Where the market is kept between runs; absent: nowhere. */
  readonly dataDirectory?: string;
};

/** Follows a configured chain and plans its swaps. Returns at once; the market is read as the nodes answer. */
export function startChain(config: ChainConfig, parts: ChainParts): RunningChain {
  const { chainId, routerKind, wrappedNative } = config;
  const { nowMs, clockFault, onHead, metrics, log } = parts;
  const logNodes = nodesLog(log.child({ chainId }), () => performance.now());
  const rpc = connectNodes(config, RPC_TIMEOUT_MS, (event) => {
    metrics.onNodesEvent(chainId, event);
    logNodes(event);
  });
  const venue = venueOf(routerKind, config);
  const tell = chainLog(log.child({ chainId }), () => performance.now());
  let isClosed = false;
  const follower = startFollower({
    ...config,
    ...snapshotOptions(config, parts.dataDirectory),
    rpc,
    spender: venue.spender,
    auditIntervalMs: AUDIT_INTERVAL_MS,
    measuringIntervalMs: MEASURING_INTERVAL_MS,
    nowMs,
    clockFault,
    monotonicMs: () => performance.now(),
    checkReady: () => venue.checkDeployed(rpc.request),
    onEvent(event) {
      // What fails because the process ends is no fault of the nodes.
      if (isClosed && event.type === 'FAILED') return;
      metrics.onFollowerEvent(chainId, event);
      tell(event);
      if ('head' in event) onHead?.(event.head.timestampSeconds);
    },
  });
  metrics.observeFollower(chainId, follower.status);
  const planSwap = createSwapPlanner({
    venue,
    request: rpc.request,
    wrappedNative,
    multicall3: config.multicall3,
    allowUnsimulated: config.allowUnsimulated,
    onUnavailable() {
      metrics.onSwapUnchecked(chainId);
    },
  });
  return {
    service: {
      ...config,
      otherContracts: otherContractsOf(config),
      follower,
      planSwap,
      readCallTargets: () => readCallTargets(rpc.request, { kind: routerKind, venue, wrappedNative }),
      readRoute: createRouteReader({
        request: rpc.request,
        multicall3: config.multicall3,
        pool: follower.pool,
        timeoutMs: ROUTE_TIMEOUT_MS,
      }),
      ...reroutingOf(chainId, parts, rpc.request, follower),
      newestHead: createHeadReader(follower, rpc.request),
      trust: trustOf(config),
      onMarketMismatch: () => metrics.onMarketMismatch(chainId),
      request: rpc.request,
    },
    synced: follower.synced,
    async close() {
      isClosed = true;
      // Closed first, so that no request under way is waited for.
      rpc.close();
      await withPatience(follower.close(), CLOSE_PATIENCE_MS);
    },
  };
}

/** What swaps around failing tokens and pools need. */
function reroutingOf(
  chainId: number,
  { nowMs, metrics, log }: ChainParts,
  request: RpcRequest,
  follower: Follower,
): Pick<ChainService, 'findFaults' | 'avoided' | 'onReroute'> {
  const avoided = createAvoided(nowMs, ({ kind, address, periodMs }) =>
    log.warn(
      { chainId, kind, address, seconds: periodMs / 1000 },
      'Swaps over this fail, so that routes keep away from it for a while',
    ),
  );
  metrics.observeAvoided(chainId, avoided.now);
  return {
    findFaults: createRouteFaultFinder({ request, poolsOf: (token) => follower.market.poolsOf(token) }),
    avoided,
    onReroute: () => metrics.onReroute(chainId),
  };
}

function otherContractsOf({ multicall3, factories, quoter }: ChainConfig): readonly Address[] {
  const addresses = [multicall3, ...factories.map(({ address }) => address)];
  return quoter === undefined ? addresses : [...addresses, quoter];
}

function trustOf({ agreement, nodes }: ChainConfig): Trust {
  return { agreed: agreement, of: nodes.length };
}

function snapshotOptions(
  { chainId, confirmations }: ChainConfig,
  dataDirectory: string | undefined,
): Pick<FollowerOptions, 'snapshot'> {
  if (dataDirectory === undefined) return {};
  const store = snapshotFile(marketFile(dataDirectory, chainId));
  const [saveIntervalMs, sampleSize] = [SNAPSHOT_INTERVAL_MS, SNAPSHOT_SAMPLE_SIZE];
  return { snapshot: { store, confirmations, saveIntervalMs, sampleSize } };
}
