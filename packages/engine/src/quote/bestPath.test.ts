import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressOf } from '../../test/marketArbitraries.ts';
import { sqrtPriceAtTick } from '../exact/tickMath.ts';
import { replaySwap } from '../pools/uniswapV3/replay.ts';
import { createMarket } from '../market/market.ts';
import type { Address, Amount, FeePips, Pool, Quote, QuoteRequest, QuoteResult, V3Pool } from '../types.ts';
import { bestPathQuote } from './bestPath.ts';
import { routerGas } from '../../test/routerGas.ts';

const [A, B, C] = [1, 2, 3].map(addressOf) as [Address, Address, Address];
const BILLION = 10n ** 9n;
const ETHER = 10n ** 18n;
const MAX_RESERVE = 2n ** 112n - 1n;

type Tokens = readonly [token0: Address, token1: Address];

function v2(id: number, [token0, token1]: Tokens, reserve0: bigint, reserve1: bigint, feePips = 0): Pool {
  const identity = {
    address: addressOf(id),
    source: 'v2',
    tokens: [token0, token1] as const,
    feePips: feePips as FeePips,
  };
  return { ...identity, kind: 'UNISWAP_V2', reserve0, reserve1 };
}

function v3(id: number, [token0, token1]: Tokens, liquidity: bigint): V3Pool {
  return {
    kind: 'UNISWAP_V3',
    address: addressOf(id),
    source: 'v3',
    tokens: [token0, token1],
    feePips: 500 as FeePips,
    tickSpacing: 10,
    sqrtPriceX96: sqrtPriceAtTick(0),
    tick: 0,
    liquidity,
    ticks: { indexes: [-887270, 887270], liquidityNet: [liquidity, -liquidity] },
  };
}

/** A pair without fee that pays `amountOut` of token1 for a billion of token0. */
function paying(id: number, tokens: Tokens, amountOut: bigint): Pool {
  return v2(id, tokens, 9n * BILLION, 10n * amountOut);
}

/** A pair without fee that asks `amountIn` of token0 for a billion of token1; its formula adds one to the quotient. */
function asking(id: number, tokens: Tokens, amountIn: bigint): Pool {
  return v2(id, tokens, 10n * (amountIn - 1n), 11n * BILLION);
}

type Asked = Partial<Omit<QuoteRequest, 'amount'>> & { readonly amount?: bigint };

function ask(pools: readonly Pool[], { amount = BILLION, ...asked }: Asked = {}): QuoteResult {
  return bestPathQuote(createMarket(pools), {
    tokenIn: A,
    tokenOut: B,
    tradeType: 'EXACT_IN',
    amount: amount as Amount,
    maxHops: 3,
    maxSplits: 1,
    excludeSources: new Set(),
    gasPrice: { weiPerGas: 0n, wrappedNative: A },
    venueGas: routerGas,
    ...asked,
  });
}

function answer(result: QuoteResult): Quote {
  assert.ok(result.ok, result.ok ? '' : result.refusal.reason);
  return result.quote;
}

/** The addresses of the pools a quote passes, as the numbers they were made of. */
function passes(result: QuoteResult): number[] {
  return answer(result).legs.map(({ pool }) => Number(pool.address));
}

function refusal(result: QuoteResult): string {
  return result.ok ? 'none' : result.refusal.reason;
}

test('zero and negative amounts are too small, and one unit is not', () => {
  const pools = [v2(10, [A, B], 1000n, 5000n)];
  for (const tradeType of ['EXACT_IN', 'EXACT_OUT'] as const) {
    assert.equal(refusal(ask(pools, { amount: 0n, tradeType })), 'AMOUNT_TOO_SMALL');
    assert.equal(refusal(ask(pools, { amount: -1n, tradeType })), 'AMOUNT_TOO_SMALL');
    assert.equal(refusal(ask(pools, { amount: 1n, tradeType })), 'none');
  }
});

test('tokens that no usable pools connect have no route, whichever side is exact', () => {
  const pools = [v2(10, [A, C], 1000n, 1000n), v3(11, [A, C], ETHER)];
  for (const tradeType of ['EXACT_IN', 'EXACT_OUT'] as const) {
    assert.equal(refusal(ask(pools, { tradeType })), 'NO_ROUTE');
    const excludeSources = new Set(['v2']);
    const pair = [v2(12, [A, B], ETHER, ETHER)];
    assert.equal(refusal(ask(pair, { tradeType, excludeSources })), 'NO_ROUTE');
    assert.equal(refusal(ask(pair, { tradeType })), 'none');
  }
});

