import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runs, seed } from '@fairway/testing/properties';
import fc from 'fast-check';
import { consistentMarkets } from '../../test/consistentMarkets.ts';
import { assertExecutes } from '../../test/executedQuote.ts';
import { addressOf, amounts, markets } from '../../test/marketArbitraries.ts';
import { createMarket } from '../market/market.ts';
import type { Amount, Pool, Quote, QuoteRequest, TradeType } from '../types.ts';
import { bestPathQuote } from './bestPath.ts';
import { quote } from './quote.ts';
import { routerGas } from '../../test/routerGas.ts';

type Asked = {
  readonly amount: bigint;
  readonly tradeType?: TradeType;
  readonly maxHops?: number;
  readonly maxSplits?: number;
  readonly weiPerGas?: bigint;
  readonly excluded?: string | undefined;
};

function request(asked: Asked): QuoteRequest {
  return {
    tokenIn: addressOf(1),
    tokenOut: addressOf(2),
    tradeType: asked.tradeType ?? 'EXACT_IN',
    amount: asked.amount as Amount,
    maxHops: asked.maxHops ?? 3,
    maxSplits: asked.maxSplits ?? 16,
    excludeSources: new Set(asked.excluded === undefined ? [] : [asked.excluded]),
    gasPrice: { weiPerGas: asked.weiPerGas ?? 0n, wrappedNative: addressOf(3) },
    venueGas: routerGas,
  };
}

function ask(pools: readonly Pool[], asked: Asked): Quote | undefined {
  const result = quote(createMarket(pools), request(asked));
  return result.ok ? result.quote : undefined;
}

/** Amounts between two powers of two, evenly spread over the powers. */
function ofBits(least: number, most: number): fc.Arbitrary<bigint> {
  return fc
    .tuple(fc.integer({ min: least, max: most }), fc.bigInt({ min: 0n, max: 2n ** 30n }))
    .map(([bits, part]) => (1n << BigInt(bits)) + ((part << BigInt(bits)) >> 30n));
}

const asked = fc.record({
  amount: fc.oneof(amounts(72), ofBits(40, 58), ofBits(50, 66), ofBits(50, 66)),
  tradeType: fc.constantFrom<TradeType>('EXACT_IN', 'EXACT_OUT'),
  maxHops: fc.integer({ min: 1, max: 3 }),
  maxSplits: fc.constantFrom(1, 2, 4, 16),
  weiPerGas: fc.constantFrom(0n, 0n, 1n, 10n ** 9n),
  excluded: fc.constantFrom(undefined, undefined, 'v2'),
});

/** The part of a value that is tolerated: some Bps, rounded up to a thousandth, and two units. */
function within(value: bigint, bps: number): bigint {
  return (value * BigInt(Math.ceil(bps * 1000))) / 10_000_000n + 2n;
}

function assertBounded(answer: Quote): void {
  const { optimality, tradeType } = answer;
  if (optimality === undefined) return;
  assert.ok(optimality.gapBps >= 0);
  if (tradeType === 'EXACT_IN') assert.ok(answer.amountOut <= optimality.upperBound, 'above its own bound');
  else assert.ok(answer.amountIn >= optimality.upperBound, 'below its own bound');
}

for (const [name, arbitrary, numRuns, leastSplits] of [
  ['priced alike', consistentMarkets('BOTH'), 1200, 20],
  ['with arbitrage in them', markets(['UNISWAP_V2', 'UNISWAP_V3']), 800, 1],
] as const) {
  test(`in markets ${name}, legs execute as quoted, within bound and limits`, () => {
    let splits = 0;
    const property = fc.property(arbitrary, asked, (pools, question) => {
      const answer = ask(pools, question);
      const single = bestPathQuote(createMarket(pools), request(question));
      assert.equal(answer !== undefined, single.ok || answer !== undefined, 'a route was missed');
      if (answer === undefined) return;
      if (answer.paths.length > 1) splits += 1;
      assertExecutes(pools, request(question), answer);
      assertBounded(answer);
      if (!single.ok || question.weiPerGas > 0n) return;
      const { amountIn, amountOut } = single.quote;
      if (question.tradeType === 'EXACT_IN')
        assert.ok(answer.amountOut + within(amountOut, 1) >= amountOut, `${answer.amountOut} < ${amountOut}`);
      else assert.ok(answer.amountIn <= amountIn + within(amountIn, 1), `${answer.amountIn} > ${amountIn}`);
    });
    fc.assert(property, { seed, numRuns: runs(numRuns) });
    assert.ok(
      splits >= (leastSplits * runs(numRuns)) / numRuns,
      `only ${splits} of ${runs(numRuns)} quotes were split`,
    );
  });
}

