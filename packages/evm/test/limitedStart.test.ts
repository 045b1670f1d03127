// A start behind a node that limits how often it may be asked ends, keeps what it has read, and goes on after a restart.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FeePips, type Pool, toAddress } from '@fairway/engine';
import {
  createRandom,
  createTraffic,
  type LimitAnswer,
  startLimitedNode,
  startTestChain,
  type TestChain,
  type Traffic,
} from '@fairway/testing';
import { encodeFunctionData, parseAbi } from 'viem';
import type { FollowerEvent, FollowerOptions } from '../src/follower/options.ts';
import { startFollower } from '../src/follower/follower.ts';
import { readMarket } from '../src/market/reading.ts';
import { type Factory, isTradable } from '../src/pools/poolKinds.ts';
import type { TrackedPool } from '../src/pools/trackedPool.ts';
import { type ChainRpc, createChainRpc } from '../src/rpc/chainRpc.ts';
import type { RpcRequest } from '../src/rpc/endpoint.ts';
import { headByHash, latestHead } from '../src/rpc/head.ts';
import { RpcAnswerError } from '../src/rpc/errors.ts';
import type { SnapshotStore } from '../src/snapshot/store.ts';

const POOLS = 142;
const FEES = [100, 500, 3000, 10_000];
let bench: { readonly chain: TestChain; readonly rpc: ChainRpc };
const tokens: `0x${string}`[] = [];
let traffic: Traffic;
const ends: (() => Promise<unknown> | void)[] = [];
after(async () => {
  for (const end of ends) await end();
  bench?.rpc.close();
  await bench?.chain.close();
});

/** Makes the market as large as that of the report: more tokens by the code of one, and a pool for each pair and fee. */
before(async () => {
  const chain = await startTestChain();
  bench = { chain, rpc: createChainRpc([chain.rpcUrl], 5000) };
  traffic = await createTraffic(chain, createRandom(7));
  tokens.push(...chain.tokens.map(({ address }) => toAddress(address)));
  const code = await chain.rpc('eth_getCode', [tokens[0], 'latest']);
  while (tokens.length < 10) {
    const token = `0x${String(tokens.length).padStart(40, '7')}` as const;
    await chain.rpc('anvil_setCode', [token, code]);
    tokens.push(toAddress(token));
  }
  let missing = POOLS - (await readAll()).length;
  for (const [index, one] of tokens.entries())
    for (const other of tokens.slice(index + 1))
      for (const fee of FEES) if (missing > 0 && (await createPool(one, other, fee))) missing--;
});

/** Creates and initialises a pool; false where there is one already. */
async function createPool(one: string, other: string, fee: number): Promise<boolean> {
  const [token0, token1] = [one, other].toSorted();
  const known = bench.chain.pools.some(
    (pool) =>
      pool.fee === fee && [pool.token0, pool.token1].every((each) => [one, other].includes(toAddress(each))),
  );
  if (known) return false;
  const data = encodeFunctionData({
    abi: parseAbi(['function createAndInitializePoolIfNecessary(address, address, uint24, uint160) payable']),
    functionName: 'createAndInitializePoolIfNecessary',
    args: [token0 as `0x${string}`, token1 as `0x${string}`, fee, 2n ** 96n],
  });
  const { accounts, contracts } = bench.chain;
  return bench.chain.send(accounts[0]?.address ?? '', contracts.positionManager, data);
}

function marketSource(request: RpcRequest = bench.rpc.request) {
  const { v2Factory, v3Factory, multicall3, swapRouter02 } = bench.chain.contracts;
  const factories: Factory[] = [
    { kind: 'UNISWAP_V2', name: 'v2', address: toAddress(v2Factory), feePips: 3000 as FeePips },
    { kind: 'UNISWAP_V3', name: 'v3', address: toAddress(v3Factory), feeTiers: FEES as FeePips[] },
  ];
  return {
    ...{ request, factories, chainId: bench.chain.chainId },
    ...{ multicall3: toAddress(multicall3), spender: toAddress(swapRouter02) },
    tokens: tokens.map((token) => toAddress(token)),
  };
}

const byAddress = (pools: Iterable<TrackedPool>) =>
  [...pools].toSorted((a, b) => (a.pool.address < b.pool.address ? -1 : 1));

