// A follower must not lose a pool that was created just before a reorg, and must report a node that refuses requests.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FeePips, toAddress } from '@fairway/engine';
import { encodeFunctionData, parseAbi } from 'viem';
import type { FollowerEvent } from '../src/follower/options.ts';
import { startFollower } from '../src/follower/follower.ts';
import { loadMissedBlocks } from '../src/market/missedBlocks.ts';
import { readMarket } from '../src/market/reading.ts';
import { createMarketState } from '../src/market/state.ts';
import type { Factory } from '../src/pools/poolKinds.ts';
import type { ChainRpc } from '../src/rpc/chainRpc.ts';
import { headByNumber, latestHead } from '../src/rpc/head.ts';
import { RpcAnswerError } from '../src/rpc/errors.ts';
import { useTestChain } from './chainOfTest.ts';

const bench = useTestChain();

function marketSource(request = bench.rpc.request) {
  const factory: Factory = {
    kind: 'UNISWAP_V3',
    name: 'v3',
    address: toAddress(bench.chain.contracts.v3Factory),
    feeTiers: [100, 500, 3000, 10_000] as FeePips[],
  };
  const tokens = bench.chain.tokens.map(({ address }) => toAddress(address));
  const { multicall3, swapRouter02 } = bench.chain.contracts;
  const contracts = { multicall3: toAddress(multicall3), spender: toAddress(swapRouter02) };
  return { request, ...contracts, factories: [factory], tokens };
}

/** Creates and initialises a pool that the sandbox does not have, in a block of its own. */
async function createPool(): Promise<void> {
  const pairs = bench.chain.tokens.flatMap((a) =>
    bench.chain.tokens.map((b) => [a.address, b.address] as const),
  );
  const known = new Set(bench.chain.pools.map(({ token0, token1, fee }) => `${token0}${token1}${fee}`));
  const pair = pairs.find(([a, b]) => a.toLowerCase() < b.toLowerCase() && !known.has(`${a}${b}10000`));
  assert.ok(pair);
  const data = encodeFunctionData({
    abi: parseAbi(['function createAndInitializePoolIfNecessary(address, address, uint24, uint160) payable']),
    functionName: 'createAndInitializePoolIfNecessary',
    args: [pair[0], pair[1], 10_000, 2n ** 96n],
  });
  assert.ok(
    await bench.chain.send(
      bench.chain.accounts[0]?.address ?? '',
      bench.chain.contracts.positionManager,
      data,
    ),
  );
}

test('a pool created in missed blocks survives a reorg of the blocks after it', async () => {
  const state = createMarketState();
  const start = await latestHead(bench.rpc.request);
  const market = await readMarket(marketSource(), start);
  state.reset(start, market.pools);
  const tokens = new Set(market.tokens.map(({ address }) => address));
  await createPool();
  await bench.chain.rpc('anvil_mine', ['0x2']);
  const missed = await loadMissedBlocks(marketSource(), state, await latestHead(bench.rpc.request), tokens);
  assert.ok(missed);
  state.advance(missed.ancestorHash, missed.changes);
  assert.equal(state.pools.size, market.pools.length + 1);
  await bench.chain.rpc('anvil_reorg', [1, []]);
  const after = await latestHead(bench.rpc.request);
  assert.notEqual(after.hash, state.head()?.hash);
  const reorganised = await loadMissedBlocks(marketSource(), state, after, tokens);
  assert.ok(reorganised);
  assert.equal(state.advance(reorganised.ancestorHash, reorganised.changes), 1);
  assert.equal(state.pools.size, market.pools.length + 1);
  assert.deepEqual(await headByNumber(bench.rpc.request, after.number), after);
});

test('a node that refuses logs is reported, and the market becomes stale, not wrong', async () => {
  const events: FollowerEvent[] = [];
  const refusing: ChainRpc = {
    ...bench.rpc,
    async request(call) {
      if (call.method === 'eth_getLogs') throw new RpcAnswerError(-32_005, 'limit exceeded', undefined);
      return bench.rpc.request(call);
    },
  };
  const follower = startFollower({
    ...marketSource(),
    rpc: refusing,
    chainId: bench.chain.chainId,
    pollIntervalMs: 20,
    staleAfterMs: 200,
    nowMs: bench.chain.nowMs,
    monotonicMs: () => performance.now(),
    onEvent: (event) => events.push(event),
  });
  await follower.synced;
  const before = follower.head();
  await bench.chain.rpc('anvil_mine', ['0x1']);
  while (follower.status().freshness.fresh) await sleep(20);
  assert.partialDeepStrictEqual(follower.status().freshness, { why: 'LAGGING' });
  assert.equal(follower.head(), before);
  assert.ok(events.some((event) => event.type === 'FAILED' && event.detail === 'limit exceeded'));
  await follower.close();
});

test('a node that sends nonsense as its latest block is reported in words', async () => {
  const events: FollowerEvent[] = [];
  const odd: ChainRpc = { ...bench.rpc, request: async () => null };
  const follower = startFollower({
    ...marketSource(),
    rpc: odd,
    chainId: bench.chain.chainId,
    pollIntervalMs: 20,
    staleAfterMs: 200,
    nowMs: bench.chain.nowMs,
    monotonicMs: () => performance.now(),
    onEvent: (event) => events.push(event),
  });
  while (events.length === 0) await sleep(10);
  assert.deepEqual(events[0], { type: 'FAILED', detail: 'The node sent something that is no block header' });
  await follower.close();
});

test('a node that falls behind takes no block back, and the market gets stale if it stays behind', async () => {
  const events: FollowerEvent[] = [];
  let behind: object | undefined;
  const lagging: ChainRpc = {
    ...bench.rpc,
    subscribeHeads: async () => ({ state: 'IMPOSSIBLE' }),
    async request(call) {
      const isLatest = call.method === 'eth_getBlockByNumber' && call.params?.[0] === 'latest';
      return isLatest && behind !== undefined ? behind : bench.rpc.request(call);
    },
  };
  const follower = startFollower({
    ...marketSource(),
    rpc: lagging,
    chainId: bench.chain.chainId,
    pollIntervalMs: 20,
    staleAfterMs: 300,
    nowMs: bench.chain.nowMs,
    monotonicMs: () => performance.now(),
    onEvent: (event) => events.push(event),
  });
  await follower.synced;
  for (const count of [3, 130]) {
    const before = follower.head();
    await bench.chain.rpc('anvil_mine', [`0x${count.toString(16)}`]);
    while ((follower.head()?.number ?? 0n) < (before?.number ?? 0n) + BigInt(count)) await sleep(10);
    const head = follower.head();
    const older = `0x${((head?.number ?? 0n) - BigInt(count)).toString(16)}`;
    events.length = 0;
    behind = await bench.chain.rpc('eth_getBlockByNumber', [older, false]);
    while (!events.some(({ type }) => type === 'NODE_BEHIND')) await sleep(10);
    assert.partialDeepStrictEqual(events.at(-1), { type: 'NODE_BEHIND', blocks: BigInt(count) });
    assert.equal(follower.head(), head);
    while (follower.status().freshness.fresh) await sleep(20);
    assert.partialDeepStrictEqual(follower.status().freshness, { why: 'LAGGING' });
    assert.equal(follower.head(), head);
    behind = undefined;
    while (!follower.status().freshness.fresh) await sleep(20);
    assert.ok(!events.some((event) => event.type === 'HEAD' || event.type === 'SYNCED'));
  }
  await follower.close();
});
