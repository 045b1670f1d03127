import { defined } from '@fairway/values';
import type { ReadingProgress } from '@fairway/evm';
import type { ChainHealth, Health } from '@fairway/wire';
import type { ChainService } from '../../platform/chains/chainService.ts';
import type { ChainMoments } from '../payments/index.ts';
import { type Answer, type Door, eip55, refuse, timestampOf, tryLater } from '@fairway/api';

/** What health is told of. */
export type HealthDeps = {
  readonly environment: 'sandbox' | 'production';
  readonly version: string;
  readonly chains: readonly ChainService[];
  readonly moments: ChainMoments;
  nowMs(): number;
};

/** Registers the paths for load balancers and operators: /health, /livez and /readyz. */
export function registerHealth({ registrar }: Door, deps: HealthDeps): void {
  registrar.read('health', { answer: () => getHealth(deps) });
  registrar.probe('livez', () => ({ ok: true, body: { status: 'OK' } }));
  registrar.probe('readyz', () => getReadiness(deps));
}

/** GET /health: the state of every chain. Always 200; the body tells what is wrong. */
function getHealth({ chains, environment, version, moments, nowMs }: HealthDeps): Answer<Health> {
  const bodies = chains.map((chain) => ({
    ...chainHealth(chain),
    ...recordHealth(moments, chain),
  }));
  return {
    ok: true,
    body: {
      status: bodies.every(isWell) ? 'OK' : 'DEGRADED',
      version,
      environment,
      time: timestampOf(nowMs()),
      chains: bodies,
    },
  };
}

/** Whether quotes of a chain are served, and its record, where there is one, is at the head. */
function isWell({ status, record }: ChainHealth): boolean {
  return status === 'OK' && record?.state !== 'CATCHING_UP';
}

/** The state of one chain's market. */
export function chainHealth({ chainId, name, follower, trust }: ChainService): ChainHealth {
  const { head, lagBlocks, poolCount, leftOut, reading, freshness } = follower.status();
  return {
    chainId,
    name,
    status: freshness.fresh ? 'OK' : freshness.why,
    trust: trust.agreed === 1 ? 'SINGLE_NODE' : 'AGREED',
    nodes: trust,
    ...(head === undefined
      ? {}
      : {
          head: {
            number: Number(head.number),
            hash: head.hash,
            timestamp: timestampOf(Number(head.timestampSeconds) * 1000),
          },
        }),
    lagBlocks: Number(lagBlocks),
    pools: poolCount,
    ...(leftOut.length === 0
      ? {}
      : { leftOut: leftOut.map(({ address, reason }) => ({ address: eip55(address), reason })) }),
    ...(reading && readingHealth(reading)),
    ...(freshness.fresh ? {} : { detail: freshness.detail }),
  };
}

function readingHealth({ pools, poolsRead, requestsLeft }: ReadingProgress): Pick<ChainHealth, 'reading'> {
  return { reading: { pools, poolsRead, requestsLeft } };
}

/** How far the record of a chain is; nothing before it was looked at. */
function recordHealth(
  moments: ChainMoments,
  { chainId, follower }: ChainService,
): Pick<ChainHealth, 'record'> {
  const moment = moments.of(chainId);
  if (moment === undefined) return {};
  const { state, readNumber, unread } = moment;
  const { head } = follower.status();
  const isKnown = head !== undefined && readNumber !== undefined;
  const lagBlocks = isKnown ? Math.max(0, Number(head.number) - readNumber) : undefined;
  return {
    record: {
      state: state === 'AT_HEAD' ? state : 'CATCHING_UP',
      ...defined({ readBlock: readNumber, lagBlocks, unread }),
    },
  };
}

/**
 * GET /readyz: 200 when every market has been read once and at least one of them is fresh. One fresh market is enough:
 * a process that is taken out of the load balancer for one failed chain cannot serve the other chains either. The
 * answer has no details, because it needs no credential.
 */
export function getReadiness({ chains }: Pick<HealthDeps, 'chains'>): Answer<{ status: 'OK' }> {
  const markets = chains.map(({ follower }) => follower.status());
  const ready =
    markets.every(({ head }) => head !== undefined) && markets.some(({ freshness }) => freshness.fresh);
  return ready ? { ok: true, body: { status: 'OK' } } : refuse(tryLater('market-stale', 'Not ready.', 1));
}