/** All pools as a reading without any limit gives them. */
async function readAll(blockHash?: string): Promise<readonly TrackedPool[]> {
  const { request } = bench.rpc;
  const head = blockHash === undefined ? await latestHead(request) : await headByHash(request, blockHash);
  assert.ok(head);
  return byAddress((await readMarket(marketSource(), head)).pools);
}

function start(rpc: ChainRpc, changes: Partial<FollowerOptions> = {}) {
  const events: FollowerEvent[] = [];
  const follower = startFollower({
    ...marketSource(rpc.request),
    rpc,
    pollIntervalMs: 1000,
    staleAfterMs: 60_000,
    nowMs: bench.chain.nowMs,
    monotonicMs: () => performance.now(),
    ...changes,
    onEvent(event) {
      events.push(event);
      changes.onEvent?.(event);
    },
  });
  ends.push(() => follower.close());
  return { follower, events };
}

const ANSWERS: Readonly<Record<string, LimitAnswer>> = {
  'HTTP 429 with Retry-After': { status: 429, retryAfter: 1 },
  'HTTP 429 alone': { status: 429 },
  'HTTP 429 with a JSON-RPC error': { status: 429, error: { code: 429, message: 'Too Many Requests' } },
  'code -32005': { status: 200, error: { code: -32_005, message: 'project ID request rate exceeded' } },
};
test(`${POOLS} pools are read from a node that bears 15 requests a second`, {
  concurrency: true,
}, async (t) => {
  const [expected, head] = [await readAll(), await latestHead(bench.rpc.request)];
  assert.equal(expected.length, POOLS);
  const starts = Object.entries(ANSWERS).map(([name, answer]) =>
    t.test(`it says ${name}`, async () => {
      const node = await startLimitedNode(bench.chain.rpcUrl, 15, answer);
      const rpc = createChainRpc([node.url], 5000);
      ends.push(() => rpc.close(), node.close);
      const beganMs = performance.now();
      const { follower, events } = start(rpc);
      await follower.synced;
      const seconds = (performance.now() - beganMs) / 1000;
      const { requests, refused } = node.counts;
      console.log(`${name}: ${seconds.toFixed(1)} s, ${requests} requests, ${refused} refused`);
      assert.equal(follower.head()?.hash, head.hash);
      assert.deepEqual(marketOf(follower), sorted(expected.map(({ pool }) => pool).filter(isTradable)));
      assert.deepEqual(
        events.filter(({ type }) => type === 'FAILED'),
        [],
      );
      // Each pool once, some requests around, and what the polls ask meanwhile; few of them in vain.
      assert.ok(requests - refused < POOLS + 60, `${requests - refused} answered`);
      assert.ok(refused < 45, `${refused} refused`);
      const read = events.flatMap((event) => (event.type === 'READING' ? [event.progress.poolsRead] : []));
      assert.ok(read.length >= 4 && read.every((count) => count > 0 && count < POOLS), String(read));
      assert.deepEqual(
        read,
        read.toSorted((a, b) => a - b),
      );
      await follower.close();
    }),
  );
  await Promise.all(starts);
});

function memoryStore(): SnapshotStore & { bytes?: Uint8Array; isFrozen: boolean } {
  return {
    isFrozen: false,
    async read() {
      return this.bytes === undefined ? { state: 'ABSENT' } : { state: 'READ', bytes: this.bytes };
    },
    async save(pieces) {
      if (!this.isFrozen) this.bytes = Buffer.concat([...pieces]);
    },
  };
}

/** The direct way to the node, with something done before a read of a pool is passed on. */
function watching(beforePool: (count: number, blockHash: string) => Promise<void> | void): ChainRpc {
  let count = 0;
  return {
    ...bench.rpc,
    async request(call) {
      const [, block, override] = call.params ?? [];
      if (override !== undefined) await beforePool(++count, (block as { blockHash: string }).blockHash);
      return bench.rpc.request(call);
    },
    close: () => undefined,
  };
}

