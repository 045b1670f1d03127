import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Health } from '@fairway/wire';
import { CHAIN_ID, START_MS, startHarness } from '../../../test/httpHarness.ts';
import type { ChainService } from '../../platform/chains/chainService.ts';
import { chainHealth, getReadiness } from './health.ts';

const harness = await startHarness();
after(() => harness.close());
const health = async () => (await harness.call({ url: '/health' })).json as unknown as Health;

test('health answers the state of each chain', async () => {
  const body = await health();
  assert.equal(body.status, 'OK');
  assert.equal(body.version, '9.9.9');
  assert.equal(body.environment, 'sandbox');
  assert.deepEqual(body.chains, [
    {
      chainId: CHAIN_ID,
      name: 'Sandbox',
      status: 'OK',
      trust: 'SINGLE_NODE',
      nodes: { agreed: 1, of: 1 },
      head: {
        number: 19_000_000,
        hash: `0x${'ab'.repeat(32)}`,
        timestamp: new Date(START_MS - 3_000).toISOString(),
      },
      lagBlocks: 0,
      pools: 2,
    },
  ]);
});

/** A copy of the harness's chain whose market is in the given state. */
function chainAs(market: 'FRESH' | 'STALE' | 'NEVER_READ'): ChainService {
  const [chain] = harness.chains;
  assert.ok(chain);
  const status = chain.follower.status();
  const stale = { fresh: false, why: 'NO_CONTACT', detail: 'no contact.', retryAfterSeconds: 1 } as const;
  const changes = {
    FRESH: { freshness: { fresh: true } },
    STALE: { freshness: stale },
    NEVER_READ: { freshness: stale, head: undefined },
  } as const;
  return { ...chain, follower: { ...chain.follower, status: () => ({ ...status, ...changes[market] }) } };
}

test('health tells how far the reading of a market is', () => {
  const [chain] = harness.chains;
  assert.ok(chain);
  const reading = { tokens: 9, pools: 142, poolsRead: 64, requestsLeft: 78 };
  const status = { ...chain.follower.status(), reading };
  const { tokens: _, ...shown } = reading;
  const reads = { ...chain, follower: { ...chain.follower, status: () => status } };
  assert.deepEqual(chainHealth(reads).reading, shown);
});

test('readyz needs every market to have been read and one of them to be fresh', () => {
  const isReady = (...markets: Parameters<typeof chainAs>[0][]) =>
    getReadiness({ chains: markets.map(chainAs) }).ok;
  assert.equal(isReady('FRESH'), true);
  assert.equal(isReady('STALE'), false);
  assert.equal(isReady('FRESH', 'STALE'), true);
  assert.equal(isReady('STALE', 'STALE'), false);
  assert.equal(isReady('FRESH', 'NEVER_READ'), false);
});

test('while a chain is away, health is 200 and tells what is wrong, and readyz is 503', async () => {
  assert.equal((await harness.call({ url: '/readyz', login: null })).status, 200);
  harness.setFreshness({ fresh: false, why: 'NO_CONTACT', detail: 'no contact.', retryAfterSeconds: 1 });
  harness.setHead(undefined);
  const body = await health();
  assert.equal(body.status, 'DEGRADED');
  assert.equal(body.chains[0]?.status, 'NO_CONTACT');
  assert.equal(body.chains[0]?.detail, 'no contact.');
  assert.equal(body.chains[0]?.head, undefined);
  const ready = await harness.call({ url: '/readyz', login: null });
  assert.equal(ready.status, 503);
  assert.ok(!ready.text.includes('contact'), 'a probe reveals nothing');
  assert.equal((await harness.call({ url: '/livez', login: null })).status, 200);
  harness.setFreshness({ fresh: true });
});

test('probes ignore query parameters', async () => {
  assert.equal((await harness.call({ url: '/livez?cache=1', login: null })).status, 200);
});
