// What tokens really do with transfers, found by simulated ones at their pools.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { HOSTILITIES, makeHostile, makeShares } from '@fairway/testing';
import { startSwapSandbox } from '../../test/sandboxSwaps.ts';
import type { RpcRequest } from '../rpc/endpoint.ts';
import { RpcAnswerError } from '../rpc/errors.ts';
import type { TokenBehaviour } from '../types.ts';
import { measureTransfers } from './measureTransfers.ts';
import { behaviourOf } from './tokenBehaviour.ts';

const sandbox = await startSwapSandbox();
after(() => sandbox.close());

const rpc = <Result>(method: string, params: readonly unknown[] = []) =>
  sandbox.request({ method, params }) as Promise<Result>;

async function measured(symbol: string, pool: string, request: RpcRequest = sandbox.request) {
  const token = sandbox.token(symbol);
  const { address } = await sandbox.pool(pool);
  const { router: spender, multicall3 } = sandbox.deployment;
  const holder = { pool: address, balance: await sandbox.balance(token, address) };
  return measureTransfers({ request, multicall3, spender }, await sandbox.head(), token, [holder]);
}

async function behaviour(symbol: string, pool: string): Promise<TokenBehaviour | undefined> {
  return behaviourOf((await measured(symbol, pool)) ?? assert.fail('nothing was simulated'));
}

for (const [symbol, pool] of [
  ['WETH', 'V3 WETH/USDC 500'],
  ['USDC', 'V2 WETH/USDC'],
  ['USDT', 'V2 WETH/USDT'],
  ['LINK', 'V3 LINK/USDC 10000'],
] as const)
  test(`${symbol} moves what it is asked to, from ${pool} and to it`, async () => {
    const transfers = await measured(symbol, pool);
    assert.equal(transfers?.length, 10);
    assert.deepEqual(behaviourOf(transfers), { kind: 'PLAIN' });
  });

for (const hostility of HOSTILITIES)
  for (const pool of ['V2 LINK/WETH', 'V3 LINK/WETH 3000'])
    test(`a token that ${hostility} is found at ${pool}`, async () => {
      const undo = await makeHostile(rpc, sandbox.token('LINK'), hostility, 500);
      try {
        // One unit of a transfer is what shares round by, too: a quote names up to two.
        const expected = hostility === 'keeps one unit of each transfer' ? 'SHARES' : 'TAXED';
        assert.equal((await behaviour('LINK', pool))?.kind, expected);
      } finally {
        await undo();
      }
    });

test('the example of a tax has the amounts that balances showed', async () => {
  const link = sandbox.token('LINK');
  const { address } = await sandbox.pool('V2 LINK/WETH');
  const undo = await makeHostile(rpc, link, 'keeps a part of what contracts get', 500);
  try {
    const found = await behaviour('LINK', 'V2 LINK/WETH');
    assert.ok(found?.kind === 'TAXED');
    assert.equal(found.pool, address);
    const sold = (((await sandbox.balance(link, address)) / 7n) * 2n) / 3n;
    assert.match(
      found.detail,
      new RegExp(
        `^a transfer of ${sold} units to pool 0x\\w+ takes ${sold} and brings ${sold - (sold * 5n) / 100n}$`,
      ),
    );
  } finally {
    await undo();
  }
});

for (const [shares, pooled] of [
  [10n ** 24n, 1_234_567_890_123_456_789_012_345n],
  [10n ** 24n, 1_999_999_999_999_999_999_999_999n],
  [8_123_456_789_012_345_678_901_234n, 9_876_543_210_987_654_321_098_765n],
] as const)
  test(`shares worth ${Number(pooled) / Number(shares)} units each are recognised`, async () => {
    const undo = await makeShares(rpc, sandbox.token('LINK'), { shares, pooled });
    try {
      assert.deepEqual(await behaviour('LINK', 'V2 LINK/WETH'), { kind: 'SHARES' });
    } finally {
      await undo();
    }
  });

test('a rounding of few units is no evidence, and a node that does not simulate shows nothing', async () => {
  const pool = sandbox.token('LINK');
  const at = (asked: bigint, arrived: bigint) => ({
    ...({ pool, way: 'FROM_POOL', taken: asked } as const),
    ...{ asked, arrived },
  });
  assert.equal(behaviourOf([at(1000n, 999n)]), undefined);
  assert.equal(behaviourOf([at(1000n, 997n)])?.kind, 'TAXED');
  assert.equal(behaviourOf([at(1000n, 1001n)])?.kind, 'TAXED');
  assert.equal(behaviourOf([at(2_000_000n, 1_999_998n)])?.kind, 'SHARES');
  const refusing: RpcRequest = (call) =>
    call.method === 'eth_simulateV1'
      ? Promise.reject(new RpcAnswerError(-32_601, 'Method not found', undefined))
      : sandbox.request(call);
  assert.equal(await measured('LINK', 'V2 LINK/WETH', refusing), undefined);
});
