/// <reference types="node" />
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressOf } from '../../test/marketArbitraries.ts';
import { sqrtPriceAtTick } from '../exact/tickMath.ts';
import { createMarket } from '../market/market.ts';
import type { Address, Amount, FeePips, Pool, QuoteRequest } from '../types.ts';
import { explainQuote, type Explanation, type PoolRefusal } from './explain.ts';
import { routerGas } from '../../test/routerGas.ts';

const [IN, OUT, MID, FAR] = [addressOf(1), addressOf(2), addressOf(3), addressOf(4)];
const UNIT = 10n ** 18n;

/** A V3 pool of two tokens with one position; its price is 1.0001 to the power of `tick`. */
function v3(
  id: number,
  tokens: readonly [Address, Address],
  liquidity: bigint,
  changes: Partial<Place> = {},
): Pool {
  const { tick, fee, range, source } = {
    tick: 0,
    fee: 500,
    range: [-887_270, 887_270],
    source: 'v3',
    ...changes,
  };
  const inRange = (range[0] ?? 0) <= tick && tick < (range[1] ?? 0);
  return {
    kind: 'UNISWAP_V3',
    address: addressOf(id),
    source,
    tokens,
    feePips: fee as FeePips,
    tickSpacing: 10,
    sqrtPriceX96: sqrtPriceAtTick(tick),
    tick,
    liquidity: inRange ? liquidity : 0n,
    ticks: { indexes: range, liquidityNet: [liquidity, -liquidity] },
  };
}

type Place = { tick: number; fee: number; range: number[]; source: string };

function v2(id: number, tokens: readonly [Address, Address], reserve0: bigint, reserve1: bigint): Pool {
  const identity = { address: addressOf(id), source: 'v2', tokens };
  return { ...identity, kind: 'UNISWAP_V2', feePips: 3000 as FeePips, reserve0, reserve1 };
}

type Asked = Partial<Omit<QuoteRequest, 'amount'>> & { readonly amount?: bigint };

function explain(pools: readonly Pool[], { amount = UNIT, ...asked }: Asked = {}): Explanation {
  return explainQuote(createMarket(pools), {
    tokenIn: IN,
    tokenOut: OUT,
    tradeType: 'EXACT_IN',
    amount: amount as Amount,
    maxHops: 3,
    maxSplits: 4,
    excludeSources: new Set(),
    gasPrice: { weiPerGas: 0n, wrappedNative: IN },
    venueGas: routerGas,
    ...asked,
  });
}

function refusalOf({ refused }: Explanation, id: number): PoolRefusal | undefined {
  return refused.find(({ pool }) => pool.address === addressOf(id))?.refusal;
}

/** Asserts that no refused pool would gain more than the gap to the bound. */
function assertWithinBound({ result, refused }: Explanation): void {
  assert.ok(result.ok && result.quote.optimality !== undefined);
  const { tradeType, amountIn, amountOut, optimality } = result.quote;
  const { upperBound } = optimality;
  const room = tradeType === 'EXACT_IN' ? upperBound - amountOut : amountIn - upperBound;
  for (const { refusal } of refused)
    if ('gain' in refusal) assert.ok(refusal.gain <= room, `${refusal.gain} > ${room}`);
}

const deep = v3(0x10, [IN, OUT], 10n ** 26n);

test('a used pool shows what it trades, its share, and its prices before and after the swap', () => {
  const { result, used } = explain([v2(0x10, [IN, OUT], 1000n * UNIT, 2000n * UNIT)], { amount: 10n * UNIT });
  assert.ok(result.ok);
  const [only] = used;
  assert.ok(only && used.length === 1);
  assert.deepEqual([only.tokenIn, only.tokenOut, only.shareBps], [IN, OUT, 10_000]);
  assert.deepEqual([only.amountIn, only.amountOut], [10n * UNIT, result.quote.amountOut]);
  assert.deepEqual(only.priceBefore, { numerator: 2000n * UNIT, denominator: 1000n * UNIT });
  assert.deepEqual(only.priceAfter, {
    numerator: 2000n * UNIT - result.quote.amountOut,
    denominator: 1010n * UNIT,
  });
});

