import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressOf } from '../../test/marketArbitraries.ts';
import { sqrtPriceAtTick } from '../exact/tickMath.ts';
import { replaySwap } from '../exact/v3Replay.ts';
import type { Address, FeePips, TradeType, V2Pool, V3Pool } from '../types.ts';
import { executePaths, type Execution, type ExecutionResult, type ExecutionTerms } from './execution.ts';

const [A, B, C] = [1, 2, 3].map(addressOf) as [Address, Address, Address];
const ETHER = 10n ** 18n;
const MAX_RESERVE = 2n ** 112n - 1n;
const EXACT_IN: ExecutionTerms = { tokenIn: A, tokenOut: B, tradeType: 'EXACT_IN' };
const EXACT_OUT: ExecutionTerms = { tokenIn: A, tokenOut: B, tradeType: 'EXACT_OUT' };

function v2(id: number, tokens: readonly [Address, Address], reserve0: bigint, reserve1: bigint): V2Pool {
  const [token0, token1] = tokens;
  const identity = { address: addressOf(id), source: 'v2', token0, token1, feePips: 3000 as FeePips };
  return { ...identity, kind: 'UNISWAP_V2', reserve0, reserve1 };
}

/** A pool at price 1: liquidity 1e18 within ticks -100 to 100, and again as much within -1000 to 1000. */
function v3(id: number, token0: Address, token1: Address): V3Pool {
  return {
    kind: 'UNISWAP_V3',
    address: addressOf(id),
    source: 'v3',
    token0,
    token1,
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

test('an execution without paths moves nothing and costs the gas of the transaction', () => {
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
      { pools: [direct], amount: 100n },
      { pools: [first, second], amount: 200n },
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
    // The transaction, two V2 hops of 60,000, a V3 hop of 80,000, and the return of the rest of C.
    gasUnits: 50_000 + 60_000 + 60_000 + 80_000 + 3400,
  });
});

test('returning what V3 pools may leave costs gas, each token once', () => {
  const [pair, between] = [v2(10, [A, B], ETHER, ETHER), v2(11, [A, C], ETHER, ETHER)];
  const [direct, from, to, other] = [v3(12, A, B), v3(13, A, C), v3(14, C, B), v3(15, C, B)] as const;
  const gasOver = (terms: ExecutionTerms, ...paths: (readonly (V2Pool | V3Pool)[])[]): number =>
    executed(
      executePaths(
        terms,
        paths.map((pools) => ({ pools, amount: 1000n })),
      ),
    ).gasUnits;
  const [native, nativeOut] = [
    { ...EXACT_IN, nativeIn: true },
    { ...EXACT_OUT, nativeIn: true },
  ];
  assert.equal(gasOver(EXACT_IN, [direct]), 50_000 + 80_000);
  assert.equal(gasOver(native, [direct]), 50_000 + 80_000 + 1700);
  assert.equal(gasOver(native, [pair]), 50_000 + 60_000);
  assert.equal(gasOver(native, [pair], [direct]), 50_000 + 60_000 + 80_000 + 1700);
  assert.equal(gasOver(EXACT_IN, [from, to]), 50_000 + 160_000 + 3400);
  assert.equal(gasOver(native, [from, to], [between, other]), 50_000 + 300_000 + 3400 + 1700);
  // An exact output is all or nothing, but the most that it may take is sent along.
  assert.equal(gasOver(EXACT_OUT, [from, to]), 50_000 + 160_000);
  assert.equal(gasOver(nativeOut, [pair]), 50_000 + 60_000 + 1700);
});

test('initialised ticks that are crossed cost gas, whichever side is exact', () => {
  const pool = v3(10, A, B);
  const amount = 20n * 10n ** 15n;
  assert.equal(replayOf(pool, A, 'EXACT_IN', amount).initialisedTicksCrossed, 1);
  for (const terms of [EXACT_IN, EXACT_OUT])
    assert.equal(
      executed(executePaths(terms, [{ pools: [pool], amount }])).gasUnits,
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
      [first, second, third].map((amount) => ({ pools: [pool], amount })),
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
    const planned = { pools: [pool], amount };
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
  const execution = executed(executePaths(EXACT_OUT, [{ pools: [first, second], amount: asked }]));
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
  const execution = executed(executePaths(EXACT_OUT, [{ pools: [pool], amount: 5n }]));
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
  const execution = executed(executePaths(EXACT_OUT, [{ pools: [first, second], amount: 100n }]));
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
  const good = { pools: [v2(10, [A, B], 1000n, 5000n)], amount: 100n };
  const dear = { pools: [v2(11, [A, B], ETHER, 1000n)], amount: 1n };
  const full = { pools: [v2(12, [A, B], MAX_RESERVE, 1000n)], amount: 1n };
  const noPools = { pools: [], amount: 100n };
  for (const bad of [dear, full, noPools]) {
    assert.deepEqual(executePaths(EXACT_IN, [good, bad, good]), { ok: false, failedPath: 1 });
    assert.deepEqual(executePaths(EXACT_IN, [bad, bad]), { ok: false, failedPath: 0 });
  }
  const drained = { pools: [v2(13, [A, B], 1000n, 100n)], amount: 100n };
  for (const bad of [drained, full, noPools])
    assert.deepEqual(executePaths(EXACT_OUT, [good, bad]), { ok: false, failedPath: 1 });
});

test('a path fails if a pool in the middle cannot serve it', () => {
  const [first, last] = [v2(10, [A, C], 1000n, 5000n), v2(11, [C, B], 1000n, 1n)];
  for (const terms of [EXACT_IN, EXACT_OUT])
    assert.deepEqual(executePaths(terms, [{ pools: [first, last], amount: 1n }]), {
      ok: false,
      failedPath: 0,
    });
});

test('a path fails if its surplus would overflow the reserve of a later pair', () => {
  // 5 of C would just fit the second pair, but one unit of A buys 99 of them.
  const first = v2(10, [A, C], 1000n, 100_000n);
  const second = v2(11, [C, B], MAX_RESERVE - 5n, MAX_RESERVE);
  const alone = executePaths({ ...EXACT_OUT, tokenIn: C }, [{ pools: [second], amount: 3n }]);
  assert.equal(executed(alone).amountIn, 4n);
  assert.deepEqual(executePaths(EXACT_OUT, [{ pools: [first, second], amount: 3n }]), {
    ok: false,
    failedPath: 0,
  });
});
