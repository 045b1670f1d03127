// What tokens do with transfers is found when the market is read and again later, and decides which pools are in the market.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Address, type FeePips, toAddress } from '@fairway/engine';
import { makeHostile, makeShares } from '@fairway/testing';
import type { FollowerEvent, FollowerOptions } from '../src/follower/options.ts';
import { startFollower } from '../src/follower/follower.ts';
import type { RpcRequest } from '../src/rpc/endpoint.ts';
import { NodesDisagreeError, RpcAnswerError } from '../src/rpc/errors.ts';
import type { SnapshotStore } from '../src/snapshot/store.ts';
import type { Follower } from '../src/types.ts';
import { useTestChain } from './chainOfTest.ts';

const bench = useTestChain();

function token(symbol: string): Address {
  return toAddress(bench.chain.tokens.find((each) => each.symbol === symbol)?.address ?? assert.fail(symbol));
}

async function follow(t: TestContext, request: RpcRequest, changes: Partial<FollowerOptions> = {}) {
  const { multicall3, swapRouter02, v2Factory, v3Factory } = bench.chain.contracts;
  const events: FollowerEvent[] = [];
  let measurements = 0;
  const counted: RpcRequest = (call) => {
    if (call.method === 'eth_simulateV1') measurements += 1;
    return request(call);
  };
  const follower = startFollower({
    rpc: { ...bench.rpc, request: counted },
    chainId: bench.chain.chainId,
    multicall3: toAddress(multicall3),
    spender: toAddress(swapRouter02),
    factories: [
      { kind: 'UNISWAP_V2', name: 'v2', address: toAddress(v2Factory), feePips: 3000 as FeePips },
      {
        kind: 'UNISWAP_V3',
        name: 'v3',
        address: toAddress(v3Factory),
        feeTiers: [100, 500, 3000, 10_000] as FeePips[],
      },
    ],
    tokens: bench.chain.tokens.map(({ address }) => toAddress(address)),
    pollIntervalMs: 10,
    staleAfterMs: 10_000,
    nowMs: bench.chain.nowMs,
    monotonicMs: () => performance.now(),
    onEvent: (event) => events.push(event),
    ...changes,
  });
  t.after(() => follower.close());
  await follower.synced;
  return { follower, events, measurements: () => measurements };
}

function poolsOf(follower: Follower, of: Address): string[] {
  return [...follower.market.pools()]
    .filter(({ tokens }) => tokens.includes(of))
    .map(({ kind }) => kind)
    .sort();
}

async function until(holds: () => boolean): Promise<void> {
  for (let tries = 0; !holds(); tries++) {
    assert.ok(tries < 1000, 'it does not become true');
    await sleep(10);
  }
}

const LINK_POOLS = ['UNISWAP_V2', 'UNISWAP_V3', 'UNISWAP_V3'];

test('a start measures each token of the market once, before it is ready', async (t) => {
  const { follower, measurements } = await follow(t, bench.rpc.request);
  assert.equal(measurements(), bench.chain.tokens.length);
  assert.deepEqual([...follower.behaviours.keys()].sort(), [...follower.tokens.keys()].sort());
  for (const { kind } of follower.behaviours.values()) assert.equal(kind, 'PLAIN');
});

test('a tax that is switched on takes all pools of its token out, and off puts them back', async (t) => {
  const { follower, events } = await follow(t, bench.rpc.request, { measuringIntervalMs: 1 });
  const link = token('LINK');
  const all = follower.market.poolCount;
  const before = [...follower.market.pools()].map(({ address }) => address).sort();
  assert.deepEqual(poolsOf(follower, link), LINK_POOLS);
  const undo = await makeHostile(bench.chain.rpc, link, 'keeps a part of what contracts get', 500);
  await until(() => follower.behaviours.get(link)?.kind === 'TAXED');
  assert.deepEqual(poolsOf(follower, link), []);
  assert.equal(follower.market.poolCount, all - 3);
  const pair = toAddress(
    bench.chain.pools.find(
      ({ kind, token0, token1 }) => kind === 'V2' && [token0, token1].map(toAddress).includes(link),
    )?.address ?? assert.fail(),
  );
  assert.ok(follower.pool(pair), 'the pool is still followed');
  // A block that changes the pair leaves it out.
  const [{ address: anybody } = assert.fail()] = bench.chain.accounts;
  assert.ok(await bench.chain.send(anybody, pair, '0xfff6cae9'));
  const mined = BigInt(await bench.chain.rpc<string>('eth_blockNumber'));
  await until(() => (follower.head()?.number ?? 0n) >= mined);
  assert.equal(follower.market.get(pair), undefined);
  await undo();
  await until(() => follower.behaviours.get(link)?.kind === 'PLAIN');
  assert.deepEqual([...follower.market.pools()].map(({ address }) => address).sort(), before);
  const kinds = events.flatMap((event) =>
    event.type === 'TOKEN_MEASURED' && event.token === link ? [event.behaviour.kind] : [],
  );
  assert.deepEqual(kinds, ['TAXED', 'PLAIN']);
});

