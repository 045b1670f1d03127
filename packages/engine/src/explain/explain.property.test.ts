import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seed } from '@fairway/testing/properties';
import fc from 'fast-check';
import { consistentMarkets } from '../../test/consistentMarkets.ts';
import { paying } from '../../test/hops.ts';
import { addressOf, amounts, markets } from '../../test/marketArbitraries.ts';
import { replaySwap } from '../pools/uniswapV3/replay.ts';
import { createMarket } from '../market/market.ts';
import { exactOutput } from '../pools/poolSwap.ts';
import { quote } from '../quote/quote.ts';
import type { Address, Amount, Pool, QuoteRequest, TradeType } from '../types.ts';
import { explainQuote, type Explanation } from './explain.ts';
import { routerGas } from '../../test/routerGas.ts';

const [TOKEN_IN, TOKEN_OUT] = [addressOf(1), addressOf(2)];

const requests = fc
  .record({
    amount: fc.oneof(amounts(72), fc.bigInt({ min: 2n ** 40n, max: 2n ** 58n })),
    tradeType: fc.constantFrom<TradeType>('EXACT_IN', 'EXACT_OUT'),
    maxHops: fc.integer({ min: 1, max: 3 }),
    maxSplits: fc.constantFrom(1, 2, 4, 16),
    weiPerGas: fc.constantFrom(0n, 0n, 1n, 10n ** 9n),
    excluded: fc.constantFrom(undefined, undefined, 'v2'),
  })
  .map(
    ({ amount, excluded, weiPerGas, ...limits }): QuoteRequest => ({
      ...limits,
      tokenIn: TOKEN_IN,
      tokenOut: TOKEN_OUT,
      amount: amount as Amount,
      excludeSources: new Set(excluded === undefined ? [] : [excluded]),
      gasPrice: { weiPerGas, wrappedNative: addressOf(3) },
      venueGas: routerGas,
    }),
  );

const anyMarket = fc.oneof(consistentMarkets('BOTH'), markets(['UNISWAP_V2', 'UNISWAP_V3']));

/**
 * Whether some path of at most `maxHops` pools leads over a pool, with each pool paying something. It walks step by
 * step.
 */
function leadsSomewhere(pools: readonly Pool[], over: Pool, { maxHops, tradeType }: QuoteRequest): boolean {
  const usable = pools.filter((pool) => tradeType === 'EXACT_IN' || pool.kind === over.kind);
  function walk(token: Address, seen: readonly Address[], passed: boolean, left: number): boolean {
    if (token === TOKEN_OUT) return passed;
    if (left === 0) return false;
    return usable.some((pool) => {
      if (pool.tokens[0] !== token && pool.tokens[1] !== token) return false;
      const next = pool.tokens[0] === token ? pool.tokens[1] : pool.tokens[0];
      if (exactOutput(paying(pool, next), 1n) === undefined || seen.includes(next)) return false;
      return walk(next, [...seen, next], passed || pool === over, left - 1);
    });
  }
  return walk(TOKEN_IN, [TOKEN_IN], false, maxHops);
}

function assertConsistent(pools: readonly Pool[], request: QuoteRequest, explanation: Explanation): void {
  const { used, refused, notConsidered, result } = explanation;
  const legs = result.ok ? result.quote.legs : [];
  const usedPools = new Set(used.map(({ pool }) => pool.address));
  assert.deepEqual(usedPools, new Set(legs.map(({ pool }) => pool.address)));
  assert.equal(usedPools.size + refused.length + notConsidered, pools.length);
  assert.equal(new Set(refused.map(({ pool }) => pool.address)).size, refused.length);
  const allowed = pools.filter(({ source }) => !request.excludeSources.has(source));
  for (const { pool, refusal } of refused) {
    assert.ok(!usedPools.has(pool.address));
    assert.equal(refusal.reason === 'EXCLUDED_SOURCE', request.excludeSources.has(pool.source));
    const ruledOut = refusal.reason === 'EXCLUDED_SOURCE' || refusal.reason === 'NO_LIQUIDITY';
    if (ruledOut) continue;
    const hopless = refusal.reason === 'BEYOND_HOPS' || refusal.reason === 'MIXES_VERSIONS';
    assert.equal(leadsSomewhere(allowed, pool, request), !hopless, refusal.reason);
  }
}

function assertPrices(pools: readonly Pool[], request: QuoteRequest, explanation: Explanation): void {
  const { used, result } = explanation;
  if (!result.ok) return;
  const { quote: answer } = result;
  let shareIn = 0;
  for (const { pool, ...use } of used) {
    assert.equal(
      pool,
      pools.find(({ address }) => address === pool.address),
    );
    const { priceBefore: before, priceAfter: after } = use;
    assert.ok(
      after.numerator * before.denominator <= before.numerator * after.denominator,
      'a trade never makes its own price better',
    );
    if (use.tokenIn === TOKEN_IN) shareIn += use.shareBps;
    const legs = answer.legs.filter((leg) => leg.pool.address === pool.address);
    if (legs.length > 1 || pool.kind === 'UNISWAP_V2') continue;
    const { tradeType } = request;
    const amount = tradeType === 'EXACT_IN' ? use.amountIn : use.amountOut;
    const replayed = replaySwap(pool, { tokenIn: use.tokenIn, tradeType, amount });
    assert.ok(replayed);
    const square = replayed.pool.sqrtPriceX96 ** 2n;
    const expected =
      use.tokenIn === pool.tokens[0]
        ? { numerator: square, denominator: 1n << 192n }
        : { numerator: 1n << 192n, denominator: square };
    assert.deepEqual(after, expected, 'the price is where the contract leaves it');
  }
  assert.ok(Math.abs(shareIn - 10_000) <= 0.02 * used.length, `${shareIn} of 10000 Bps go in`);
}

/** Asserts that no refused pool would gain more than the gap to the bound. */
function assertBounded({ gasPrice, tradeType }: QuoteRequest, { result, refused }: Explanation): void {
  if (!result.ok || result.quote.optimality === undefined || gasPrice.weiPerGas > 0n) return;
  const { amountIn, amountOut, surplus, optimality } = result.quote;
  const room =
    tradeType === 'EXACT_IN' ? optimality.upperBound - amountOut - surplus : amountIn - optimality.upperBound;
  for (const { refusal } of refused)
    if ('gain' in refusal)
      assert.ok(refusal.gain <= room + 1n, `${refusal.reason} ${refusal.gain} > ${room}`);
}

test('an explanation agrees with the quote, the pools and the bound', () => {
  const seen = new Map<string, number>();
  fc.assert(
    fc.property(anyMarket, requests, (pools, request) => {
      const market = createMarket(pools);
      const explanation = explainQuote(market, request);
      assert.deepEqual(explanation.result, quote(createMarket(pools), request));
      assertConsistent([...market.pools()], request, explanation);
      assertPrices([...market.pools()], request, explanation);
      assertBounded(request, explanation);
      for (const { refusal } of explanation.refused)
        seen.set(refusal.reason, (seen.get(refusal.reason) ?? 0) + 1);
      seen.set('USED', (seen.get('USED') ?? 0) + explanation.used.length);
    }),
    { seed, numRuns: 1000 },
  );
  console.log(Object.fromEntries(seen));
});

test('an explanation does not depend on the order in which pools were added', () => {
  fc.assert(
    fc.property(anyMarket, requests, (pools, request) => {
      const [forth, back] = [pools, pools.toReversed()].map((ordered) =>
        explainQuote(createMarket(ordered), request),
      );
      assert.deepEqual(forth, back);
    }),
    { seed, numRuns: 300 },
  );
});
