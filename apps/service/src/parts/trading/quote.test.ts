import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Quote } from '@fairway/wire';
import { CHAIN_ID, NATIVE, quoteUrl, startHarness, START_MS, TOKENS } from '../../../test/httpHarness.ts';

const harness = await startHarness();
after(() => harness.close());
const get = (changes: Record<string, string | undefined> = {}) => harness.call({ url: quoteUrl(changes) });
const quoteOf = async (changes: Record<string, string | undefined> = {}) => {
  const reply = await get(changes);
  assert.equal(reply.status, 200, reply.text);
  return reply.json as unknown as Quote;
};

/** The output formula of Uniswap V2, implemented here independently of the engine. */
function v2Out(amountIn: bigint, reserveIn: bigint, reserveOut: bigint): bigint {
  const taxed = amountIn * 997n;
  return (taxed * reserveOut) / (reserveIn * 1000n + taxed);
}

const WETH_RESERVE = 20_000n * 10n ** 18n;
const USDC_RESERVE = 40_000_000n * 10n ** 6n;

test('an EXACT_IN quote answers the amount that the market pays at one block', async () => {
  const quote = await quoteOf();
  const expected = v2Out(10n ** 18n, WETH_RESERVE, USDC_RESERVE);
  assert.equal(quote.amountIn, '1000000000000000000');
  assert.equal(quote.amountOut, String(expected));
  assert.equal(quote.chainId, CHAIN_ID);
  assert.equal(quote.asOf.blockNumber, 19_000_000);
  assert.equal(Date.parse(quote.asOf.timestamp), START_MS);
  assert.equal(Date.parse(quote.expiresAt), START_MS + 24_000);
  assert.deepEqual(quote.route?.sources, ['uniswap-v2']);
  assert.equal(quote.route?.blockHash, `0x${'ab'.repeat(32)}`);
  assert.deepEqual(quote.route?.market, { pools: 2, tokens: 3 });
  const [leg] = quote.route?.legs ?? [];
  assert.equal(leg?.pool, '0xB4e16d0168e52d35CaCD2c6185b44281Ec28C9Dc');
  assert.equal(leg?.feeBps, 30);
  assert.equal(leg?.amountOut, quote.amountOut);
  assert.equal(quote.fees?.gas.cost, String(BigInt(quote.fees?.gas.units ?? 0) * 1_000_000_000n));
});

test('in a route of two hops the second leg spends the output of the first leg', async () => {
  const quote = await quoteOf({ tokenOut: TOKENS.dai });
  const legs = quote.route?.legs ?? [];
  assert.deepEqual(
    legs.map(({ source }) => source),
    ['uniswap-v2', 'sushi'],
  );
  assert.equal(legs[0]?.amountOut, legs[1]?.amountIn);
  assert.equal(legs[1]?.amountOut, quote.amountOut);
  const [path] = quote.route?.paths ?? [];
  assert.deepEqual(path?.assets, [
    { chainId: 31337, address: TOKENS.weth, symbol: 'WETH', decimals: 18 },
    { chainId: 31337, address: TOKENS.usdc, symbol: 'USDC', decimals: 6 },
    { chainId: 31337, address: TOKENS.dai, symbol: 'DAI', decimals: 18 },
  ]);
  assert.deepEqual([quote.assetIn, quote.assetOut], [path.assets[0], path.assets[2]]);
  assert.deepEqual([legs[1]?.assetIn, legs[1]?.assetOut], path.assets.slice(1));
  assert.deepEqual(
    quote.fees?.protocol.map(({ asset }) => asset),
    path.assets.slice(0, 2),
  );
  assert.equal(path.pools.length, 2);
});

test('both addresses of native currency are quoted as its wrapped token', async () => {
  const wrapped = await quoteOf();
  for (const native of [NATIVE, NATIVE.toLowerCase(), '0x0000000000000000000000000000000000000000']) {
    const quote = await quoteOf({ tokenIn: native });
    assert.equal(quote.amountOut, wrapped.amountOut);
    assert.equal(quote.tokenIn, native);
    assert.deepEqual(quote.assetIn, { chainId: 31337, address: NATIVE, symbol: 'ETH', decimals: 18 });
    assert.equal(quote.route?.legs[0]?.assetIn.symbol, 'WETH');
  }
});

