import type { ChainHealth, Health } from '@fairway/wire';
import type { HttpDeps } from './deps.ts';
import type { ChainService } from '../chains/chainService.ts';
import { type Answer, refuse, tryLater } from './problem.ts';
import { integer } from './quote.ts';
import { timestampOf } from '../time/timestamp.ts';

/** GET /health: how every chain stands; always an answer, the body says what is wrong. */
export function getHealth({ chains, environment, version, nowMs }: HttpDeps): Answer<Health> {
  const bodies = chains.map(chainHealth);
  return {
    ok: true,
    body: {
      status: bodies.every(({ status }) => status === 'OK') ? 'OK' : 'DEGRADED',
      version,
      environment,
      time: timestampOf(nowMs()),
      chains: bodies,
    },
  };
}

function chainHealth({ chainId, name, follower }: ChainService): ChainHealth {
  const { head, lagBlocks, poolCount, freshness } = follower.status();
  return {
    chainId,
    name,
    status: freshness.fresh ? 'OK' : freshness.why,
    ...(head === undefined
      ? {}
      : {
          head: {
            number: integer(head.number),
            hash: head.hash,
            timestamp: timestampOf(Number(head.timestampSeconds) * 1000),
          },
        }),
    lagBlocks: integer(lagBlocks),
    pools: poolCount,
    ...(freshness.fresh ? {} : { detail: freshness.detail }),
  };
}

/** GET /livez: the process answers. */
export function getLiveness(): Answer<{ status: 'OK' }> {
  return { ok: true, body: { status: 'OK' } };
}

/**
 * GET /readyz: 200 when every market has been read once and one of them can be quoted: taken out of service for one
 * chain's outage, a process would not serve the others either. Says no more, as anyone may ask.
 */
export function getReadiness({ chains }: Pick<HttpDeps, 'chains'>): Answer<{ status: 'OK' }> {
  const markets = chains.map(({ follower }) => follower.status());
  const ready =
    markets.every(({ head }) => head !== undefined) && markets.some(({ freshness }) => freshness.fresh);
  return ready ? { ok: true, body: { status: 'OK' } } : refuse(tryLater('market-stale', 'Not ready.', 1));
}
