import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressOf } from '../../test/marketArbitraries.ts';
import { createMarket } from '../market/market.ts';
import type { Address, Amount, FeePips, Leg, Path, QuoteRequest, V2Pool } from '../types.ts';
import { describeQuote, inToken } from './describeQuote.ts';
import type { Execution } from './execution.ts';
import { routerGas } from '../../test/routerGas.ts';

const [A, B, C] = [1, 2, 3].map(addressOf) as [Address, Address, Address];

function pair(
  id: number,
  [token0, token1]: readonly [Address, Address],
  reserves: readonly [bigint, bigint],
) {
  const identity = {
    address: addressOf(id),
    source: 'v2',
    tokens: [token0, token1] as const,
    feePips: 3000 as FeePips,
  };
  return { ...identity, kind: 'UNISWAP_V2', reserve0: reserves[0], reserve1: reserves[1] } satisfies V2Pool;
}

function leg(pool: V2Pool, tokenIn: Address, amountIn: bigint, amountOut: bigint): Leg {
  const tokenOut = tokenIn === pool.tokens[0] ? pool.tokens[1] : pool.tokens[0];
  return { pool, tokenIn, tokenOut, amountIn: amountIn as Amount, amountOut: amountOut as Amount };
}

function pathOf(...legs: readonly Leg[]): Path {
  return {
    legs,
    amountIn: legs[0]?.amountIn ?? (0n as Amount),
    amountOut: legs.at(-1)?.amountOut ?? (0n as Amount),
  };
}

function executionOf(...paths: readonly Path[]): Execution {
  const sum = (side: 'amountIn' | 'amountOut'): bigint =>
    paths.reduce((total, path) => total + path[side], 0n);
  return { paths, amountIn: sum('amountIn'), received: sum('amountOut'), gasUnits: 110_000 };
}

function request(asked: Partial<QuoteRequest> = {}): QuoteRequest {
  return {
    tokenIn: A,
    tokenOut: B,
    tradeType: 'EXACT_IN',
    amount: 100n as Amount,
    maxHops: 3,
    maxSplits: 4,
    excludeSources: new Set(),
    gasPrice: { weiPerGas: 7n, wrappedNative: B },
    venueGas: routerGas,
    ...asked,
  };
}

/** Two of token1 for one of token0. */
const DOUBLING = pair(10, [A, B], [1000n, 2000n]);

test('a quote describes all that follows from the paths executed', () => {
  const leg0 = leg(DOUBLING, A, 100n, 150n);
  const execution = executionOf(pathOf(leg0));
  assert.deepEqual(describeQuote(createMarket([DOUBLING]), request(), execution), {
    tokenIn: A,
    tokenOut: B,
    tradeType: 'EXACT_IN',
    amountIn: 100n,
    amountOut: 150n,
    surplus: 0n,
    legs: [leg0],
    paths: execution.paths,
    // A small part of 100 at a price of 2 less 0.3 % gets 199.38; of that 49.38 are 2476.7 bps.
    priceImpactBps: 2477,
    // The output token is the native currency.
    gas: { units: 110_000n, cost: 770_000n, costInTokenOut: 770_000n },
    poolFees: [{ pool: DOUBLING.address, token: A, amount: 1n }],
  });
});

test('what an exact output pays beyond the amount asked is the quote’s surplus', () => {
  const execution = executionOf(pathOf(leg(DOUBLING, A, 100n, 150n)));
  const asked = request({ tradeType: 'EXACT_OUT', amount: 140n as Amount });
  const quote = describeQuote(createMarket([DOUBLING]), asked, execution);
  assert.deepEqual([quote.amountIn, quote.amountOut, quote.surplus], [100n, 140n, 10n]);
  // The surplus is received: it counts against the impact.
  assert.equal(quote.priceImpactBps, 2477);
});

test('gas has no price in a token that no route leads to', () => {
  const execution = executionOf(pathOf(leg(DOUBLING, A, 100n, 150n)));
  const asked = request({ gasPrice: { weiPerGas: 7n, wrappedNative: C } });
  const { gas } = describeQuote(createMarket([DOUBLING]), asked, execution);
  assert.deepEqual(gas, { units: 110_000n, cost: 770_000n });
});

test('wei expressed in a token are rounded up', () => {
  assert.equal(inToken(10n, { numerator: 1n, denominator: 3n }), 4n);
  assert.equal(inToken(9n, { numerator: 1n, denominator: 3n }), 3n);
  assert.equal(inToken(0n, { numerator: 1n, denominator: 3n }), 0n);
});

