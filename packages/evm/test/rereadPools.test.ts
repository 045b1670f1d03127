// A market that a node lied to is corrected as soon as somebody names the pool, while blocks go on.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FeePips, type Pool, toAddress, type V2Pool } from '@fairway/engine';
import { encodeAbiParameters, toEventSelector } from 'viem';
import type { FollowerEvent } from '../src/follower/options.ts';
import { startFollower } from '../src/follower/follower.ts';
import type { RpcRequest } from '../src/rpc/endpoint.ts';
import { useTestChain } from './chainOfTest.ts';

const bench = useTestChain();

const SYNC = toEventSelector('Sync(uint112,uint112)');

/** Selector of `sync()`, by which anybody has a pair write its reserves into a log. */
const WRITE_RESERVES = '0xfff6cae9';

/** Follows the chain over a node that, in one log of a pair's reserves, halves both. */
async function followLiar(t: TestContext) {
  const events: FollowerEvent[] = [];
  let [victim, beforeRead]: [V2Pool | undefined, (() => Promise<void>) | undefined] = [undefined, undefined];
  let reads = 0;
  const request: RpcRequest = async (call) => {
    if (call.method === 'eth_call') {
      reads += 1;
      const [meet] = [beforeRead];
      beforeRead = undefined;
      await meet?.();
    }
    const answer = await bench.rpc.request(call);
    if (call.method !== 'eth_getLogs' || victim === undefined) return answer;
    const { address, reserve0, reserve1 } = victim;
    victim = undefined;
    const words = [{ type: 'uint112' }, { type: 'uint112' }] as const;
    const data = encodeAbiParameters(words, [reserve0 / 2n, reserve1 / 2n]);
    return (answer as { address: string; topics: string[] }[]).map((log) =>
      log.address.toLowerCase() === address && log.topics[0] === SYNC ? { ...log, data } : log,
    );
  };
  const follower = startFollower({
    rpc: { ...bench.rpc, request, subscribeHeads: async () => ({ state: 'IMPOSSIBLE' }) },
    chainId: bench.chain.chainId,
    multicall3: toAddress(bench.chain.contracts.multicall3),
    spender: toAddress(bench.chain.contracts.swapRouter02),
    factories: [
      {
        kind: 'UNISWAP_V2',
        name: 'v2',
        address: toAddress(bench.chain.contracts.v2Factory),
        feePips: 3000 as FeePips,
      },
    ],
    tokens: bench.chain.tokens.map(({ address }) => toAddress(address)),
    pollIntervalMs: 10,
    staleAfterMs: 10_000,
    nowMs: bench.chain.nowMs,
    monotonicMs: () => performance.now(),
    onEvent: (event) => events.push(event),
  });
  t.after(() => follower.close());
  await follower.synced;

  async function mine(change: () => Promise<unknown> = () => bench.chain.rpc('anvil_mine', ['0x1'])) {
    const from = follower.head()?.number ?? 0n;
    await change();
    while ((follower.head()?.number ?? 0n) <= from) await sleep(5);
  }

  return {
    follower,
    events,
    mine,
    reads: () => reads,
    /** Lies about the next block, in which the pool writes its reserves. */
    async lieAbout(pool: Pool): Promise<void> {
      assert.ok(pool.kind === 'UNISWAP_V2');
      victim = pool;
      await mine(() =>
        bench.chain.send(bench.chain.accounts[0]?.address ?? '', pool.address, WRITE_RESERVES),
      );
    },
    beforeNextRead(meet: () => Promise<void>): void {
      beforeRead = meet;
    },
  };
}

test('named pools are compared with the chain at once, and corrected where they differ', async (t) => {
  const { follower, events, reads, mine, lieAbout } = await followLiar(t);
  const [honest] = [...follower.market.pools()];
  assert.ok(honest);
  assert.equal(await follower.reread([honest]), 'RIGHT');
  assert.equal(await follower.reread([]), 'RIGHT');
  await lieAbout(honest);
  const wrong = follower.market.get(honest.address);
  assert.ok(wrong && wrong !== honest);
  const answers = await Promise.all([follower.reread([wrong]), follower.reread([wrong])]);
  assert.deepEqual(answers, ['WRONG', 'WRONG']);
  assert.deepEqual(follower.market.get(honest.address), honest);
  const mismatches = events.filter(({ type }) => type === 'AUDIT_MISMATCH');
  assert.equal(mismatches.length, 1, 'a pool that is corrected already is not read for the second swap');
  const before = reads();
  assert.equal(await follower.reread([wrong]), 'WRONG', 'what was found wrong stays wrong');
  assert.equal(await follower.reread([honest]), 'UNKNOWN', 'the market has another value of this pool');
  assert.equal(reads(), before);
  const [corrected] = [...follower.market.pools()];
  assert.ok(corrected);
  assert.equal(await follower.reread([corrected]), 'RIGHT');
  await mine();
});

test('a pool is corrected at the new head when a block comes while it is read', async (t) => {
  const { follower, events, mine, lieAbout, beforeNextRead } = await followLiar(t);
  const [honest] = [...follower.market.pools()];
  assert.ok(honest);
  await lieAbout(honest);
  const wrong = follower.market.get(honest.address);
  assert.ok(wrong);
  // The first comparison sees the difference; the block comes during the one that confirms it.
  beforeNextRead(async () => beforeNextRead(() => mine()));
  assert.equal(await follower.reread([wrong]), 'WRONG');
  assert.deepEqual(follower.market.get(honest.address), honest);
  await mine();
  assert.equal(events.filter(({ type }) => type === 'SYNCED').length, 1, 'the market is not read as a whole');
});

test('a node that does not answer leaves the market as it is', async (t) => {
  const { follower, events, lieAbout, beforeNextRead } = await followLiar(t);
  const [honest] = [...follower.market.pools()];
  assert.ok(honest);
  await lieAbout(honest);
  const wrong = follower.market.get(honest.address);
  assert.ok(wrong);
  beforeNextRead(() => Promise.reject(new Error('the node is away')));
  assert.equal(await follower.reread([wrong]), 'UNKNOWN');
  assert.equal(follower.market.get(honest.address), wrong);
  assert.ok(events.some((event) => event.type === 'FAILED' && event.detail === 'the node is away'));
  assert.equal(await follower.reread([wrong]), 'WRONG');
  assert.deepEqual(follower.market.get(honest.address), honest);
});
