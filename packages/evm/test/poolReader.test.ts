// Pools are read alike through the lens and through their own getters, and on nodes that refuse state overrides.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type FeePips, toAddress } from '@fairway/engine';
import { createRandom, createTraffic, startTestChain, type TestChain } from '@fairway/testing';
import { toFunctionSelector } from 'viem';
import { readTokens } from '../src/market/tokenReader.ts';
import { discoverPools } from '../src/pools/discovery.ts';
import type { Factory, PoolIdentity } from '../src/pools/poolKinds.ts';
import { readPools } from '../src/pools/poolReader.ts';
import { readV3PoolByWords } from '../src/pools/uniswapV3/reading.ts';
import { createChainRpc } from '../src/rpc/chainRpc.ts';
import type { RpcRequest } from '../src/rpc/endpoint.ts';
import { latestHead } from '../src/rpc/head.ts';
import { type BatchRead, createBatchRead } from '../src/rpc/multicall.ts';
import { RpcAnswerError } from '../src/rpc/errors.ts';

let chain: TestChain;
let request: RpcRequest;
let identities: readonly PoolIdentity[];
let blockHash: string;

before(async () => {
  chain = await startTestChain();
  request = createChainRpc([chain.rpcUrl], 5000).request;
  const traffic = await createTraffic(chain, createRandom(7));
  for (let trade = 0; trade < 30; trade++) await traffic.trade();
  blockHash = (await latestHead(request)).hash;
  ({ identities } = await discoverPools(reader(), factories(), tokenAddresses()));
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
  const { identities: pair } = await discoverPools(reader(), factories(), [weth, usdc]);
  assert.ok(pair.length > 0);
  for (const { tokens } of pair) assert.deepEqual(new Set(tokens), new Set([weth, usdc]));
});

test("the lens reads the same as the pool's own getters, tick by tick", async () => {
  const pools = await readPools(request, reader(), blockHash, identities);
  assert.equal(pools.length, identities.length);
  let ticks = 0;
  for (const tracked of pools) {
    if (tracked.pool.kind !== 'UNISWAP_V3') continue;
    const { kind, address, source, tokens, feePips, tickSpacing } = tracked.pool;
    const identity = { kind, address, source, tokens, feePips, tickSpacing };
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
  const { tokens, leftOut } = await readTokens(reader(), [...tokenAddresses(), stranger]);
  assert.deepEqual(
    tokens.map(({ symbol, decimals }) => [symbol, decimals]),
    chain.tokens.map(({ symbol, decimals }) => [symbol, decimals]),
  );
  assert.deepEqual(
    leftOut.map(({ address }) => address),
    [stranger],
  );
});

/** Reads, but fails wherever `fails` says so. */
function failingReader(fails: (callData: string) => boolean): BatchRead {
  const read = reader();
  return async (reads) => {
    const answers = await read(reads);
    return answers.map((answer, index) => (fails(reads[index]?.callData ?? '') ? undefined : answer));
  };
}

test('a failed read is never an empty answer: the pool is not read at all', async () => {
  const v3 = identities.find((identity) => identity.kind === 'UNISWAP_V3');
  assert.ok(v3);
  const whole = await readV3PoolByWords(reader(), v3);
  assert.ok(whole?.pool.kind === 'UNISWAP_V3' && whole.pool.ticks.indexes.length > 0);
  for (const name of ['slot0()', 'liquidity()', 'tickBitmap(int16)', 'ticks(int24)']) {
    let failed = 0;
    const selector = toFunctionSelector(name);
    const read = failingReader((callData) => callData.startsWith(selector) && failed++ === 0);
    assert.equal(await readV3PoolByWords(read, v3), undefined, name);
    assert.ok(failed > 0);
  }
  const reserves = failingReader((callData) => callData.startsWith(toFunctionSelector('getReserves()')));
  const pairs = identities.filter(({ kind }) => kind === 'UNISWAP_V2');
  assert.ok(pairs.length > 0);
  assert.deepEqual(await readPools(request, reserves, blockHash, pairs), []);
});

test('a pool that does not say what it is is left out with a reason', async () => {
  for (const name of ['token0()', 'token1()', 'fee()', 'tickSpacing()']) {
    let failed = 0;
    const selector = toFunctionSelector(name);
    const read = failingReader((callData) => callData.startsWith(selector) && failed++ === 0);
    const found = await discoverPools(read, factories(), tokenAddresses());
    assert.equal(found.identities.length, identities.length - 1, name);
    assert.match(found.leftOut[0]?.reason ?? '', /400,000 gas/);
  }
});

test('a factory that does not answer is an error, not a factory without pools', async () => {
  let failed = 0;
  const selector = toFunctionSelector('getPool(address,address,uint24)');
  const read = failingReader((callData) => callData.startsWith(selector) && failed++ === 9);
  await assert.rejects(discoverPools(read, factories(), tokenAddresses()), /The factory v3 does not say/);
});

test('pools are found in parts of a bounded size, however many questions there are', async () => {
  const tokens = Array.from({ length: 120 }, (_, index) =>
    toAddress(`0x${(index + 1).toString(16).padStart(40, '0')}`),
  );
  let [made, answered, most, total] = [0, 0, 0, 0];
  const counted = factories().map((factory) => ({
    ...factory,
    get address() {
      made += 1;
      return factory.address;
    },
  }));
  const read: BatchRead = async (reads) => {
    most = Math.max(most, made - answered);
    answered += reads.length;
    total += reads.length;
    return reads.map(() => '0x');
  };
  assert.deepEqual(await discoverPools(read, counted, tokens), { identities: [], leftOut: [] });
  assert.equal(total, (5 * 120 * 119) / 2);
  assert.equal(most, 1000);
});
