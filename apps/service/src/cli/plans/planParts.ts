import { createMarket } from '@fairway/engine';
import type { ChainConfig } from '../../platform/config/file.ts';
import type { Corridor } from '@fairway/plan';
import type { NodesEvent } from '@fairway/evm';
import type { Store } from '@fairway/store';
import { connectNodes } from '../../platform/chains/connectNodes.ts';
import type { ChainService } from '../../platform/chains/chainService.ts';
import { createChainMoments, createCorridors, type PaymentParts } from '../../parts/payments/index.ts';
import { tryLater } from '@fairway/api';
import { stillChain } from '../stillChain.ts';

/** How long a node may take for one answer. */
const RPC_TIMEOUT_MS = 5_000;

/**
 * Where the chains of plans are, and the corridors of the configuration. `onNodes` is called when nodes contradict each
 * other or do not answer.
 */
export type PlanPlace = {
  readonly chains: readonly ChainConfig[];
  readonly corridors: readonly Corridor[];
  readonly onNodes: (event: NodesEvent) => void;
};

/**
 * The parts of payments for one command. After the command, a plan may need instructions from the market, or a link. A
 * running service makes them in the plan's job. `notBeforeMs`: no event of a command is older than this; the clock of a
 * sandbox can be ahead of the database's.
 */
export function createPlanParts(
  store: Store,
  environment: 'sandbox' | 'production',
  { chains: configs, corridors, onNodes }: PlanPlace,
  notBeforeMs: number,
): PaymentParts {
  const chains = new Map(configs.map((config) => [config.chainId, standingChain(config, onNodes)]));
  const nowMs = () => Math.max(store.clock.nowMs(), notBeforeMs);
  return {
    corridors: createCorridors(corridors, chains, nowMs),
    chains,
    store,
    moments: createChainMoments(store.record, environment, [...chains.keys()]),
    derive: async () => ({
      kind: 'PROBLEM',
      problem: tryLater('market-stale', 'Instructions are derived by the running service.', 1),
    }),
    sendLink: async (_, plan) => ({ plan }),
    rateFor: () => undefined,
    organisationOf: async () => ({}),
    planLifeMs: 0,
    nowMs,
    onClaimRefused: () => {},
  };
}

/** A chain that is asked only for evidence: nobody follows its market. */
function standingChain(config: ChainConfig, onNodes: PlanPlace['onNodes']): ChainService {
  return stillChain(config, {
    market: createMarket([]),
    tokens: new Map(),
    behaviours: new Map(),
    pool: () => undefined,
    head: () => undefined,
    gasTerms: () => ({}),
    reread: async () => 'UNKNOWN',
    request: connectNodes(config, RPC_TIMEOUT_MS, onNodes).request,
  });
}
