// A market from a snapshot equals the market that reading every pool gives, or it is not used and the reason is given.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FeePips, toAddress } from '@fairway/engine';
import { createRandom, createTraffic, startTestChain, type TestChain, type Traffic } from '@fairway/testing';
import type { FollowerEvent, FollowerOptions } from '../src/follower/options.ts';
import { startFollower } from '../src/follower/follower.ts';
import { readMarket } from '../src/market/reading.ts';
import type { Factory } from '../src/pools/poolKinds.ts';
import type { TrackedPool } from '../src/pools/trackedPool.ts';
import { type ChainRpc, createChainRpc } from '../src/rpc/chainRpc.ts';
import { latestHead } from '../src/rpc/head.ts';
import { RpcAnswerError } from '../src/rpc/errors.ts';
import { createRestorer, type RestoreResult } from '../src/snapshot/restoreMarket.ts';
import { encodeSnapshot, type MarketSnapshot, openSnapshot } from '../src/snapshot/format.ts';
import type { SnapshotStore } from '../src/snapshot/store.ts';

const random = createRandom();
const EVERY_POOL = 1_000_000;
let chain: TestChain;
let rpc: ChainRpc;
let traffic: Traffic;
const followers: { close(): Promise<void> }[] = [];

before(async () => {
  chain = await startTestChain();
  rpc = createChainRpc([chain.ipcPath ?? chain.wsUrl], 5000);
  traffic = await createTraffic(chain, random);
});
after(async () => {
  // Includes followers of tests that failed.
  for (const follower of followers) await follower.close();
  rpc?.close();
  await chain?.close();
});

function factories(): Factory[] {
  const { v2Factory, v3Factory } = chain.contracts;
  return [
    { kind: 'UNISWAP_V2', name: 'v2', address: toAddress(v2Factory), feePips: 3000 as FeePips },
    {
      kind: 'UNISWAP_V3',
      name: 'v3',
      address: toAddress(v3Factory),
      feeTiers: [100, 500, 3000, 10_000] as FeePips[],
    },
  ];
}

function marketSource(request = rpc.request) {
  return {
    request,
    chainId: chain.chainId,
    multicall3: toAddress(chain.contracts.multicall3),
    spender: toAddress(chain.contracts.swapRouter02),
    factories: factories(),
    tokens: chain.tokens.map(({ address }) => toAddress(address)),
  };
}

/** A store in memory. */
function memoryStore(): SnapshotStore & { bytes?: Uint8Array } {
  return {
    async read() {
      return this.bytes === undefined ? { state: 'ABSENT' } : { state: 'READ', bytes: this.bytes };
    },
    async save(pieces) {
      this.bytes = Buffer.concat([...pieces]);
    },
  };
}

/** Follows the chain with a snapshot. */
function start(store: SnapshotStore, changes: Partial<FollowerOptions> = {}) {
  const events: FollowerEvent[] = [];
  const follower = startFollower({
    ...marketSource(),
    rpc,
    pollIntervalMs: 20,
    staleAfterMs: 5000,
    nowMs: chain.nowMs,
    monotonicMs: () => performance.now(),
    snapshot: { store, confirmations: 1, saveIntervalMs: 60_000, sampleSize: EVERY_POOL },
    onEvent: (event) => events.push(event),
    ...changes,
  });
  followers.push(follower);
  return { follower, events };
}

/** Follows the chain with a snapshot until the first market is there. */
async function follow(store: SnapshotStore, changes: Partial<FollowerOptions> = {}) {
  const started = start(store, changes);
  await started.follower.synced;
  return started;
}

/** A store with a snapshot that a follower saved when it was closed. */
async function closedFollower(): Promise<ReturnType<typeof memoryStore>> {
  const store = memoryStore();
  const { follower, events } = await follow(store);
  assert.equal(events[0]?.type, 'SYNCED');
  await follower.close();
  assert.ok(store.bytes);
  return store;
}

function types(events: readonly FollowerEvent[]): string[] {
  return events.map(({ type }) => type);
}

function contentOf(bytes: Uint8Array): MarketSnapshot {
  const opened = openSnapshot(bytes, marketSource());
  assert.ok(opened.ok);
  const { readPools, poolCount: _, ...origin } = opened.snapshot;
  return { ...origin, pools: [...readPools()].flat() };
}

