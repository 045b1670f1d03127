import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMarket, quote, sqrtPriceAtTick } from '@fairway/engine';
import { powerLawMarket } from './powerLawMarket.ts';
import { type RoutingMarket, unitPrices } from './market.ts';
import { routingQueries } from './queries.ts';
import { FULL_WIDTH, requestOf } from './routers.ts';

const shapes = [1, 2, 3].map((seed) => ({ poolCount: 1000, seed, arbitrage: false }));

/**
 * What one dollar of each token of each pool is worth after a swap too small to move the price. Where this is below one
 * dollar everywhere, every swap loses at the tokens' prices, and so does every circle of swaps.
 */
function worthAfterSwaps(market: RoutingMarket): number[] {
  const prices = unitPrices(market);
  return market.pools.flatMap((pool) => {
    const price =
      pool.kind === 'UNISWAP_V2'
        ? Number(pool.reserve1) / Number(pool.reserve0)
        : (Number(pool.sqrtPriceX96) / 2 ** 96) ** 2;
    const kept = 1 - pool.feePips / 1e6;
    const fair = prices.get(pool.tokens[0])! / prices.get(pool.tokens[1])!;
    return [(price / fair) * kept, (fair / price) * kept];
  });
}

test('no circle of swaps pays in a market without arbitrage, and some pay in one with it', () => {
  for (const shape of shapes) {
    const worths = worthAfterSwaps(powerLawMarket(shape));
    assert.equal(worths.length, 2 * shape.poolCount);
    assert.ok(Math.max(...worths) < 1, `a swap gains: ${Math.max(...worths)}`);
    const tempting = worthAfterSwaps(powerLawMarket({ ...shape, arbitrage: true }));
    assert.ok(tempting.filter((worth) => worth > 1).length > shape.poolCount / 10);
  }
});

test('half of the pools are V3, in a valid state, with 50 to 300 ticks', () => {
  for (const shape of shapes) {
    const { pools } = powerLawMarket(shape);
    const concentrated = pools.filter((pool) => pool.kind === 'UNISWAP_V3');
    assert.equal(concentrated.length, pools.length / 2);
    for (const { ticks, tick, tickSpacing, liquidity, sqrtPriceX96 } of concentrated) {
      const { indexes, liquidityNet } = ticks;
      assert.ok(indexes.length >= 50 && indexes.length <= 300, `${indexes.length} ticks`);
      assert.ok(indexes.every((index, at) => index % tickSpacing === 0 && index > (indexes[at - 1] ?? -1e6)));
      assert.ok(sqrtPriceAtTick(tick) <= sqrtPriceX96 && sqrtPriceX96 < sqrtPriceAtTick(tick + 1));
      let inRange = 0n;
      for (const [at, index] of indexes.entries()) {
        if (index > tick && (indexes[at - 1] ?? tick) <= tick) assert.equal(inRange, liquidity);
        inRange += liquidityNet[at]!;
        assert.ok(inRange >= 0n);
      }
      assert.equal(inRange, 0n);
    }
    assert.equal(new Set(pools.map(({ address }) => address)).size, pools.length);
    assert.ok(pools.every(({ tokens: [token0, token1] }) => token0 < token1));
    assert.ok(new Set(pools.map(({ feePips }) => feePips)).size >= 5);
  }
});

test('a seed always gives the same market and queries, and another seed gives others', () => {
  const [one, other] = [shapes[0]!, shapes[1]!];
  assert.deepEqual(powerLawMarket(one), powerLawMarket(one));
  assert.notDeepEqual(powerLawMarket(one).pools, powerLawMarket(other).pools);
  const market = powerLawMarket(one);
  assert.deepEqual(routingQueries(market, 30, 1), routingQueries(market, 30, 1));
  assert.notDeepEqual(routingQueries(market, 30, 1), routingQueries(market, 30, 2));
});

test('queries have three sizes and equal worth on both sides, and nearly all are answered', () => {
  const market = powerLawMarket({ poolCount: 200, seed: 1, arbitrage: false });
  const pools = createMarket(market.pools);
  const prices = unitPrices(market);
  const queries = routingQueries(market, 30, 1);
  for (const size of ['small', 'medium', 'large'])
    assert.equal(queries.filter((query) => query.size === size).length, 10);
  let unanswered = 0;
  for (const query of queries) {
    const worthIn = Number(query.amounts.EXACT_IN) * prices.get(query.tokenIn)!;
    const worthOut = Number(query.amounts.EXACT_OUT) * prices.get(query.tokenOut)!;
    assert.ok(Math.abs(worthIn / worthOut - 1) < 1e-3);
    assert.ok(quote(pools, requestOf(query, 'EXACT_IN', FULL_WIDTH)).ok);
    if (!quote(pools, requestOf(query, 'EXACT_OUT', FULL_WIDTH)).ok) unanswered += 1;
  }
  // An EXACT_OUT path uses pools of one version, and there may be no V3 path between the two tokens.
  assert.ok(unanswered <= 3, `${unanswered} unanswered`);
});
