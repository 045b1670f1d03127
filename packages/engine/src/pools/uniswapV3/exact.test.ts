/// <reference types="node" />
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { paying, selling } from '../../../test/hops.ts';
import { addressOf } from '../../../test/marketArbitraries.ts';
import { MAX_SQRT_PRICE, MIN_SQRT_PRICE, sqrtPriceAtTick } from '../../exact/tickMath.ts';
import { replaySwap } from './replay.ts';
import { type FeePips, toAddress, type TradeType, type V3Pool } from '../../types.ts';
import { exactInput, exactOutput, poolAfter } from '../poolSwap.ts';

const TOKEN0 = addressOf(1);
const TOKEN1 = addressOf(2);

/** A pool at price 1 with liquidity 1e18 from tick -600 to 600 and spacing 1: wide enough to pass word edges. */
const POOL: V3Pool = {
  kind: 'UNISWAP_V3',
  address: addressOf(9),
  source: 'v3',
  tokens: [TOKEN0, TOKEN1],
  feePips: 500 as FeePips,
  tickSpacing: 1,
  sqrtPriceX96: sqrtPriceAtTick(0),
  tick: 0,
  liquidity: 10n ** 18n,
  ticks: { indexes: [-600, 600], liquidityNet: [10n ** 18n, -(10n ** 18n)] },
};

test('a step ends at every edge of a bitmap word, in both directions', () => {
  const left = replaySwap(POOL, { tokenIn: TOKEN0, tradeType: 'EXACT_OUT', amount: 2n * 10n ** 16n });
  assert.deepEqual(
    left?.steps.slice(0, 2).map((step) => step.price),
    [sqrtPriceAtTick(0), sqrtPriceAtTick(-256)],
  );
  const right = replaySwap(POOL, { tokenIn: TOKEN1, tradeType: 'EXACT_OUT', amount: 2n * 10n ** 16n });
  assert.equal(right?.steps[0]?.price, sqrtPriceAtTick(255));
});

test('the quote includes the units that rounding at word edges changes', () => {
  const amount = 2n * 10n ** 16n;
  const wide: V3Pool = {
    ...POOL,
    tickSpacing: 60,
    ticks: { ...POOL.ticks, indexes: [-600, 600] },
  };
  const narrow = replaySwap(POOL, { tokenIn: TOKEN0, tradeType: 'EXACT_IN', amount });
  const oneStep = replaySwap(wide, { tokenIn: TOKEN0, tradeType: 'EXACT_IN', amount });
  assert.notEqual(narrow?.amountOut, oneStep?.amountOut);
  assert.equal(exactInput(selling(POOL, TOKEN0), amount), narrow?.amountOut);
  assert.equal(exactInput(selling(wide, TOKEN0), amount), oneStep?.amountOut);
});

test('an input beyond the depth is refused, not partly filled', () => {
  const replay = replaySwap(POOL, { tokenIn: TOKEN0, tradeType: 'EXACT_IN', amount: 10n ** 18n });
  assert.ok(replay !== undefined && replay.amountLeft > 0n && replay.amountOut > 0n);
  assert.equal(replay.pool.sqrtPriceX96, MIN_SQRT_PRICE + 1n);
  assert.equal(exactInput(selling(POOL, TOKEN0), 10n ** 18n), undefined);
  assert.equal(exactInput(selling(POOL, TOKEN0), replay.amountIn), replay.amountOut);
  assert.equal(exactInput(selling(POOL, TOKEN0), replay.amountIn + 1n), undefined);
  assert.equal(exactOutput(paying(POOL, TOKEN1), replay.amountOut + 1n), undefined);
});

test('an input too small to buy one unit buys nothing', () => {
  assert.equal(exactInput(selling(POOL, TOKEN0), 1n), 0n);
});

test('a pool at its price limit, without a price, or without liquidity serves nothing', () => {
  const atFloor = { ...POOL, sqrtPriceX96: MIN_SQRT_PRICE + 1n, tick: -887272 };
  const atCeiling = { ...POOL, sqrtPriceX96: MAX_SQRT_PRICE - 1n, tick: 887271 };
  const unpriced = { ...POOL, sqrtPriceX96: 0n };
  const empty = { ...POOL, liquidity: 0n, ticks: { indexes: [], liquidityNet: [] } };
  assert.equal(replaySwap(atFloor, { tokenIn: TOKEN0, tradeType: 'EXACT_IN', amount: 1n }), undefined);
  assert.equal(exactInput(selling(atFloor, TOKEN0), 1n), undefined);
  assert.equal(replaySwap(atCeiling, { tokenIn: TOKEN1, tradeType: 'EXACT_IN', amount: 1n }), undefined);
  assert.equal(exactInput(selling(atCeiling, TOKEN1), 1n), undefined);
  for (const tokenIn of [TOKEN0, TOKEN1]) {
    assert.equal(exactInput(selling(unpriced, tokenIn), 1000n), undefined);
    assert.equal(replaySwap(unpriced, { tokenIn, tradeType: 'EXACT_IN', amount: 1000n }), undefined);
    assert.equal(exactInput(selling(empty, tokenIn), 1000n), undefined);
    assert.equal(exactOutput(paying(empty, tokenIn), 1000n), undefined);
  }
});