test('a tax at one small pool is remembered there, whatever the larger pools show', async (t) => {
  const link = token('LINK');
  const { follower } = await follow(t, bench.rpc.request);
  const pools = [...follower.market.pools()].filter(({ tokens }) => tokens.includes(link));
  const undo = await makeHostile(bench.chain.rpc, link, 'keeps a part of all transfers', 500);
  await bench.chain.rpc('anvil_mine', ['0x1']);
  const mined = BigInt(await bench.chain.rpc<string>('eth_blockNumber'));
  await until(() => (follower.head()?.number ?? 0n) >= mined);
  await follower.examine(pools.slice(0, 1));
  const behaviour = follower.behaviours.get(link);
  assert.ok(behaviour?.kind === 'TAXED' && behaviour.pool === pools[0]?.address);
  await undo();
  await bench.chain.rpc('anvil_mine', ['0x1']);
  const next = BigInt(await bench.chain.rpc<string>('eth_blockNumber'));
  await until(() => (follower.head()?.number ?? 0n) >= next);
  await follower.examine(pools.slice(1));
  assert.equal(follower.behaviours.get(link)?.kind, 'TAXED', 'another pool proves nothing');
  await follower.examine(pools.slice(0, 1));
  assert.equal(follower.behaviours.get(link)?.kind, 'PLAIN');
});

test('pools that insist on the whole input do not trade share tokens, which stay share tokens', async (t) => {
  const link = token('LINK');
  const undo = await makeShares(bench.chain.rpc, link, {
    shares: 10n ** 24n,
    pooled: 1_234_567n * 10n ** 18n,
  });
  const { follower, measurements } = await follow(t, bench.rpc.request, { measuringIntervalMs: 1 });
  assert.deepEqual(follower.behaviours.get(link), { kind: 'SHARES' });
  assert.deepEqual(poolsOf(follower, link), ['UNISWAP_V2']);
  await undo();
  const soFar = measurements();
  await until(() => measurements() > soFar + 2 * bench.chain.tokens.length);
  assert.deepEqual(follower.behaviours.get(link), { kind: 'SHARES' });
});

test('a market from a snapshot leaves out what is taxed by then', async (t) => {
  const kept: { bytes?: Uint8Array } = {};
  const store: SnapshotStore = {
    read: async () => (kept.bytes === undefined ? { state: 'ABSENT' } : { state: 'READ', bytes: kept.bytes }),
    async save(pieces) {
      kept.bytes = Buffer.concat([...pieces]);
    },
  };
  const snapshot = { store, confirmations: 1, saveIntervalMs: 60_000, sampleSize: 100 };
  await (await follow(t, bench.rpc.request, { snapshot })).follower.close();
  const undo = await makeHostile(bench.chain.rpc, token('LINK'), 'takes more than is transferred');
  const { follower, events } = await follow(t, bench.rpc.request, { snapshot });
  assert.ok(events.some(({ type }) => type === 'RESTORED'));
  assert.deepEqual(poolsOf(follower, token('LINK')), []);
  await undo();
});

const answers =
  (method: string, answer: () => Promise<unknown>): RpcRequest =>
  (call) =>
    call.method === method ? answer() : bench.rpc.request(call);

for (const [name, answer, most] of [
  ['refuses', () => Promise.reject(new RpcAnswerError(-32_601, 'Method not found', undefined)), 8],
  ['are contradicted', () => Promise.reject(new NodesDisagreeError('eth_simulateV1', [])), 8],
  ['never answers', () => new Promise(() => {}), 8],
] as const)
  test(`where simulations get no answer (${name}), the market is ready and nothing is left out`, async (t) => {
    const { follower, measurements } = await follow(t, answers('eth_simulateV1', answer));
    assert.ok(follower.status().freshness.fresh);
    assert.equal(follower.behaviours.size, 0);
    assert.equal(follower.market.poolCount, bench.chain.pools.length);
    assert.ok(measurements() <= most);
  });
