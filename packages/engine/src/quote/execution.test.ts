import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hopsFrom } from '../../test/hops.ts';
import { addressOf } from '../../test/marketArbitraries.ts';
import { routerGas } from '../../test/routerGas.ts';
import { sqrtPriceAtTick } from '../exact/tickMath.ts';
import { replaySwap } from '../pools/uniswapV3/replay.ts';
import type { Address, FeePips, Pool, TradeType, V2Pool, V3Pool, VenueGas } from '../types.ts';
import { executePaths, type Execution, type ExecutionResult, type ExecutionTerms } from './execution.ts';

const [A, B, C] = [1, 2, 3].map(addressOf) as [Address, Address, Address];
const ETHER = 10n ** 18n;
const MAX_RESERVE = 2n ** 112n - 1n;
const EXACT_IN: ExecutionTerms = { tradeType: 'EXACT_IN', venueGas: routerGas };
const EXACT_OUT: ExecutionTerms = { tradeType: 'EXACT_OUT', venueGas: routerGas };

function v2(id: number, tokens: readonly [Address, Address], reserve0: bigint, reserve1: bigint): V2Pool {
  const identity = { address: addressOf(id), source: 'v2', tokens, feePips: 3000 as FeePips };
  return { ...identity, kind: 'UNISWAP_V2', reserve0, reserve1 };
}

/** A pool at price 1: liquidity 1e18 within ticks -100 to 100, and again as much within -1000 to 1000. */
function v3(id: number, token0: Address, token1: Address): V3Pool {
  return {
    kind: 'UNISWAP_V3',
    address: addressOf(id),
    source: 'v3',
    tokens: [token0, token1],
    feePips: 500 as FeePips,
    tickSpacing: 10,
    sqrtPriceX96: sqrtPriceAtTick(0),
    tick: 0,
    liquidity: 2n * ETHER,
    ticks: { indexes: [-1000, -100, 100, 1000], liquidityNet: [ETHER, ETHER, -ETHER, -ETHER] },
  };
}

function executed(result: ExecutionResult): Execution {
  assert.ok(result.ok, result.ok ? '' : `path ${result.failedPath} failed`);
  return result.execution;
}

/** What a pair of 0.3 % pays, and the pair after it: token0 in. */
function pairPays(pool: V2Pool, amountIn: bigint): { out: bigint; after: V2Pool } {
  const afterFee = amountIn * 997n;
  const out = (afterFee * pool.reserve1) / (pool.reserve0 * 1000n + afterFee);
  return { out, after: { ...pool, reserve0: pool.reserve0 + amountIn, reserve1: pool.reserve1 - out } };
}

function replayOf(pool: V3Pool, tokenIn: Address, tradeType: TradeType, amount: bigint) {
  const replay = replaySwap(pool, { tokenIn, tradeType, amount });
  assert.ok(replay?.amountLeft === 0n);
  return replay;
}

test('an execution without paths moves nothing and costs the gas of the venue alone', () => {
  const nothing = { paths: [], amountIn: 0n, received: 0n, gasUnits: 50_000 };
  assert.deepEqual(executed(executePaths(EXACT_IN, [])), nothing);
});

test('each leg takes what the leg before it paid, and amounts and gas add up over the paths', () => {
  const [direct, first, second] = [
    v2(10, [A, B], 1000n, 5000n),
    v2(11, [A, C], 2000n, 3000n),
    v3(12, B, C),
  ] as const;
  const out = pairPays(direct, 100n).out;
  const between = pairPays(first, 200n).out;
  const last = replayOf(second, C, 'EXACT_IN', between).amountOut;
  const execution = executed(
    executePaths(EXACT_IN, [
      { hops: hopsFrom(A, [direct]), amount: 100n },
      { hops: hopsFrom(A, [first, second]), amount: 200n },
    ]),
  );
  assert.deepEqual(execution, {
    paths: [
      {
        legs: [{ pool: direct, tokenIn: A, tokenOut: B, amountIn: 100n, amountOut: out }],
        amountIn: 100n,
        amountOut: out,
      },
      {
        legs: [
          { pool: first, tokenIn: A, tokenOut: C, amountIn: 200n, amountOut: between },
          { pool: second, tokenIn: C, tokenOut: B, amountIn: between, amountOut: last },
        ],
        amountIn: 200n,
        amountOut: last,
      },
    ],
    amountIn: 300n,
    received: out + last,
    // The venue, two V2 hops of 60,000 and a V3 hop of 80,000.
    gasUnits: 50_000 + 60_000 + 60_000 + 80_000,
  });
});