test('a swap passes a gap without liquidity to reach a one-sided position', () => {
  const oneSided: V3Pool = {
    ...POOL,
    liquidity: 0n,
    ticks: { indexes: [5000, 5100], liquidityNet: [10n ** 18n, -(10n ** 18n)] },
  };
  const swap = { tokenIn: TOKEN1, tradeType: 'EXACT_IN', amount: 10n ** 15n } as const;
  const replay = replaySwap(oneSided, swap);
  assert.equal(replay?.amountLeft, 0n);
  assert.equal(exactInput(selling(oneSided, TOKEN1), swap.amount), replay?.amountOut);
  assert.equal(exactInput(selling(oneSided, TOKEN0), swap.amount), undefined);
});

test('a changed pool is quoted from its own state, and the old value from the old state', () => {
  const before = exactInput(selling(POOL, TOKEN0), 10n ** 15n);
  const replay = replaySwap(POOL, { tokenIn: TOKEN0, tradeType: 'EXACT_IN', amount: 10n ** 15n });
  assert.ok(replay !== undefined);
  const after = exactInput(selling(replay.pool, TOKEN0), 10n ** 15n);
  assert.ok(before !== undefined && after !== undefined && after < before);
  assert.equal(exactInput(selling(POOL, TOKEN0), 10n ** 15n), before);
});

test('a swap that does not move the price keeps the tick, also one below that of the price', () => {
  // The state after a leftward swap that ended on the initialised tick -600.
  const crossed = { ...POOL, sqrtPriceX96: sqrtPriceAtTick(-600), tick: -601 };
  const swap = { tokenIn: TOKEN0, tradeType: 'EXACT_IN', amount: 1n } as const;
  // One unit is all fee.
  assert.deepEqual(replaySwap(crossed, swap)?.pool, crossed);
  assert.deepEqual(poolAfter(selling(crossed, TOKEN0), { ...swap, amountIn: 1n, amountOut: 0n }), crossed);
});

test('the largest amount that fits the contract’s int256 takes all that the pool holds', () => {
  const replay = replaySwap(POOL, { tokenIn: TOKEN0, tradeType: 'EXACT_IN', amount: 2n ** 255n - 1n });
  assert.equal(replay?.pool.sqrtPriceX96, MIN_SQRT_PRICE + 1n);
});

/** The amount of each step's end on the exact side, and the units around it. */
function aroundStepEnds(pool: V3Pool, zeroForOne: boolean, tradeType: TradeType): bigint[] {
  const tokenIn = zeroForOne ? TOKEN0 : TOKEN1;
  const whole = replaySwap(pool, { tokenIn, tradeType, amount: 2n ** 250n });
  let total = 0n;
  return (whole?.steps ?? []).flatMap((step) => {
    total += tradeType === 'EXACT_IN' ? step.amountIn + step.feeAmount : step.amountOut;
    return [total - 2n, total - 1n, total, total + 1n, total + 2n].filter((amount) => amount > 0n);
  });
}

/** Asks for amounts around the end of every step, and compares amounts and the state afterwards with the contract's. */
function compareAroundStepEnds(pool: V3Pool): number {
  let served = 0;
  for (const zeroForOne of [true, false]) {
    for (const tradeType of ['EXACT_IN', 'EXACT_OUT'] as const) {
      const [tokenIn, tokenOut] = zeroForOne ? [TOKEN0, TOKEN1] : [TOKEN1, TOKEN0];
      for (const amount of aroundStepEnds(pool, zeroForOne, tradeType)) {
        const replay = replaySwap(pool, { tokenIn, tradeType, amount });
        const given = replay?.amountLeft === 0n ? replay : undefined;
        if (tradeType === 'EXACT_IN')
          assert.equal(exactInput(selling(pool, tokenIn), amount), given?.amountOut);
        else assert.equal(exactOutput(paying(pool, tokenOut), amount), given?.amountIn);
        if (given === undefined) continue;
        const { amountIn, amountOut } = given;
        assert.deepEqual(poolAfter(selling(pool, tokenIn), { tradeType, amountIn, amountOut }), given.pool);
        served += 1;
      }
    }
  }
  return served;
}