test('a route of either pool version that cannot take or give the amount is short of liquidity', () => {
  const small = { amount: 1000n, tradeType: 'EXACT_OUT' } as const;
  assert.equal(refusal(ask([v2(10, [A, B], 1000n, 1000n)], small)), 'INSUFFICIENT_LIQUIDITY');
  assert.equal(refusal(ask([v3(11, [A, B], 0n)], small)), 'INSUFFICIENT_LIQUIDITY');
  assert.equal(refusal(ask([v2(10, [A, B], MAX_RESERVE, 1000n)])), 'INSUFFICIENT_LIQUIDITY');
});

test('an input that a pool on the path turns into nothing is too small', () => {
  const nothing = v2(10, [A, B], ETHER, 1000n);
  assert.equal(refusal(ask([nothing], { amount: 1n })), 'AMOUNT_TOO_SMALL');
  assert.equal(
    refusal(ask([nothing, v2(11, [A, B], MAX_RESERVE, 1000n)], { amount: 1n })),
    'AMOUNT_TOO_SMALL',
  );
});

test('an exact output is looked for over the pools of each version, and never mixes them', () => {
  const mixed = [v2(10, [A, C], ETHER, ETHER), v3(11, [B, C], ETHER)];
  assert.deepEqual(passes(ask(mixed, { amount: 1000n })), [10, 11]);
  assert.equal(refusal(ask(mixed, { amount: 1000n, tradeType: 'EXACT_OUT' })), 'NO_ROUTE');
  const second = [v2(12, [C, B], ETHER, ETHER), v3(13, [A, C], ETHER)];
  const exactOut = { amount: 1000n, tradeType: 'EXACT_OUT' } as const;
  for (const [excluded, expected] of [
    ['v2', [13, 11]],
    ['v3', [10, 12]],
  ] as const) {
    const result = ask([...mixed, ...second], { ...exactOut, excludeSources: new Set([excluded]) });
    assert.deepEqual(passes(result), expected);
  }
});

test('the path that pays more is taken, and of exact outputs the one that costs less', () => {
  assert.deepEqual(passes(ask([paying(10, [A, B], 500n), paying(11, [A, B], 501n)])), [11]);
  assert.deepEqual(passes(ask([paying(10, [A, B], 501n), paying(11, [A, B], 500n)])), [10]);
  const exactOut = { tradeType: 'EXACT_OUT' } as const;
  assert.deepEqual(passes(ask([asking(10, [A, B], 501n), asking(11, [A, B], 500n)], exactOut)), [11]);
  assert.deepEqual(passes(ask([asking(10, [A, B], 500n), asking(11, [A, B], 501n)], exactOut)), [10]);
});

test('a longer path must pay more than its gas, priced in the output token', () => {
  const gasPrice = { weiPerGas: 7n, wrappedNative: B };
  // A second V2 hop is 60,000 units of gas: 420,000 wei of the output token.
  const market = (extra: bigint) => [
    paying(10, [A, B], BILLION),
    paying(11, [A, C], BILLION),
    paying(12, [C, B], BILLION + extra),
  ];
  assert.deepEqual(passes(ask(market(1n))), [11, 12]);
  assert.deepEqual(passes(ask(market(420_000n), { gasPrice })), [10]);
  assert.deepEqual(passes(ask(market(420_001n), { gasPrice })), [11, 12]);
});

test('a longer path of an exact output must save more than its gas, priced in the input token', () => {
  const gasPrice = { weiPerGas: 7n, wrappedNative: A };
  const market = (saved: bigint) => [
    asking(10, [A, B], 2n * BILLION),
    asking(11, [A, C], 2n * BILLION - saved),
    asking(12, [C, B], BILLION),
  ];
  const exactOut = { tradeType: 'EXACT_OUT' } as const;
  assert.deepEqual(passes(ask(market(1n), exactOut)), [11, 12]);
  assert.deepEqual(passes(ask(market(420_000n), { ...exactOut, gasPrice })), [10]);
  assert.deepEqual(passes(ask(market(420_001n), { ...exactOut, gasPrice })), [11, 12]);
});

test('amounts alone decide where gas has no price in the compared token', () => {
  const gasPrice = { weiPerGas: 10n ** 30n, wrappedNative: addressOf(77) };
  const pools = [paying(10, [A, B], 500n), paying(11, [A, C], BILLION), paying(12, [C, B], 501n)];
  assert.deepEqual(passes(ask(pools, { gasPrice })), [11, 12]);
});