/** The result of starting from a snapshot with changed content. */
async function restoreChanged(
  change: (content: MarketSnapshot) => MarketSnapshot,
  options: Partial<Parameters<typeof createRestorer>[0]> = {},
): Promise<RestoreResult> {
  const store = await closedFollower();
  const { bytes } = store;
  assert.ok(bytes);
  store.bytes = Buffer.concat([...encodeSnapshot(change(contentOf(bytes)))]);
  const restore = createRestorer({
    ...marketSource(),
    behaviours: new Map(),
    store,
    sampleSize: EVERY_POOL,
    ...options,
  });
  return restore(await latestHead(rpc.request));
}

async function assertDiscarded(result: RestoreResult, says: RegExp): Promise<void> {
  assert.equal(result.outcome, 'DISCARDED');
  assert.ok(result.outcome === 'DISCARDED');
  assert.match(result.detail, says);
}

function byAddress(pools: Iterable<TrackedPool>): TrackedPool[] {
  return [...pools].sort((a, b) => (a.pool.address < b.pool.address ? -1 : 1));
}

test(`a restart gives exactly what reading all pools gives (FC_SEED=${random.seed})`, async () => {
  const store = memoryStore();
  const outcomes = { RESTORED: 0, DISCARDED: 0, ABSENT: 0 };
  for (let restart = 0; restart < 12; restart++) {
    const { follower } = await follow(store);
    for (let trade = random.integer(0, 12); trade > 0; trade--) await traffic.trade();
    if (random.integer(1, 3) === 1) await chain.rpc('anvil_reorg', [random.integer(1, 4), []]);
    await follower.close();
    for (let trade = random.integer(0, 12); trade > 0; trade--) await traffic.trade();
    if (random.integer(1, 3) === 1) await chain.rpc('anvil_reorg', [random.integer(1, 4), []]);
    const restore = createRestorer({
      ...marketSource(),
      behaviours: new Map(),
      store,
      sampleSize: EVERY_POOL,
    });
    const head = await latestHead(rpc.request);
    const result = await restore(head);
    outcomes[result.outcome]++;
    if (result.outcome === 'DISCARDED') assert.match(result.detail, /not part of the chain|node is at/);
    if (result.outcome !== 'RESTORED') continue;
    const { pools, tokens } = await readMarket(marketSource(), head);
    assert.deepEqual(byAddress(result.state.pools.values()), byAddress(pools));
    assert.deepEqual(result.tokens, tokens);
    assert.equal(result.state.head()?.hash, head.hash);
    assert.equal(result.sampleCount, pools.length);
  }
  console.log(outcomes);
  assert.ok(outcomes.RESTORED >= 3);
});

test('a follower starts from a snapshot, follows the chain, and saves the next snapshot', async () => {
  const store = await closedFollower();
  const first = contentOf(store.bytes!);
  for (let trade = 0; trade < 20; trade++) await traffic.trade();
  // More than the replay takes in one step.
  await chain.rpc('anvil_mine', ['0x65']);
  const { follower, events } = await follow(store);
  const [restored] = events;
  assert.ok(restored?.type === 'RESTORED');
  assert.equal(restored.snapshotBlock, first.blockNumber);
  const cold = await follow(memoryStore());
  assert.equal(cold.follower.head()?.hash, follower.head()?.hash);
  const sorted = (pools: Iterable<{ address: string }>) =>
    [...pools].sort((a, b) => (a.address < b.address ? -1 : 1));
  assert.deepEqual(sorted(follower.market.pools()), sorted(cold.follower.market.pools()));
  assert.deepEqual(follower.tokens, cold.follower.tokens);
  await chain.rpc('anvil_mine', ['0x3']);
  const { number } = await latestHead(rpc.request);
  while (follower.head()?.number !== number) await sleep(5);
  await follower.close();
  await cold.follower.close();
  assert.equal(contentOf(store.bytes!).blockNumber, number - 1n);
  assert.deepEqual(events.at(-1), {
    type: 'SNAPSHOT_SAVED',
    blockNumber: number - 1n,
    byteCount: store.bytes?.length,
  });
});