test('a process that is killed half-way goes on where it stopped', async () => {
  const store = memoryStore();
  const snapshot = { store, confirmations: 2, saveIntervalMs: 60_000, sampleSize: 64 };
  const dead = Promise.withResolvers<never>();
  const killed = Promise.withResolvers<void>();
  ends.unshift(() => dead.reject(new Error('the end')));
  const dying = watching((count) => {
    if (count <= 80) return;
    // From here on it does nothing any more, and saves nothing.
    store.isFrozen = true;
    killed.resolve();
    return dead.promise;
  });
  const first = start(dying, { snapshot });
  await killed.promise;
  for (let trade = 0; trade < 10; trade++) await traffic.trade();
  let reads = 0;
  store.isFrozen = false;
  const second = start(
    watching(() => {
      reads++;
    }),
    { snapshot },
  );
  await second.follower.synced;
  const resumed = second.events.find(({ type }) => type === 'READING_RESUMED');
  assert.ok(
    resumed?.type === 'READING_RESUMED' && resumed.poolCount >= 64,
    JSON.stringify(second.events.map(({ type }) => type)),
  );
  // Those that are left, and an eighth of the others to compare.
  assert.ok(reads < POOLS - 64 + 16, String(reads));
  assert.deepEqual(marketOf(second.follower), await marketAt(second.follower.head()?.hash));
  dead.reject(new Error('the end'));
  await first.follower.close();
  await second.follower.close();
});

type Followed = ReturnType<typeof startFollower>;
const sorted = (pools: Iterable<Pool>) => [...pools].toSorted((a, b) => (a.address < b.address ? -1 : 1));
const marketOf = ({ market }: Followed) => sorted(market.pools());
const marketAt = async (hash: string | undefined) => {
  const pools = (await readAll(hash)).map(({ pool }) => pool);
  return sorted(pools.filter(isTradable));
};

const MEANWHILE: Readonly<Record<string, () => Promise<unknown>>> = {
  'the node drops the state of the block': () => bench.chain.rpc('anvil_mine', ['0x2']),
  'more blocks come than nodes keep the state of': () => bench.chain.rpc('anvil_mine', ['0x60']),
};
for (const [what, happens] of Object.entries(MEANWHILE))
  test(`a reading keeps its pools when ${what}`, async () => {
    await bench.chain.rpc('anvil_mine', ['0x1']);
    let gone: string | undefined;
    const reads = new Map<string, number>();
    const rpc = watching(async (count, blockHash) => {
      reads.set(blockHash, (reads.get(blockHash) ?? 0) + 1);
      if (count === 70) {
        for (let trade = 0; trade < 5; trade++) await traffic.trade();
        await happens();
        const { number } = await latestHead(bench.rpc.request);
        while (follower.status().nodeBlockNumber !== number) await sleep(5);
        gone = blockHash;
      }
      if (blockHash === gone) throw new RpcAnswerError(-32_000, 'missing trie node 1a2b (path )', undefined);
    });
    const { follower, events } = start(rpc, { pollIntervalMs: 20 });
    await follower.synced;
    assert.deepEqual(
      events.filter(({ type }) => type === 'FAILED'),
      [],
    );
    assert.deepEqual(marketOf(follower), await marketAt(follower.head()?.hash));
    const total = [...reads.values()].reduce((sum, count) => sum + count, 0);
    console.log(`${what}: ${total} reads of pools at ${reads.size} blocks`);
    assert.ok(total <= POOLS + 40, `${total} reads of pools`);
    await follower.close();
  });

test('pools read at a block that a reorganisation takes back are read again', async () => {
  await bench.chain.rpc('anvil_mine', ['0x1']);
  const gone = new Set<string>();
  let total = 0;
  const rpc = watching(async (count, blockHash) => {
    total = count;
    // The reading moves to a newer block at the first, and loses this block at the second.
    if (count === 40) for (let trade = 0; trade < 5; trade++) await traffic.trade();
    if (count === 110) await bench.chain.rpc('anvil_reorg', [1, []]);
    if (count === 40 || count === 110) {
      await sleep(200);
      gone.add(blockHash);
    }
    if (gone.has(blockHash)) throw new RpcAnswerError(-32_000, 'header not found', undefined);
  });
  const { follower } = start(rpc, { pollIntervalMs: 20 });
  await follower.synced;
  assert.deepEqual(marketOf(follower), await marketAt(follower.head()?.hash));
  assert.ok(total < 2 * POOLS, `${total} reads of pools`);
  await follower.close();
});