/** Overlapping positions around price 1, with a gap on the left and liquidity to both ends of all prices. */
function poolOfEveryKind(unit: bigint, tickSpacing: number): V3Pool {
  const end = Math.floor(887272 / tickSpacing) * tickSpacing;
  const positions = [
    [-end, -4 * tickSpacing],
    [-2 * tickSpacing, 2 * tickSpacing],
    [-tickSpacing, 300 * tickSpacing],
    [300 * tickSpacing, end],
  ] as const;
  const nets = new Map<number, bigint>();
  for (const [lower, upper] of positions) {
    nets.set(lower, (nets.get(lower) ?? 0n) + unit);
    nets.set(upper, (nets.get(upper) ?? 0n) - unit);
  }
  const indexes = [...nets.keys()].filter((tick) => nets.get(tick) !== 0n).sort((a, b) => a - b);
  const ticks = { indexes, liquidityNet: indexes.map((tick) => nets.get(tick) ?? 0n) };
  return { ...POOL, tickSpacing, liquidity: 2n * unit, ticks };
}

test('around the ends of steps, amounts and the state after the swap equal the contract’s', () => {
  // With liquidity 2^70 one unit of output moves the price by many units. With 2^110 one unit of price takes
  // many units of output. An output short of a whole step may move the price to the step's end.
  for (const unit of [2n ** 70n, 2n ** 110n]) {
    const pool = poolOfEveryKind(unit, 1000);
    assert.ok(compareAroundStepEnds(pool) > 100);
    const left = replaySwap(pool, { tokenIn: TOKEN0, tradeType: 'EXACT_OUT', amount: unit / 1000n });
    assert.ok(left !== undefined && compareAroundStepEnds(left.pool) > 100);
  }
});

test('a pool serves swaps down to the lowest and up to the highest price', () => {
  for (const liquidity of [1000n, 10n ** 18n, 2n ** 110n]) {
    const ticks = { indexes: [-887272, 887272], liquidityNet: [liquidity, -liquidity] };
    // The highest tick is eight times this spacing.
    const pool = { ...POOL, tickSpacing: 110909, liquidity, ticks };
    assert.ok(compareAroundStepEnds({ ...pool, sqrtPriceX96: sqrtPriceAtTick(-887000), tick: -887000 }) > 0);
    assert.ok(compareAroundStepEnds({ ...pool, sqrtPriceX96: sqrtPriceAtTick(887000), tick: 887000 }) > 0);
    const lowest = { ...pool, sqrtPriceX96: MIN_SQRT_PRICE, tick: -887272 };
    const swap = { tokenIn: TOKEN1, tradeType: 'EXACT_IN', amount: 10n ** 6n } as const;
    assert.equal(exactInput(selling(lowest, TOKEN1), swap.amount), replaySwap(lowest, swap)?.amountOut);
  }
});

test('a pool with liquidity but without initialised ticks is quoted from word edge to word edge', () => {
  assert.ok(
    compareAroundStepEnds({ ...POOL, tickSpacing: 1000, ticks: { indexes: [], liquidityNet: [] } }) > 0,
  );
});

test('amounts that do not fit the contract’s int256 are refused, however deep the pool', () => {
  // No real pool is so deep: its liquidity has 128 bits.
  const liquidity = 2n ** 300n;
  const deep = { ...POOL, liquidity, ticks: { ...POOL.ticks, liquidityNet: [liquidity, -liquidity] } };
  const largest = 2n ** 255n - 1n;
  assert.notEqual(exactInput(selling(deep, TOKEN0), largest), undefined);
  assert.notEqual(exactOutput(paying(deep, TOKEN1), largest), undefined);
  for (const tooLarge of [largest + 1n, largest + 2n]) {
    assert.equal(exactInput(selling(deep, TOKEN0), tooLarge), undefined);
    assert.equal(exactOutput(paying(deep, TOKEN1), tooLarge), undefined);
  }
});

test('a token that the pool does not trade and amounts that are not positive are refused', () => {
  const stranger = toAddress(`0x${'9'.repeat(40)}`);
  assert.equal(exactInput(selling(POOL, stranger), 1000n), undefined);
  assert.equal(exactOutput(paying(POOL, stranger), 1000n), undefined);
  assert.equal(replaySwap(POOL, { tokenIn: stranger, tradeType: 'EXACT_IN', amount: 1000n }), undefined);
  for (const amount of [0n, -1n, 2n ** 255n]) {
    assert.equal(exactInput(selling(POOL, TOKEN0), amount), undefined);
    assert.equal(exactOutput(paying(POOL, TOKEN1), amount), undefined);
    assert.equal(replaySwap(POOL, { tokenIn: TOKEN0, tradeType: 'EXACT_IN', amount }), undefined);
  }
});
