// Pools are read alike through the lens and through their own getters, and on nodes that refuse state overrides.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type FeePips, toAddress } from '@fairway/engine';
import { createRandom, createTraffic, startTestChain, type TestChain } from '@fairway/testing';
import { readTokens } from '../src/market/tokenReader.ts';
import { discoverPools } from '../src/pools/discovery.ts';
import type { Factory, PoolIdentity } from '../src/pools/factory.ts';
import { readPools } from '../src/pools/poolReader.ts';
import { readV3PoolByWords } from '../src/pools/v3Reader.ts';
import { createChainRpc } from '../src/rpc/chainRpc.ts';
import type { RpcRequest } from '../src/rpc/endpoint.ts';
import { latestHead } from '../src/rpc/head.ts';
import { createBatchRead } from '../src/rpc/multicall.ts';
import { RpcAnswerError } from '../src/rpc/rpcErrors.ts';

let chain: TestChain;
let request: RpcRequest;
let identities: PoolIdentity[];
let blockHash: string;

before(async () => {
  chain = await startTestChain();
  request = createChainRpc([chain.rpcUrl], 5000).request;
  const traffic = await createTraffic(chain, createRandom(7));
  for (let trade = 0; trade < 30; trade++) await traffic.trade();
  blockHash = (await latestHead(request)).hash;
  identities = await discoverPools(reader(), factories(), tokenAddresses());
});
after(() => chain?.close());

function reader() {
  return createBatchRead(request, toAddress(chain.contracts.multicall3), blockHash);
}

function tokenAddresses() {
  return chain.tokens.map(({ address }) => toAddress(address));
}

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

test('every pool of the token list is found, with its own fee and tick spacing', () => {
  const found = new Set(identities.map(({ address }) => address));
  for (const pool of chain.pools)
    assert.ok(found.has(toAddress(pool.address)), `${pool.address} is not found`);
  const spacings = new Map([
    [100, 1],
    [500, 10],
    [3000, 60],
    [10_000, 200],
  ]);
  for (const identity of identities) {
    if (identity.kind === 'UNISWAP_V3') assert.equal(identity.tickSpacing, spacings.get(identity.feePips));
  }
});

test('pools of tokens outside the list are left out', async () => {
  const [weth, usdc] = tokenAddresses();
  assert.ok(weth && usdc);
  const pair = await discoverPools(reader(), factories(), [weth, usdc]);
  assert.ok(pair.length > 0);
  for (const { token0, token1 } of pair) assert.deepEqual(new Set([token0, token1]), new Set([weth, usdc]));
});

test("the lens reads the same as the pool's own getters, tick by tick", async () => {
  const pools = await readPools(request, reader(), blockHash, identities);
  assert.equal(pools.length, identities.length);
  let ticks = 0;
  for (const tracked of pools) {
    if (tracked.pool.kind !== 'UNISWAP_V3') continue;
    const { kind, address, source, token0, token1, feePips, tickSpacing } = tracked.pool;
    const identity = { kind, address, source, token0, token1, feePips, tickSpacing };
    assert.deepEqual(tracked, await readV3PoolByWords(reader(), identity));
    ticks += tracked.pool.ticks.indexes.length;
  }
  assert.ok(ticks > 100);
});

test('a node that refuses state overrides is asked word by word, with the same result', async () => {
  const refusing: RpcRequest = async (call) => {
    if (call.params?.length === 3) throw new RpcAnswerError(-32602, 'too many arguments', undefined);
    return request(call);
  };
  assert.deepEqual(
    await readPools(refusing, reader(), blockHash, identities),
    await readPools(request, reader(), blockHash, identities),
  );
});

test('tokens are read as their contracts describe them, and other addresses are left out', async () => {
  const stranger = toAddress(chain.contracts.v3Factory);
  const infos = await readTokens(reader(), [...tokenAddresses(), stranger]);
  assert.deepEqual(
    infos.map(({ symbol, decimals }) => [symbol, decimals]),
    chain.tokens.map(({ symbol, decimals }) => [symbol, decimals]),
  );
});
