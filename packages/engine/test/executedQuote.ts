/// <reference types="node" />
import assert from 'node:assert/strict';
import { replaySwap } from '../src/pools/uniswapV3/replay.ts';
import type { Address, Leg, Pool, Quote, QuoteRequest, TradeType, V3Pool } from '../src/types.ts';

/**
 * Executes a quote's legs one by one on the given pools, as their contracts would and without the code that quotes.
 * Asserts that every amount, and the pool state that every leg has, is right.
 */
export function assertExecutes(pools: readonly Pool[], request: QuoteRequest, quote: Quote): void {
  const states = new Map<Address, Pool>(pools.map((pool) => [pool.address, pool]));
  let [amountIn, received] = [0n, 0n];
  assert.deepEqual(
    quote.paths.flatMap((path) => path.legs),
    quote.legs,
  );
  assert.ok(quote.paths.length >= 1 && quote.paths.length <= Math.max(1, request.maxSplits));
  for (const { legs, ...path } of quote.paths) {
    assert.ok(legs.length >= 1 && legs.length <= request.maxHops);
    const visited = [request.tokenIn, ...legs.map((leg) => leg.tokenOut)];
    assert.equal(new Set(visited).size, visited.length, 'a path passes a token twice');
    assert.equal(visited.at(-1), request.tokenOut);
    if (request.tradeType === 'EXACT_OUT') assert.equal(new Set(legs.map((leg) => leg.pool.kind)).size, 1);
    let carried: bigint = path.amountIn;
    for (const [index, leg] of legs.entries()) {
      assert.equal(leg.tokenIn, visited[index]);
      assert.equal(leg.amountIn, carried);
      assert.ok(leg.amountIn > 0n && leg.amountOut > 0n);
      assert.ok(!request.excludeSources.has(leg.pool.source));
      states.set(leg.pool.address, afterLeg(states.get(leg.pool.address), leg, request.tradeType));
      carried = leg.amountOut;
    }
    assert.equal(path.amountOut, carried);
    amountIn += path.amountIn;
    received += path.amountOut;
  }
  assert.equal(quote.amountIn, amountIn);
  assert.equal(quote.amountOut + quote.surplus, received);
  assert.equal(request.tradeType === 'EXACT_IN' ? quote.amountIn : quote.amountOut, request.amount);
  assert.ok(quote.surplus >= 0n);
}

function afterLeg(pool: Pool | undefined, leg: Leg, tradeType: TradeType): Pool {
  assert.ok(pool !== undefined);
  assert.deepEqual(leg.pool, pool, 'the leg has another pool state than earlier legs left');
  return pool.kind === 'UNISWAP_V3' ? afterV3(pool, leg, tradeType) : afterV2(pool, leg);
}

function afterV3(pool: V3Pool, leg: Leg, tradeType: TradeType): Pool {
  const amount = tradeType === 'EXACT_IN' ? leg.amountIn : leg.amountOut;
  const replay = replaySwap(pool, { tokenIn: leg.tokenIn, tradeType, amount });
  assert.ok(replay !== undefined);
  assert.deepEqual(
    [replay.amountLeft, replay.amountIn, replay.amountOut],
    [0n, leg.amountIn, leg.amountOut],
    'a V3 leg executes with other amounts',
  );
  return replay.pool;
}

function afterV2(pool: Exclude<Pool, V3Pool>, leg: Leg): Pool {
  const zeroForOne = leg.tokenIn === pool.tokens[0];
  const [reserveIn, reserveOut] = zeroForOne
    ? [pool.reserve0, pool.reserve1]
    : [pool.reserve1, pool.reserve0];
  const adjusted = (reserveIn + leg.amountIn) * 1_000_000n - leg.amountIn * BigInt(pool.feePips);
  const accepts = (out: bigint): boolean =>
    adjusted * (reserveOut - out) >= reserveIn * reserveOut * 1_000_000n;
  assert.ok(accepts(leg.amountOut) && !accepts(leg.amountOut + 1n), 'a V2 leg executes with other amounts');
  const [movedIn, movedOut] = [reserveIn + leg.amountIn, reserveOut - leg.amountOut];
  return zeroForOne
    ? { ...pool, reserve0: movedIn, reserve1: movedOut }
    : { ...pool, reserve0: movedOut, reserve1: movedIn };
}