test('a pool with a worse price is refused with the difference, to hundredths of a Bps', () => {
  const explanation = explain([
    deep,
    v3(0x11, [IN, OUT], 10n ** 26n, { tick: -100 }),
    v3(0x12, [IN, OUT], 10n ** 26n, { fee: 3000 }),
  ]);
  assert.deepEqual(refusalOf(explanation, 0x11), { reason: 'PRICE', worseByBps: 99.5 });
  assert.deepEqual(refusalOf(explanation, 0x12), { reason: 'PRICE', worseByBps: 25.01 });
  assert.deepEqual(
    explanation.refused.map(({ pool }) => pool.address),
    [addressOf(0x12), addressOf(0x11)],
    'the nearest first',
  );
});

test('a pool of two intermediate tokens is judged by the best path over it', () => {
  const explanation = explain([
    deep,
    v3(0x11, [IN, MID], 10n ** 26n, { fee: 100 }),
    v3(0x12, [OUT, MID], 10n ** 26n, { fee: 500 }),
  ]);
  const expected = { reason: 'PRICE', worseByBps: 1 };
  assert.deepEqual([refusalOf(explanation, 0x11), refusalOf(explanation, 0x12)], [expected, expected]);
});

test('a pool that gains less than its gas is refused, and is used where gas is free', () => {
  const pools = [
    v2(0x10, [IN, OUT], 1000n * UNIT, 1000n * UNIT),
    v2(0x11, [IN, OUT], 50n * UNIT, 50n * UNIT),
  ];
  const gasPrice = { weiPerGas: 10n ** 11n, wrappedNative: IN };
  const refusal = refusalOf(explain(pools, { gasPrice }), 0x11);
  assert.ok(refusal?.reason === 'GAS', JSON.stringify(refusal?.reason));
  // 60,000 units at 100 gwei are 0.006 of the native token; one of it is sold for 0.996 of the output.
  assert.equal(refusal.gasCost / 10n ** 12n, 5976n);
  assert.ok(refusal.gain > 0n && refusal.gain < refusal.gasCost);
  assert.equal(explain(pools).used.length, 2);
});

test('a pool that only one path more could use is refused because of the limit of paths', () => {
  const pools = [
    v2(0x10, [IN, OUT], 1000n * UNIT, 1000n * UNIT),
    v2(0x11, [IN, OUT], 900n * UNIT, 900n * UNIT),
  ];
  const asked = { amount: 10n * UNIT };
  const limited = explain(pools, { ...asked, maxSplits: 1 });
  const refusal = refusalOf(limited, 0x11);
  assert.ok(refusal?.reason === 'SPLITS', JSON.stringify(refusal?.reason));
  const split = explain(pools, asked);
  assert.ok(limited.result.ok && split.result.ok);
  const really = split.result.quote.amountOut - limited.result.quote.amountOut;
  assert.ok(refusal.gain <= really && refusal.gain > (really * 99n) / 100n, `${refusal.gain} of ${really}`);
});

test('a refusal tells apart excluded sources, pools without liquidity, and too long paths', () => {
  const pools = [
    deep,
    v2(0x11, [IN, OUT], UNIT, UNIT),
    v3(0x12, [IN, OUT], 10n ** 20n, { range: [100, 200] }),
    v3(0x13, [IN, OUT], 0n, { range: [] }),
    v3(0x14, [IN, MID], 10n ** 26n),
    v3(0x15, [OUT, MID], 10n ** 26n),
    v3(0x16, [MID, FAR], 10n ** 26n),
  ];
  const explanation = explain(pools, { maxHops: 1, excludeSources: new Set(['v2']) });
  const reasons = explanation.refused.map(({ pool, refusal }) => [Number(pool.address), refusal.reason]);
  assert.deepEqual(reasons, [
    [0x14, 'BEYOND_HOPS'],
    [0x15, 'BEYOND_HOPS'],
    [0x16, 'BEYOND_HOPS'],
    [0x12, 'NO_LIQUIDITY'],
    [0x13, 'NO_LIQUIDITY'],
    [0x11, 'EXCLUDED_SOURCE'],
  ]);
  assert.equal(explanation.notConsidered, 0);
});