test("nobody sees a snapshot's market before it is compared with the chain", async () => {
  const store = await closedFollower();
  const gate = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  const held: ChainRpc = {
    ...rpc,
    async request(call) {
      // The first call with a state override reads the sample.
      if (call.method === 'eth_call' && call.params?.length === 3) {
        reached.resolve();
        await gate.promise;
      }
      return rpc.request(call);
    },
  };
  const { follower, events } = start(store, { rpc: held });
  await reached.promise;
  await sleep(50);
  assert.deepEqual(events, []);
  assert.equal(follower.market.poolCount, 0);
  assert.equal(follower.head(), undefined);
  assert.partialDeepStrictEqual(follower.status().freshness, { fresh: false, why: 'SYNCING' });
  gate.resolve();
  await follower.synced;
  assert.equal(types(events)[0], 'RESTORED');
  assert.ok(follower.market.poolCount > 0);
  assert.deepEqual(follower.status().freshness, { fresh: true });
  await follower.close();
});

test("a reorg below a snapshot's block discards it, and the market is read", async () => {
  for (let trades = 0; trades < 3; ) if (await traffic.trade()) trades++;
  const store = await closedFollower();
  await chain.rpc('anvil_reorg', [2, []]);
  const { follower, events } = await follow(store);
  assert.ok(events[0]?.type === 'SNAPSHOT_DISCARDED');
  assert.match(events[0].detail, /^its block \d+ is not part of the chain/);
  assert.equal(events[1]?.type, 'SYNCED');
  await follower.close();
});

test('a node that is behind the snapshot is followed from its own block', async () => {
  const result = await restoreChanged((content) => ({ ...content, blockNumber: content.blockNumber + 100n }));
  await assertDiscarded(result, /^it is of block \d+, and the node is at \d+$/);
});

const misfits: [name: string, change: (content: MarketSnapshot) => MarketSnapshot, says: RegExp][] = [
  ["another chain's", (content) => ({ ...content, chainId: 1 }), /^it is of chain 1$/],
  [
    "other factories'",
    (content) => {
      const [v2, ...others] = content.factories;
      assert.ok(v2?.kind === 'UNISWAP_V2');
      return { ...content, factories: [{ ...v2, feePips: 2500 as FeePips }, ...others] };
    },
    /other factories/,
  ],
  [
    "other tokens'",
    (content) => ({ ...content, tokens: [...content.tokens, toAddress(`0x${'ab'.repeat(20)}`)] }),
    /other tokens/,
  ],
  [
    "a fork's of the same height",
    (content) => ({ ...content, blockHash: `0x${'cd'.repeat(32)}` }),
    /not part of the chain/,
  ],
];
for (const [name, change, says] of misfits) {
  test(`${name} snapshot is discarded`, async () => {
    await assertDiscarded(await restoreChanged(change), says);
  });
}

/** The content with its first pool of a kind changed. */
function poisoned(
  kind: 'UNISWAP_V2' | 'UNISWAP_V3',
  poison: (tracked: TrackedPool) => TrackedPool,
): (content: MarketSnapshot) => MarketSnapshot {
  return (content) => {
    const victim = content.pools.findIndex(({ pool }) => pool.kind === kind);
    return { ...content, pools: content.pools.with(victim, poison(content.pools[victim]!)) };
  };
}