test('pool fees are rounded up, in the token that each leg takes', () => {
  const [first, second] = [pair(10, [A, C], [1000n, 2000n]), pair(11, [B, C], [1000n, 1000n])];
  const execution = executionOf(pathOf(leg(first, A, 1000n, 900n), leg(second, C, 1001n, 400n)));
  const { poolFees, legs } = describeQuote(createMarket([first, second]), request(), execution);
  assert.deepEqual(poolFees, [
    { pool: first.address, token: A, amount: 3n },
    { pool: second.address, token: C, amount: 4n },
  ]);
  assert.equal(legs.length, 2);
});

test('price impact follows the prices of all pools of a path, in the direction of the swap', () => {
  // 1000 at prices 2 and, from token1 to token0, 4: 8000, less 0.3 % twice: 7952.072, a little less for a small part.
  const reserves = [10n ** 9n, 2n * 10n ** 9n, 4n * 10n ** 9n] as const;
  const [first, second] = [
    pair(10, [A, C], [reserves[0], reserves[1]]),
    pair(11, [B, C], [reserves[2], reserves[0]]),
  ];
  const path = pathOf(leg(first, A, 1000n, 1900n), leg(second, C, 1900n, 7900n));
  const quote = describeQuote(createMarket([first, second]), request(), executionOf(path));
  // 52.07 of 7952.07 are 65.5 bps.
  assert.equal(quote.priceImpactBps, 66);
});

test('price impact is measured over all paths together, at the prices before the swap', () => {
  const other = pair(11, [A, B], [10n ** 9n, 10n ** 9n]);
  const deep = pair(10, [A, B], [10n ** 9n, 2n * 10n ** 9n]);
  const moved = { ...deep, reserve0: deep.reserve0 * 2n };
  const execution = executionOf(
    pathOf(leg(deep, A, 1000n, 1990n)),
    pathOf(leg(other, A, 3000n, 2980n)),
    pathOf(leg(moved, A, 1000n, 1980n)),
  );
  // 1994 twice and 2991 are 6979; 6950 are received, so that 29, 41.6 bps of it, are lost.
  const quote = describeQuote(createMarket([deep, other]), request(), execution);
  assert.equal(quote.priceImpactBps, 42);
});

test('an impact that looks high is measured from what the market asks, where that is less', () => {
  // Ten units are bought at ten times the market's price; a deep pair asks 1.003 for each, mid price 1.
  const deep = pair(10, [A, B], [10n ** 12n, 10n ** 12n]);
  const dust = pair(11, [A, B], [10n, 100n]);
  const execution = executionOf(pathOf(leg(deep, A, 10n ** 6n, 990_000n)), pathOf(leg(dust, A, 10n, 47n)));
  // Less 0.3 %, the input is worth 997,000 and ten more. The payer does not receive 6,963 of that: 69.8 bps.
  // Rounding makes the asked price 1.0032.
  const quote = describeQuote(createMarket([deep, dust]), request(), execution);
  assert.ok(quote.priceImpactBps >= 70 && quote.priceImpactBps <= 74, `${quote.priceImpactBps}`);
});

test('price impact of a pool that the market does not hold is measured from its own state', () => {
  const execution = executionOf(pathOf(leg(DOUBLING, A, 100n, 150n)));
  assert.equal(describeQuote(createMarket([]), request(), execution).priceImpactBps, 2477);
});

test('fractions of a unit count in the price impact', () => {
  // Ten units at 0.997 are 9.97: nine received lose 972.9 bps of them.
  const even = pair(10, [A, B], [1000n, 1000n]);
  const execution = executionOf(pathOf(leg(even, A, 10n, 9n)));
  assert.equal(describeQuote(createMarket([even]), request(), execution).priceImpactBps, 973);
});

test('an amount received at the marginal price or above it has no price impact', () => {
  const deep = pair(10, [A, B], [10n ** 9n, 2n * 10n ** 9n]);
  // 1000 at a price of 2 less 0.3 %: exactly 1994.
  for (const received of [1994n, 1995n, 3000n]) {
    const execution = executionOf(pathOf(leg(deep, A, 1000n, received)));
    assert.equal(describeQuote(createMarket([deep]), request(), execution).priceImpactBps, 0);
  }
  const short = executionOf(pathOf(leg(deep, A, 1000n, 1993n)));
  assert.equal(describeQuote(createMarket([deep]), request(), short).priceImpactBps, 6);
});

test('without a path there is no price impact', () => {
  for (const execution of [executionOf(), executionOf(pathOf())])
    assert.equal(describeQuote(createMarket([]), request(), execution).priceImpactBps, 0);
});