test('a large amount in a market without arbitrage comes within 0.1 Bps of its bound', () => {
  const amount = fc.bigInt({ min: 10n ** 12n, max: 10n ** 14n });
  const property = fc.property(consistentMarkets('BOTH'), amount, (pools, given) => {
    const answer = ask(pools, { amount: given, maxSplits: 64, maxHops: 8 });
    assert.ok(answer?.optimality !== undefined);
    // Rounding alone costs more than that where a unit of an intermediate token is worth a million units of the output.
    const units = answer.amountOut > 10n ** 11n ? 0.1 : 1e4;
    assert.ok(answer.optimality.gapBps <= units, `gap ${answer.optimality.gapBps}`);
  });
  fc.assert(property, { seed, numRuns: runs(300) });
});

test('an answer does not depend on what was asked before', () => {
  const trade = fc.tuple(consistentMarkets('BOTH'), asked);
  const property = fc.property(trade, trade, ([pools, question], [others, another]) => {
    const first = ask(pools, question);
    ask(others, another);
    assert.deepEqual(ask(pools, question), first);
  });
  fc.assert(property, { seed, numRuns: runs(300) });
});

test('more input never gives less output, within the gap to the bound', () => {
  const property = fc.property(consistentMarkets('BOTH'), amounts(60), amounts(60), (pools, one, other) => {
    const [less, more] = one < other ? [one, other] : [other, one];
    const [small, large] = [ask(pools, { amount: less }), ask(pools, { amount: more })];
    if (small === undefined || large?.optimality === undefined) return;
    const open = within(large.optimality.upperBound, large.optimality.gapBps);
    assert.ok(large.amountOut + open >= small.amountOut);
  });
  fc.assert(property, { seed, numRuns: runs(300) });
});

test('asking for the output of an input costs no more than it, within the gap to the bound', () => {
  const property = fc.property(consistentMarkets('V3'), amounts(60), (pools, amount) => {
    const forward = ask(pools, { amount });
    if (forward === undefined) return;
    const back = ask(pools, { amount: forward.amountOut, tradeType: 'EXACT_OUT' });
    assert.ok(back?.optimality !== undefined);
    assert.ok(back.optimality.upperBound <= amount, 'the bound excludes what was executed');
    assert.ok(back.amountIn <= amount + within(back.amountIn, back.optimality.gapBps));
  });
  fc.assert(property, { seed, numRuns: runs(300) });
});

test('a pool added never makes a quote worse, within the gap to the bound', () => {
  const property = fc.property(consistentMarkets('BOTH'), amounts(60), (pools, amount) => {
    const before = ask(pools.slice(0, -1), { amount });
    if (before === undefined) return;
    const after = ask(pools, { amount });
    assert.ok(after?.optimality !== undefined);
    assert.ok(after.optimality.upperBound >= before.amountOut, 'the bound excludes what was executed');
    assert.ok(after.amountOut + within(before.amountOut, after.optimality.gapBps) >= before.amountOut);
  });
  fc.assert(property, { seed, numRuns: runs(300) });
});

test('the answer depends on the pools alone, not on their order or on earlier pools', () => {
  const property = fc.property(consistentMarkets('BOTH'), asked, fc.nat(), (pools, question, pick) => {
    const expected = quote(createMarket(pools), request(question));
    assert.deepEqual(quote(createMarket(pools.toReversed()), request(question)), expected);
    const changed = pools.at(pick % pools.length);
    if (changed === undefined) return;
    const other: Pool =
      changed.kind === 'UNISWAP_V2'
        ? { ...changed, reserve0: changed.reserve0 * 7n + 1n }
        : { ...changed, liquidity: 0n, ticks: { indexes: [], liquidityNet: [] } };
    const grown = createMarket(pools.map((pool) => (pool === changed ? other : pool)));
    quote(grown, request(question));
    grown.put(changed);
    assert.deepEqual(quote(grown, request(question)), expected);
    grown.remove(changed.address);
    quote(grown, request(question));
    grown.put(changed);
    assert.deepEqual(quote(grown, request(question)), expected);
  });
  fc.assert(property, { seed, numRuns: runs(300) });
});