test('the venue takes gas for what the route and its payment need, else none', () => {
  const [pair, own] = [v2(10, [A, B], ETHER, ETHER), v3(11, A, B)];
  const venueGas: VenueGas = {
    ...{ swapUnits: 1, tokenReturnUnits: 20, nativeReturnUnits: 300 },
    ...{ checkUnits: 4000, uncheckedKinds: new Set(['UNISWAP_V2']) },
  };
  const gasOver = (pools: readonly Pool[], terms: ExecutionTerms) =>
    executed(executePaths(terms, [{ hops: hopsFrom(A, pools), amount: 1000n }])).gasUnits;
  const terms = { tradeType: 'EXACT_IN', nativeIn: true, venueGas } as const;
  const out = { ...terms, tradeType: 'EXACT_OUT' } as const;
  assert.equal(gasOver([pair], terms), 60_001);
  assert.equal(gasOver([own], { ...terms, nativeIn: false }), 80_001);
  assert.equal(gasOver([own], terms), 80_301);
  assert.equal(gasOver([v2(12, [A, C], ETHER, ETHER), v3(13, C, B)], terms), 140_021);
  assert.equal(gasOver([own], out), 80_301);
  assert.equal(gasOver([pair], out), 64_301);
  assert.equal(gasOver([pair], { tradeType: 'EXACT_IN' }), 60_000);
});

test('initialised ticks that are crossed cost gas, whichever side is exact', () => {
  const pool = v3(10, A, B);
  const amount = 20n * 10n ** 15n;
  assert.equal(replayOf(pool, A, 'EXACT_IN', amount).initialisedTicksCrossed, 1);
  for (const terms of [EXACT_IN, EXACT_OUT])
    assert.equal(
      executed(executePaths(terms, [{ hops: hopsFrom(A, [pool]), amount }])).gasUnits,
      50_000 + 80_000 + 31_000,
    );
});

test('a path over a pair starts from the state that earlier paths left', () => {
  const pool = v2(10, [A, B], 1000n, 5000n);
  const [first, second, third] = [100n, 200n, 300n];
  const one = pairPays(pool, first);
  const two = pairPays(one.after, second);
  const three = pairPays(two.after, third);
  const execution = executed(
    executePaths(
      EXACT_IN,
      [first, second, third].map((amount) => ({ hops: hopsFrom(A, [pool]), amount })),
    ),
  );
  assert.deepEqual(
    execution.paths.flatMap(({ legs }) => legs.map((leg) => [leg.pool, leg.amountOut])),
    [
      [pool, one.out],
      [one.after, two.out],
      [two.after, three.out],
    ],
  );
});

test('a path over a V3 pool starts from the state that earlier paths left', () => {
  const pool = v3(10, A, B);
  const amount = 7n * 10n ** 15n;
  for (const terms of [EXACT_IN, EXACT_OUT]) {
    const one = replayOf(pool, A, terms.tradeType, amount);
    const two = replayOf(one.pool, A, terms.tradeType, amount);
    const planned = { hops: hopsFrom(A, [pool]), amount };
    const { paths, amountIn, received } = executed(executePaths(terms, [planned, planned]));
    assert.deepEqual(paths[1]?.legs[0]?.pool, one.pool);
    assert.deepEqual([amountIn, received], [one.amountIn + two.amountIn, one.amountOut + two.amountOut]);
  }
});

test('an exact output is computed from the last pool back, and V3 pools pay exactly that', () => {
  const [first, second] = [v3(10, A, C), v3(11, B, C)];
  const asked = 10n ** 15n;
  const last = replayOf(second, C, 'EXACT_OUT', asked);
  const start = replayOf(first, A, 'EXACT_OUT', last.amountIn);
  const execution = executed(
    executePaths(EXACT_OUT, [{ hops: hopsFrom(A, [first, second]), amount: asked }]),
  );
  assert.deepEqual(execution, {
    paths: [
      {
        legs: [
          { pool: first, tokenIn: A, tokenOut: C, amountIn: start.amountIn, amountOut: last.amountIn },
          { pool: second, tokenIn: C, tokenOut: B, amountIn: last.amountIn, amountOut: asked },
        ],
        amountIn: start.amountIn,
        amountOut: asked,
      },
    ],
    amountIn: start.amountIn,
    received: asked,
    gasUnits: 50_000 + 80_000 + 80_000,
  });
});

