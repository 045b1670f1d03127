import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertExecutes } from '../../test/executedQuote.ts';
import { addressOf } from '../../test/marketArbitraries.ts';
import { sqrtPriceAtTick } from '../exact/tickMath.ts';
import { createMarket } from '../market/market.ts';
import type {
  Address,
  Amount,
  FeePips,
  Pool,
  Quote,
  QuoteRequest,
  QuoteResult,
  TradeType,
} from '../types.ts';
import { quote } from './quote.ts';
import { routerGas } from '../../test/routerGas.ts';

const [A, B, C, D] = [1, 2, 3, 4].map(addressOf) as [Address, Address, Address, Address];

function v2(id: number, token0: Address, token1: Address, reserve0: bigint, reserve1: bigint): Pool {
  const identity = {
    address: addressOf(id),
    source: 'v2',
    tokens: [token0, token1] as const,
    feePips: 3000 as FeePips,
  };
  return { ...identity, kind: 'UNISWAP_V2', reserve0, reserve1 };
}

type Position = readonly [lower: number, upper: number, liquidity: bigint];

function v3(
  id: number,
  [token0, token1]: [Address, Address],
  tick: number,
  positions: readonly Position[],
  feePips = 500,
): Pool {
  const nets = new Map<number, bigint>();
  let liquidity = 0n;
  for (const [lower, upper, added] of positions) {
    nets.set(lower, (nets.get(lower) ?? 0n) + added);
    nets.set(upper, (nets.get(upper) ?? 0n) - added);
    if (lower <= tick && tick < upper) liquidity += added;
  }
  const indexes = [...nets.keys()].sort((a, b) => a - b);
  return {
    kind: 'UNISWAP_V3',
    address: addressOf(id),
    source: 'v3',
    tokens: [token0, token1],
    feePips: feePips as FeePips,
    tickSpacing: 10,
    sqrtPriceX96: sqrtPriceAtTick(tick),
    tick,
    liquidity,
    ticks: { indexes, liquidityNet: indexes.map((index) => nets.get(index) ?? 0n) },
  };
}

function requestOf(amount: bigint, tradeType: TradeType = 'EXACT_IN'): QuoteRequest {
  return {
    tokenIn: A,
    tokenOut: B,
    tradeType,
    amount: amount as Amount,
    maxHops: 3,
    maxSplits: 16,
    excludeSources: new Set(),
    gasPrice: { weiPerGas: 0n, wrappedNative: A },
    venueGas: routerGas,
  };
}

/** Asks, and compares the answer with an independent execution and with its own bound. */
function answer(pools: readonly Pool[], amount: bigint, tradeType: TradeType = 'EXACT_IN'): Quote {
  const request = requestOf(amount, tradeType);
  const result: QuoteResult = quote(createMarket(pools), request);
  assert.ok(result.ok, result.ok ? '' : result.refusal.reason);
  assertExecutes(pools, request, result.quote);
  const { optimality, amountIn, amountOut } = result.quote;
  if (tradeType === 'EXACT_IN') assert.ok(amountOut <= (optimality?.upperBound ?? 0n));
  else assert.ok(amountIn >= (optimality?.upperBound ?? -1n));
  return result.quote;
}

const ETHER = 10n ** 18n;
const DEEP = v2(0x10, A, B, 1000n * ETHER, 1000n * ETHER);

test('a one-sided position is used in the direction it can pay, and not in the other', () => {
  // Liquidity above the price alone: only token0 is for sale.
  const sellsToken0 = v3(0x11, [A, B], 0, [[10, 2000, 10_000n * ETHER]]);
  const forward = answer([DEEP, sellsToken0], 100n * ETHER);
  assert.deepEqual(
    forward.legs.map(({ pool }) => pool.address),
    [DEEP.address],
  );
  const sellsToken1 = v3(0x11, [A, B], 0, [[-2000, -10, 10_000n * ETHER]]);
  const both = answer([DEEP, sellsToken1], 100n * ETHER);
  assert.equal(both.legs.length, 2);
  assert.ok((both.optimality?.gapBps ?? 1) <= 0.01);
});

test('one-sided dust pools with an absurd price do not make a quote worse', () => {
  const dust = Array.from({ length: 30 }, (_, index) =>
    v3(0x100 + index, [A, B], 400_000, [[399_000, 399_990, 1n + BigInt(index)]], 3000),
  );
  const clean = answer([DEEP], 10n * ETHER);
  const dirty = answer([DEEP, ...dust], 10n * ETHER);
  assert.ok(dirty.amountOut >= clean.amountOut);
});

test('thin liquidity behind a deep range is sold, and counts in the bound', () => {
  // One step below tick 10 ends a range that is 10^16 times as deep as the one above it.
  const deepBelow: Position[] = [
    [0, 10, 2n ** 70n],
    [0, 2560, 100_000n],
  ];
  const edge = { ...v3(0x10, [B, D], 9, deepBelow, 100), sqrtPriceX96: sqrtPriceAtTick(10) - 1n };
  const toD = v2(0x11, A, D, 1000n, 64_000n);
  const alone = answer([edge, toD], 3n);
  const beside = answer([edge, toD, v2(0x12, B, D, 2n, 1n)], 3n);
  assert.ok(alone.amountOut > 100n);
  assert.equal(beside.amountOut, alone.amountOut);
});