test('wrapping and unwrapping native currency is quoted 1:1 for both trade types', async () => {
  for (const [tokenIn, tokenOut] of [
    [NATIVE, TOKENS.weth],
    [TOKENS.weth, '0x0000000000000000000000000000000000000000'],
  ]) {
    for (const tradeType of ['EXACT_IN', 'EXACT_OUT']) {
      const quote = await quoteOf({ tokenIn, tokenOut, tradeType, amount: '777', slippageBps: '100' });
      assert.equal(quote.amountIn, '777');
      assert.equal(quote.amountOut, '777');
      assert.deepEqual(quote.route?.legs, []);
      const { minAmountOut, maxAmountIn } = quote.route?.limits ?? {};
      assert.equal(tradeType === 'EXACT_IN' ? minAmountOut : maxAmountIn, '777');
    }
  }
});

test('the error of a misspelt parameter suggests the right name', async () => {
  const reply = await get({ slippageBp: '10' });
  assert.match(String(reply.json['detail']), /slippageBp is not a parameter .* did you mean slippageBps\?/);
});

test('a malformed percent-encoding is refused, in the query and in the path', async () => {
  const inQuery = await harness.call({ url: `${quoteUrl()}&x=%zz` });
  assert.equal(inQuery.json['code'], 'validation-failed');
  const inPath = await harness.call({ url: '/v1/%zz' });
  assert.equal(inPath.status, 400);
  assert.equal(inPath.json['code'], 'malformed-request');
});

const UNSERVED: readonly (readonly [string, Record<string, string | undefined>])[] = [
  ['unknown-chain', { chainId: '1' }],
  ['unknown-chain', { chainId: '9007199254740993' }],
  ['unknown-chain', { chainId: '18446744073709551615' }],
  ['unknown-token', { tokenIn: '0x00000000000000000000000000000000000000aa' }],
  ['same-token', { tokenOut: TOKENS.weth }],
  ['same-token', { tokenOut: TOKENS.weth.toLowerCase() }],
  ['same-token', { tokenIn: NATIVE, tokenOut: '0x0000000000000000000000000000000000000000' }],
  ['no-route', { tokenOut: TOKENS.lone }],
  ['no-route', { tokenOut: TOKENS.dai, maxHops: '1' }],
  ['no-route', { excludeSources: 'uniswap-v2,sushi' }],
  ['insufficient-liquidity', { tradeType: 'EXACT_OUT', amount: String(USDC_RESERVE) }],
  ['amount-out-of-range', { tokenIn: TOKENS.dai, tokenOut: TOKENS.usdc, amount: '1' }],
  ['price-impact-too-high', { amount: String(5_000n * 10n ** 18n) }],
];

for (const [code, changes] of UNSERVED) {
  test(`a quote answers ${code} for ${JSON.stringify(changes)}`, async () => {
    const reply = await get(changes);
    assert.equal(reply.status, 400);
    assert.equal(reply.json['code'], code);
  });
}

test('a quote from a market that is not fresh is 503 with Retry-After', async () => {
  harness.setFreshness({
    fresh: false,
    why: 'NO_CONTACT',
    detail: 'no contact with the chain.',
    retryAfterSeconds: 3,
  });
  const reply = await get();
  harness.setFreshness({ fresh: true });
  assert.equal(reply.status, 503);
  assert.equal(reply.json['code'], 'market-stale');
  assert.equal(reply.headers['retry-after'], '3');
});

test('HEAD is answered like GET, without the body', async () => {
  const reply = await harness.call({ url: quoteUrl(), method: 'HEAD' });
  assert.equal(reply.status, 200);
  assert.equal(reply.text, '');
});

test('where the base fee is 0, what transactions pay beyond it is the price of gas', async () => {
  const gasNow = async (): Promise<Readonly<Record<string, unknown>>> => {
    const { status, json } = await harness.call({ url: quoteUrl() });
    assert.equal(status, 200);
    return (json as { fees: { gas: Readonly<Record<string, unknown>> } }).fees.gas;
  };
  const head = harness.chains[0]?.follower.head();
  assert.ok(head !== undefined);
  try {
    harness.setHead({ ...head, baseFeePerGas: 0n });
    const free = await gasNow();
    assert.deepEqual(
      [free['cost'], free['priorityFeePerGas'], free['notIncluded']],
      ['0', undefined, undefined],
    );
    const gasTerms = { priorityFeePerGas: 50_000_000n, hasDataFee: true };
    harness.setHead({ ...head, baseFeePerGas: 0n }, gasTerms);
    const paid = await gasNow();
    assert.equal(paid['baseFeePerGas'], '0');
    assert.equal(paid['priorityFeePerGas'], '50000000');
    assert.equal(paid['cost'], String(BigInt(String(paid['units'])) * 50_000_000n));
    assert.ok(BigInt(String(paid['costInTokenOut'])) > 0n);
    assert.deepEqual(paid['notIncluded'], ['L1_DATA_FEE']);
  } finally {
    harness.setHead(head);
  }
});