test('an exact output is not bought over paths that mix versions', () => {
  const pools = [deep, v2(0x11, [IN, MID], 100n * UNIT, 120n * UNIT), v3(0x12, [OUT, MID], 10n ** 26n)];
  assert.ok(explain(pools).used.length > 1, 'a path over both pools pays');
  const explanation = explain(pools, { tradeType: 'EXACT_OUT' });
  const expected = { reason: 'MIXES_VERSIONS' };
  assert.deepEqual([refusalOf(explanation, 0x11), refusalOf(explanation, 0x12)], [expected, expected]);
});

test('the bound includes pools that are tiny beside the deepest pools of their tokens', () => {
  // The third pool pays twice as much as the second. It is large beside IN's shallow pool and tiny beside FAR's deep
  // ones.
  const pools = [
    v2(0x10, [IN, MID], 1000n * UNIT, 1000n * UNIT),
    v2(0x11, [MID, FAR], 3n * 10n ** 26n, 3n * 10n ** 26n),
    v2(0x12, [MID, FAR], 4n * UNIT, 8n * UNIT),
    v2(0x13, [OUT, FAR], 3n * 10n ** 26n, 3n * 10n ** 26n),
  ];
  const missed = explain(pools, { amount: 600n * UNIT });
  assert.equal(refusalOf(missed, 0x12)?.reason, 'NOT_FOUND');
  assertWithinBound(missed);
  const found = explain(pools, { amount: 600n * UNIT, maxSplits: 64 });
  assert.ok(found.used.some(({ pool }) => pool.address === addressOf(0x12)));
  assert.ok(found.result.ok && (found.result.quote.optimality?.gapBps ?? 1) < 0.1);
});

test('the bound includes what a few units bring over a pool with a stale price', () => {
  const pools = [
    v3(0x10, [IN, MID], 2n ** 36n, { fee: 100 }),
    v3(0x11, [OUT, MID], 2n ** 36n, { fee: 100 }),
    v2(0x12, [IN, FAR], 1n, 2n),
    v2(0x13, [MID, FAR], 11n, 1n),
    v2(0x14, [OUT, MID], 128n, 1n),
  ];
  const explanation = explain(pools, { tradeType: 'EXACT_OUT', amount: 2n ** 30n, maxSplits: 1 });
  assert.equal(refusalOf(explanation, 0x13)?.reason, 'SPLITS');
  assertWithinBound(explanation);
});

test('without a quote, pools are still refused with a reason', () => {
  const small = v2(0x11, [IN, OUT], UNIT, UNIT);
  const beyond = explain([small], { tradeType: 'EXACT_OUT', amount: 2n * UNIT });
  assert.deepEqual(beyond.result, { ok: false, refusal: { reason: 'INSUFFICIENT_LIQUIDITY' } });
  assert.deepEqual(refusalOf(beyond, 0x11), { reason: 'AMOUNT' });
  const unconnected = explain([small], { excludeSources: new Set(['v2']) });
  assert.deepEqual(unconnected.result, { ok: false, refusal: { reason: 'NO_ROUTE' } });
  assert.deepEqual(refusalOf(unconnected, 0x11), { reason: 'EXCLUDED_SOURCE' });
});

test('pools off every path worth searching are counted, not listed', () => {
  const elsewhere = Array.from({ length: 40 }, (_, index) =>
    v2(0x100 + index, [addressOf(0x50 + index), addressOf(0x51 + index)], UNIT, UNIT),
  );
  const { used, refused, notConsidered } = explain([deep, ...elsewhere]);
  assert.equal(used.length + refused.length + notConsidered, 41);
  assert.ok(notConsidered > 20);
});