test('a pool with its tokens read the wrong way round does not break a quote', () => {
  const right = v2(0x10, A, B, 1000n * ETHER, 3000n * 10n ** 6n);
  const swapped = v2(0x11, A, B, 3000n * 10n ** 6n, 1000n * ETHER);
  for (const tradeType of ['EXACT_IN', 'EXACT_OUT'] as const) answer([right, swapped], 10n ** 6n, tradeType);
});

test('a pool whose decimals are read wrong does not break amounts or the bound', () => {
  const pools = [
    v2(0x10, A, C, 1000n * ETHER, 3000n * 10n ** 6n),
    v2(0x11, A, C, 1000n * ETHER, 3000n * 10n ** 18n),
    v2(0x12, B, C, 1000n * ETHER, 3000n * 10n ** 6n),
  ];
  for (const tradeType of ['EXACT_IN', 'EXACT_OUT'] as const) answer(pools, ETHER, tradeType);
});

test('a pool that keeps the whole input as its fee is never used', () => {
  const greedy = v3(0x11, [A, B], 0, [[-1000, 1000, 10n ** 9n * ETHER]], 999_999);
  const given = answer([DEEP, greedy], ETHER);
  assert.deepEqual(
    given.legs.map(({ pool }) => pool.address),
    [DEEP.address],
  );
});

test('the pool of a fee-on-transfer token is quoted like any other pool', () => {
  // The engine sees reserves alone; such tokens are refused where tokens are listed, and by simulation.
  const given = answer([v2(0x10, A, C, ETHER, ETHER), v2(0x11, B, C, ETHER, ETHER)], 10n ** 15n);
  assert.equal(given.legs.length, 2);
});

test('reserves at the end of their range do not overflow, also beside small pools', () => {
  const MAX = 2n ** 112n - 1n;
  const pools = [
    v2(0x10, A, B, MAX / 2n, MAX / 2n),
    v2(0x11, A, C, 10n, MAX),
    v2(0x12, B, C, MAX, 10n),
    DEEP,
  ];
  for (const amount of [1000n, ETHER, 2n ** 100n])
    for (const tradeType of ['EXACT_IN', 'EXACT_OUT'] as const) answer(pools, amount, tradeType);
});

test('pools whose prices differ by exactly their fee share an amount without circles', () => {
  // The second pool's price after its fee is the first's before: 1.003 and its inverse.
  const edge = v2(0x11, A, B, 1000n * ETHER, 997n * ETHER);
  const twin = v2(0x12, A, B, 997n * ETHER, 1000n * ETHER);
  for (const amount of [10n ** 9n, ETHER, 100n * ETHER]) {
    const given = answer([DEEP, edge, twin], amount);
    assert.ok((given.optimality?.gapBps ?? 1) <= (amount > 10n ** 12n ? 0.01 : 1));
  }
});

test('equal pools share an amount equally', () => {
  const given = answer([DEEP, { ...DEEP, address: addressOf(0x11) }], 10n * ETHER);
  const [first, second] = given.legs.map((leg) => leg.amountIn);
  assert.ok(first !== undefined && second !== undefined);
  assert.ok(first - second < 10n ** 12n && second - first < 10n ** 12n);
});

test('an arbitrage circle beside the route is never traded all the way round', () => {
  const circle = [
    v2(0x11, A, C, 100n * ETHER, 100n * ETHER),
    v2(0x12, C, D, 100n * ETHER, 130n * ETHER),
    v2(0x13, B, D, 100n * ETHER, 100n * ETHER),
    v2(0x14, A, D, 100n * ETHER, 90n * ETHER),
  ];
  for (const tradeType of ['EXACT_IN', 'EXACT_OUT'] as const)
    answer([DEEP, ...circle], 5n * ETHER, tradeType);
});

test('kept candidate pools are dropped when liquidity moves, appears or vanishes', () => {
  // Fifteen pools between the two tokens, each deeper than the one before.
  const ranked = Array.from({ length: 15 }, (_, index) => {
    const reserve = (10n + BigInt(index) * 10n) * ETHER;
    return v2(0x20 + index, A, B, reserve, reserve);
  });
  const market = createMarket(ranked);
  const request = requestOf(50n * ETHER);
  const steps: (() => void)[] = [
    () => market.put(v2(0x20, A, B, 10_000n * ETHER, 10_000n * ETHER)),
    () => market.put(v2(0x2e, A, B, ETHER, ETHER)),
    () => market.put(v2(0x50, A, B, 50_000n * ETHER, 50_000n * ETHER)),
    () => market.remove(addressOf(0x50)),
    () => market.put(v2(0x51, A, C, 90_000n * ETHER, 90_000n * ETHER)),
    () => market.put(v2(0x52, B, C, 90_000n * ETHER, 90_000n * ETHER)),
    () => market.put(v2(0x52, B, C, 91_000n * ETHER, 90_500n * ETHER)),
    () => market.remove(addressOf(0x51)),
  ];
  quote(market, request);
  for (const step of steps) {
    step();
    assert.deepEqual(quote(market, request), quote(createMarket(market.pools()), request));
  }
});