test('of paths with equal amounts the one with less gas is taken', () => {
  const pools = [paying(10, [A, C], BILLION), paying(11, [C, B], 500n), paying(12, [A, B], 500n)];
  assert.deepEqual(passes(ask(pools)), [12]);
  const exactOut = { tradeType: 'EXACT_OUT' } as const;
  const back = [asking(10, [A, C], 500n), asking(11, [C, B], BILLION), asking(12, [A, B], 500n)];
  assert.deepEqual(passes(ask(back, exactOut)), [12]);
});

test('legs lead from the input to the output, and gas counts the transaction and every hop', () => {
  const pools = [paying(10, [A, C], BILLION), paying(11, [C, B], 500n)];
  const quote = answer(ask(pools));
  const legs = [
    { pool: pools[0], tokenIn: A, tokenOut: C, amountIn: BILLION, amountOut: BILLION },
    { pool: pools[1], tokenIn: C, tokenOut: B, amountIn: BILLION, amountOut: 500n },
  ];
  assert.deepEqual(quote.legs, legs);
  assert.deepEqual(quote.paths, [{ legs, amountIn: BILLION, amountOut: 500n }]);
  assert.deepEqual([quote.amountIn, quote.amountOut, quote.surplus], [BILLION, 500n, 0n]);
  assert.equal(quote.gas.units, 170_000n);
});

test('over V3 pools, an exact output is exact at every pool', () => {
  const [first, second] = [v3(10, [A, C], ETHER), v3(11, [B, C], ETHER)];
  const asked = { tokenIn: C, tradeType: 'EXACT_OUT', amount: BILLION } as const;
  const last = replaySwap(second, asked);
  const start = last && replaySwap(first, { ...asked, tokenIn: A, amount: last.amountIn });
  assert.ok(last !== undefined && start !== undefined);
  const quote = answer(ask([first, second], { tradeType: 'EXACT_OUT' }));
  assert.deepEqual(quote.legs, [
    { pool: first, tokenIn: A, tokenOut: C, amountIn: start.amountIn, amountOut: last.amountIn },
    { pool: second, tokenIn: C, tokenOut: B, amountIn: last.amountIn, amountOut: BILLION },
  ]);
  assert.deepEqual([quote.amountIn, quote.amountOut, quote.surplus], [start.amountIn, BILLION, 0n]);
});

test('a V3 pool pays exactly the output asked, even where its input would buy more', () => {
  // One unit of A is worth about a hundred of B; two are asked for because of the fee.
  const tick = 46_054;
  const pool = { ...v3(10, [A, B], ETHER), sqrtPriceX96: sqrtPriceAtTick(tick), tick };
  const quote = answer(ask([pool], { amount: 5n, tradeType: 'EXACT_OUT' }));
  assert.deepEqual([quote.amountIn, quote.amountOut, quote.surplus], [2n, 5n, 0n]);
  assert.equal(answer(ask([pool], { amount: 2n })).amountOut, 99n);
});

test('an exact output over pairs is swapped forward, and what it pays on top is surplus', () => {
  // 1 of A is worth 100 of C and 10,000 of B: one unit buys 99 of C, and they buy 9899 of B.
  const pools = [v2(10, [A, C], 100n, 10_000n), v2(11, [C, B], 10_000n, 1_000_000n)];
  const quote = answer(ask(pools, { amount: 200n, tradeType: 'EXACT_OUT' }));
  const between = 10_000n / 101n;
  const received = (between * 1_000_000n) / (10_000n + between);
  assert.deepEqual(
    quote.legs.map(({ amountIn, amountOut }) => [amountIn, amountOut]),
    [
      [1n, between],
      [between, received],
    ],
  );
  assert.deepEqual([quote.amountIn, quote.amountOut, quote.surplus], [1n, 200n, received - 200n]);
});

test('a path whose surplus would overflow a later reserve gives way to the next best path', () => {
  const overflowing = [v2(10, [A, C], 100n, 10_000n), v2(11, [C, B], MAX_RESERVE - 5n, MAX_RESERVE)];
  const exactOut = { amount: 3n, tradeType: 'EXACT_OUT' } as const;
  assert.equal(refusal(ask(overflowing, exactOut)), 'INSUFFICIENT_LIQUIDITY');
  const dearer = v2(12, [A, B], 100n, 10n);
  assert.deepEqual(passes(ask([...overflowing, dearer], exactOut)), [12]);
});