const poisons: [name: string, change: (content: MarketSnapshot) => MarketSnapshot][] = [
  [
    'a reserve',
    poisoned('UNISWAP_V2', ({ pool, overlap }) => {
      assert.ok(pool.kind === 'UNISWAP_V2');
      return { pool: { ...pool, reserve1: pool.reserve1 + 1n }, overlap };
    }),
  ],
  [
    "a tick's liquidity",
    poisoned('UNISWAP_V3', ({ pool, overlap }) => {
      assert.ok(pool.kind === 'UNISWAP_V3');
      const liquidityNet = pool.ticks.liquidityNet.with(-1, -1n);
      return { pool: { ...pool, ticks: { ...pool.ticks, liquidityNet } }, overlap };
    }),
  ],
  [
    'gross liquidity alone',
    poisoned('UNISWAP_V3', ({ pool }) => {
      assert.ok(pool.kind === 'UNISWAP_V3');
      return { pool, overlap: new Map([[pool.ticks.indexes[0] ?? 0, 2n]]) };
    }),
  ],
  [
    'a fee',
    poisoned('UNISWAP_V3', ({ pool, overlap }) => ({ pool: { ...pool, feePips: 1 as FeePips }, overlap })),
  ],
  [
    'the tokens of a pair, exchanged',
    poisoned('UNISWAP_V2', ({ pool, overlap }) => ({
      pool: { ...pool, tokens: [pool.tokens[1], pool.tokens[0]] },
      overlap,
    })),
  ],
  [
    'the address of a pair, which is no contract',
    poisoned('UNISWAP_V2', ({ pool, overlap }) => ({
      pool: { ...pool, address: toAddress(`0x${'ee'.repeat(20)}`) },
      overlap,
    })),
  ],
];
for (const [name, change] of poisons) {
  test(`a snapshot wrong in ${name} is caught when the sample has the pool`, async () => {
    const result = await restoreChanged(change);
    await assertDiscarded(result, /^1 of \d+ pools read back differ from the chain, such as 0x[0-9a-f]{40}$/);
  });
}

test('a pool that its factory does not know is caught, even if it answers like a real one', async () => {
  // The same contract with the name of another factory: only that factory can tell that the pool is not its own.
  const twin: Factory = { ...(factories()[0] as Factory & { kind: 'UNISWAP_V2' }), name: 'twin' };
  const empty = { ...twin, address: toAddress(chain.contracts.v3Factory) };
  const result = await restoreChanged(
    (content) => {
      const changed = poisoned('UNISWAP_V2', ({ pool, overlap }) => ({
        pool: { ...pool, source: 'twin' },
        overlap,
      }));
      return { ...changed(content), factories: [...factories(), empty] };
    },
    { factories: [...factories(), empty] },
  );
  await assertDiscarded(result, /^1 of \d+ pools/);
});

test('a snapshot that cannot be brought up to date is discarded, and the market is read', async () => {
  const store = await closedFollower();
  await chain.rpc('anvil_mine', ['0x3']);
  const refusing: ChainRpc = {
    ...rpc,
    async request(call) {
      if (call.method === 'eth_getLogs') throw new RpcAnswerError(-32_000, 'logs are pruned', undefined);
      return rpc.request(call);
    },
  };
  const { follower, events } = await follow(store, { rpc: refusing });
  assert.deepEqual(types(events).slice(-2), ['SNAPSHOT_DISCARDED', 'SYNCED']);
  const discarded = events.at(-2);
  assert.ok(discarded?.type === 'SNAPSHOT_DISCARDED');
  assert.match(discarded.detail, /cannot be brought to the latest block: logs are pruned/);
  await follower.close();
});

test('a snapshot so old that reading all pools is faster is not replayed', async () => {
  const store = await closedFollower();
  await chain.rpc('anvil_mine', ['0xc8']);
  const { follower, events } = await follow(store);
  assert.ok(events[0]?.type === 'SNAPSHOT_DISCARDED');
  assert.match(events[0].detail, /^it is 200 blocks old, and reading \d+ pools takes less$/);
  await follower.close();
});

test('a snapshot that cannot be read or saved is reported, and the market is followed', async () => {
  const store: SnapshotStore = {
    read: async () => ({ state: 'UNUSABLE', detail: 'it is damaged' }),
    save: async (pieces) => {
      for (const piece of pieces) if (piece.length > 0) throw new Error('ENOSPC: no space left on device');
    },
  };
  const { follower, events } = await follow(store);
  assert.deepEqual(events[0], { type: 'SNAPSHOT_DISCARDED', detail: 'it is damaged' });
  const refused = { type: 'SNAPSHOT_NOT_SAVED', detail: 'ENOSPC: no space left on device' };
  while (!events.some(({ type }) => type === 'SNAPSHOT_NOT_SAVED')) await sleep(5);
  assert.deepEqual(
    events.find(({ type }) => type === 'SNAPSHOT_NOT_SAVED'),
    refused,
  );
  assert.deepEqual(follower.status().freshness, { fresh: true });
  await follower.close();
});