test('an executed V3 leg pays exactly the output asked, even where its input would buy more', () => {
  // One unit of A is worth about a hundred of B.
  const tick = 46_054;
  const pool: V3Pool = {
    ...v3(10, A, B),
    sqrtPriceX96: sqrtPriceAtTick(tick),
    tick,
    ticks: { indexes: [-887270, 887270], liquidityNet: [2n * ETHER, -2n * ETHER] },
  };
  const execution = executed(executePaths(EXACT_OUT, [{ hops: hopsFrom(A, [pool]), amount: 5n }]));
  // One unit, and one of fee.
  assert.deepEqual([execution.amountIn, execution.received], [2n, 5n]);
  assert.equal(replayOf(pool, A, 'EXACT_IN', 2n).amountOut, 99n);
});

test('pairs are swapped forward with the input found, and all that they pay is received', () => {
  // One unit of A is worth a hundred of C and ten thousand of B.
  const [first, second] = [v2(10, [A, C], 1000n, 100_000n), v2(11, [C, B], 100_000n, 10_000_000n)];
  // 100 of B take 2 of C, which one unit of A more than pays.
  const [between, received] = [pairPays(first, 1n).out, pairPays(second, pairPays(first, 1n).out).out];
  assert.deepEqual([between, received], [99n, 9860n]);
  const execution = executed(executePaths(EXACT_OUT, [{ hops: hopsFrom(A, [first, second]), amount: 100n }]));
  assert.deepEqual(
    execution.paths[0]?.legs.map(({ amountIn, amountOut }) => [amountIn, amountOut]),
    [
      [1n, 99n],
      [99n, 9860n],
    ],
  );
  assert.deepEqual([execution.amountIn, execution.received], [1n, 9860n]);
  assert.equal(execution.gasUnits, 50_000 + 60_000 + 60_000);
});

test('the first path with a pool that cannot serve its part, or pays nothing, is named', () => {
  const good = { hops: hopsFrom(A, [v2(10, [A, B], 1000n, 5000n)]), amount: 100n };
  const dear = { hops: hopsFrom(A, [v2(11, [A, B], ETHER, 1000n)]), amount: 1n };
  const full = { hops: hopsFrom(A, [v2(12, [A, B], MAX_RESERVE, 1000n)]), amount: 1n };
  const noPools = { hops: hopsFrom(A, []), amount: 100n };
  for (const bad of [dear, full, noPools]) {
    assert.deepEqual(executePaths(EXACT_IN, [good, bad, good]), { ok: false, failedPath: 1 });
    assert.deepEqual(executePaths(EXACT_IN, [bad, bad]), { ok: false, failedPath: 0 });
  }
  const drained = { hops: hopsFrom(A, [v2(13, [A, B], 1000n, 100n)]), amount: 100n };
  for (const bad of [drained, full, noPools])
    assert.deepEqual(executePaths(EXACT_OUT, [good, bad]), { ok: false, failedPath: 1 });
});

test('a path fails if a pool in the middle cannot serve it', () => {
  const [first, last] = [v2(10, [A, C], 1000n, 5000n), v2(11, [C, B], 1000n, 1n)];
  for (const terms of [EXACT_IN, EXACT_OUT])
    assert.deepEqual(executePaths(terms, [{ hops: hopsFrom(A, [first, last]), amount: 1n }]), {
      ok: false,
      failedPath: 0,
    });
});

test('a path fails if its surplus would overflow the reserve of a later pair', () => {
  // 5 of C would just fit the second pair, but one unit of A buys 99 of them.
  const first = v2(10, [A, C], 1000n, 100_000n);
  const second = v2(11, [C, B], MAX_RESERVE - 5n, MAX_RESERVE);
  const alone = executePaths(EXACT_OUT, [{ hops: hopsFrom(C, [second]), amount: 3n }]);
  assert.equal(executed(alone).amountIn, 4n);
  assert.deepEqual(executePaths(EXACT_OUT, [{ hops: hopsFrom(A, [first, second]), amount: 3n }]), {
    ok: false,
    failedPath: 0,
  });
});
