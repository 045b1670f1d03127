import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { toAddress } from '@fairway/engine';
import type { MarketToken } from '@fairway/wire';
import { CHAIN_ID, NATIVE, POOLS, startHarness, TOKENS } from '../../../test/httpHarness.ts';

const harness = await startHarness();
after(() => harness.close());
const get = (url: string, headers: Record<string, string> = {}) => harness.call({ url, headers });
const list = async (url: string) => (await get(url)).json as unknown as readonly MarketToken[];

test('chains are a JSON list of ids and names', async () => {
  assert.deepEqual(await list('/v1/markets/chains'), [{ chainId: CHAIN_ID, name: 'Sandbox' }]);
});

test('the list of tokens has native currency first, then traded tokens sorted by symbol', async () => {
  const expected = [
    { chainId: CHAIN_ID, address: NATIVE, symbol: 'ETH', decimals: 18, traded: true },
    { chainId: CHAIN_ID, address: TOKENS.dai, symbol: 'DAI', decimals: 18, traded: true },
    { chainId: CHAIN_ID, address: TOKENS.usdc, symbol: 'USDC', decimals: 6, traded: true },
    { chainId: CHAIN_ID, address: TOKENS.weth, symbol: 'WETH', decimals: 18, traded: true },
  ];
  assert.deepEqual(await list('/v1/markets/tokens'), expected);
  assert.deepEqual(await list(`/v1/markets/tokens?chainId=${CHAIN_ID}`), expected);
});

test('a chain that is not served has no tokens, and a malformed id is validation-failed', async () => {
  assert.deepEqual(await list('/v1/markets/tokens?chainId=1'), []);
  assert.deepEqual(await list('/v1/markets/tokens?chainId=18446744073709551615'), []);
  for (const chainId of ['', '0x1', '1e3', '-1', '18446744073709551616', '1&chainId=1']) {
    const reply = await get(`/v1/markets/tokens?chainId=${chainId}`);
    assert.equal(reply.json['code'], 'validation-failed', chainId);
  }
});

test('without configured corridors the list of corridors is empty', async () => {
  assert.deepEqual(await list('/v1/markets/corridors'), []);
});

test('a list is 304 for its own entity tag, and 200 for another one', async () => {
  const local = await startHarness();
  const url = '/v1/markets/tokens';
  const first = await local.call({ url });
  const tag = first.headers['etag'] ?? '';
  assert.equal(first.headers['cache-control'], 'private, max-age=10');
  for (const given of [tag, `W/${tag}`, `"x", ${tag}`, '*']) {
    const reply = await local.call({ url, headers: { 'if-none-match': given } });
    assert.equal(reply.status, 304);
    assert.equal(reply.text, '');
    assert.equal(reply.headers['etag'], tag);
  }
  assert.equal((await local.call({ url, headers: { 'if-none-match': '"x"' } })).status, 200);
  await local.close();
});

test('a token is listed while at least one pool trades it', async () => {
  const local = await startHarness();
  const [chain] = local.chains;
  assert.ok(chain);
  const symbols = async () =>
    ((await local.call({ url: '/v1/markets/tokens' })).json as unknown as readonly MarketToken[]).map(
      ({ symbol }) => symbol,
    );
  const removed = chain.follower.market.remove(toAddress(POOLS.usdcDai));
  assert.deepEqual(await symbols(), ['ETH', 'USDC', 'WETH']);
  assert.ok(removed !== undefined && removed.kind === 'UNISWAP_V2');
  chain.follower.market.put({ ...removed, reserve0: 5n });
  assert.deepEqual(await symbols(), ['ETH', 'DAI', 'USDC', 'WETH']);
  await local.close();
});

test('a token that is not traded stays in the list, which says why', async () => {
  const local = await startHarness();
  const [chain] = local.chains;
  assert.ok(chain);
  const dai = async () =>
    ((await local.call({ url: '/v1/markets/tokens' })).json as unknown as readonly MarketToken[]).find(
      ({ symbol }) => symbol === 'DAI',
    );
  assert.equal((await dai())?.traded, true);
  const removed = chain.follower.market.remove(toAddress(POOLS.usdcDai));
  local.behaviours.set(toAddress(TOKENS.dai), {
    ...{ kind: 'TAXED', pool: toAddress(POOLS.usdcDai), detail: 'a transfer of 100 units brings 95' },
  });
  const { traded, reason } = (await dai()) ?? assert.fail();
  assert.equal(traded, false);
  assert.equal(reason, 'It moves other amounts than it is asked to: a transfer of 100 units brings 95.');
  local.behaviours.set(toAddress(TOKENS.dai), { kind: 'PLAIN' });
  chain.follower.market.put(removed ?? assert.fail());
  assert.deepEqual(await dai(), {
    ...{ chainId: CHAIN_ID, address: TOKENS.dai, symbol: 'DAI', decimals: 18, traded: true },
  });
  await local.close();
});
