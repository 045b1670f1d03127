/// <reference types="node" />
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runs, seed } from '@fairway/testing/properties';
import fc from 'fast-check';
import { consistentMarkets } from '../../test/consistentMarkets.ts';
import { addressOf, amounts, markets } from '../../test/marketArbitraries.ts';
import { explainQuote } from '../explain/explain.ts';
import { createMarket } from '../market/market.ts';
import type { Amount, Pool, QuoteRequest, QuoteResult, TradeType } from '../types.ts';
import { quote } from './quote.ts';
import { routerGas } from '../../test/routerGas.ts';

const [TOKEN_IN, TOKEN_OUT] = [addressOf(1), addressOf(2)];

const requests = fc
  .record({
    amount: fc.oneof(amounts(72), fc.bigInt({ min: 2n ** 40n, max: 2n ** 58n })),
    tradeType: fc.constantFrom<TradeType>('EXACT_IN', 'EXACT_OUT'),
    maxHops: fc.integer({ min: 1, max: 3 }),
    maxSplits: fc.constantFrom(1, 4, 16),
    tokens: fc.subarray([1, 2, 3, 4, 5, 99]),
    poolPicks: fc.array(fc.nat(), { maxLength: 3 }),
  })
  .map(({ amount, tokens, poolPicks, ...limits }) => ({
    poolPicks,
    request: {
      ...limits,
      tokenIn: TOKEN_IN,
      tokenOut: TOKEN_OUT,
      amount: amount as Amount,
      excludeSources: new Set<string>(),
      excludeTokens: new Set(tokens.map(addressOf)),
      // Gas is priced over the whole market: here it has no price.
      gasPrice: { weiPerGas: 0n, wrappedNative: addressOf(0x77) },
      venueGas: routerGas,
    },
  }));

const anyMarket = fc.oneof(consistentMarkets('BOTH'), markets(['UNISWAP_V2', 'UNISWAP_V3']));

/** The pools that a request may use, as its words say it. */
function isAllowed(pool: Pool, { excludeTokens, excludePools }: QuoteRequest): boolean {
  const inner = pool.tokens.filter((token) => token !== TOKEN_IN && token !== TOKEN_OUT);
  return !excludePools?.has(pool.address) && !inner.some((token) => excludeTokens?.has(token));
}

/** Prices to compare with, such as the price of gas, are those of the whole market. That only lowers the impact. */
function assertAlike(excluding: QuoteResult, without: QuoteResult): void {
  if (!excluding.ok || !without.ok) return assert.deepEqual(excluding, without);
  const { priceImpactBps } = excluding.quote;
  assert.ok(priceImpactBps <= without.quote.priceImpactBps);
  assert.deepEqual(excluding.quote, { ...without.quote, priceImpactBps });
}

test(`excluding tokens and pools is quoting the market without them (seed ${seed})`, () => {
  fc.assert(
    fc.property(anyMarket, requests, (pools, { request: asked, poolPicks }) => {
      const named = poolPicks.map((pick) => pools[pick % pools.length]?.address ?? addressOf(0x999));
      const request: QuoteRequest = { ...asked, excludePools: new Set(named) };
      const { excludeTokens: _, excludePools: __, ...plain } = request;
      const whole = createMarket(pools);
      // What was found for one request must not be taken for another's.
      const others = [plain, asked, { ...plain, excludePools: new Set(named) }];
      const before = others.map((other) => quote(whole, other));
      const rest = createMarket(pools.filter((pool) => isAllowed(pool, request)));
      assertAlike(quote(whole, request), quote(rest, plain));
      assert.deepEqual(
        others.map((other) => quote(whole, other)),
        before,
      );
      for (const { pool, refusal } of explainQuote(whole, request).refused) {
        const isExcluded = refusal.reason === 'EXCLUDED_TOKEN' || refusal.reason === 'EXCLUDED_POOL';
        assert.equal(isExcluded, !isAllowed(pool, request), refusal.reason);
      }
    }),
    { seed, numRuns: runs(400) },
  );
});
