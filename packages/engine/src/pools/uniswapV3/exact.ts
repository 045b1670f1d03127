import type { TickTable, V3Pool } from '../../types.ts';
import type { MadeSwap, PoolOutcome } from '../../exact/outcome.ts';
import {
  amount0Between,
  amount0BetweenRoundingUp,
  amount1Between,
  amount1BetweenRoundingUp,
  priceAfterToken0In,
  priceAfterToken0Out,
  priceAfterToken1In,
  priceAfterToken1Out,
} from '../../exact/sqrtPriceMath.ts';
import { feeOnTop, fullStep, lessFee } from '../../exact/swapMath.ts';
import { wordCeilingTick, wordFloorTick } from '../../exact/tickBitmap.ts';
import {
  MAX_SQRT_PRICE,
  MAX_TICK,
  MIN_SQRT_PRICE,
  MIN_TICK,
  sqrtPriceAtTick,
  tickAtSqrtPrice,
} from '../../exact/tickMath.ts';
import { replaySwap } from './replay.ts';

const MAX_INT256 = 2n ** 255n - 1n;

/**
 * The full steps of a swap in one direction, in order. A step is full if the amount that remains is at least the
 * step's whole amount. Full steps do not depend on the amount swapped, so one table serves every amount. Index i of
 * each column belongs to step i.
 */
type StepTable = {
  readonly prices: bigint[];
  readonly ends: bigint[];
  readonly liquidities: bigint[];
  /** Input including fees after the step. Never falls. */
  readonly totalIn: bigint[];
  /** Output after the step. Never falls. */
  readonly totalOut: bigint[];
  /** Initialised ticks crossed before the step. */
  readonly crossed: number[];
  /** Where the table continues when a swap needs more than it holds. */
  readonly cursor: Cursor;
};

type Cursor = {
  price: bigint;
  tick: number;
  liquidity: bigint;
  /** The next initialised tick in the swap's direction, as an index into the pool's table. */
  tickIndex: number;
  crossed: number;
  exhausted: boolean;
};

type Tables = { toToken1: StepTable | undefined; toToken0: StepTable | undefined };

const tablesByPool = new WeakMap<V3Pool, Tables>();

/**
 * What a pool pays for an exact input, equal to the contract's swap to the wei; 0 where the input buys nothing.
 * Undefined where the pool cannot take all of it. Logarithmic in the ticks once the pool's table is warm.
 */
export function v3ExactInput(pool: V3Pool, zeroForOne: boolean, amountIn: bigint): PoolOutcome | undefined {
  if (amountIn <= 0n || amountIn > MAX_INT256) return undefined;
  const table = tableOf(pool, zeroForOne);
  const step = stepThatReaches(table, table.totalIn, pool, zeroForOne, amountIn);
  if (step === undefined) return undefined;
  const crossed = table.crossed[step] ?? 0;
  const reached = table.totalIn[step];
  if (reached === amountIn) return { amount: table.totalOut[step] ?? 0n, crossed };
  const inBefore = table.totalIn[step - 1] ?? 0n;
  const outBefore = table.totalOut[step - 1] ?? 0n;
  const price = table.prices[step] ?? 0n;
  const liquidity = table.liquidities[step] ?? 0n;
  const tradable = lessFee(amountIn - inBefore, BigInt(pool.feePips));
  const out = zeroForOne
    ? amount1Between(priceAfterToken0In(price, liquidity, tradable), price, liquidity)
    : amount0Between(price, priceAfterToken1In(price, liquidity, tradable), liquidity);
  return { amount: outBefore + out, crossed };
}

/**
 * The input, fee included, for which a pool pays exactly an output, equal to the contract's swap to the wei.
 * Undefined where the pool does not hold that much in the direction's reach.
 */
export function v3ExactOutput(pool: V3Pool, zeroForOne: boolean, amountOut: bigint): PoolOutcome | undefined {
  if (amountOut <= 0n || amountOut > MAX_INT256) return undefined;
  const table = tableOf(pool, zeroForOne);
  const step = stepThatReaches(table, table.totalOut, pool, zeroForOne, amountOut);
  if (step === undefined) return undefined;
  const crossed = table.crossed[step] ?? 0;
  if (table.totalOut[step] === amountOut) return { amount: table.totalIn[step] ?? 0n, crossed };
  const inBefore = table.totalIn[step - 1] ?? 0n;
  const outBefore = table.totalOut[step - 1] ?? 0n;
  const price = table.prices[step] ?? 0n;
  const liquidity = table.liquidities[step] ?? 0n;
  const wanted = amountOut - outBefore;
  const paid = zeroForOne
    ? amount0BetweenRoundingUp(priceAfterToken1Out(price, liquidity, wanted), price, liquidity)
    : amount1BetweenRoundingUp(price, priceAfterToken0Out(price, liquidity, wanted), liquidity);
  return { amount: inBefore + paid + feeOnTop(paid, BigInt(pool.feePips)), crossed };
}

/**
 * The pool after a swap that it could serve. A swap that ends inside a stretch changes the price, its tick and
 * the liquidity in range. A swap that ends at an edge of the stretch is replayed. There the contract may
 * cross a tick, or set a tick one below that of the price.
 */
export function v3After(pool: V3Pool, zeroForOne: boolean, swap: MadeSwap): V3Pool {
  const exactIn = swap.tradeType === 'EXACT_IN';
  const amount = exactIn ? swap.amountIn : swap.amountOut;
  const table = tableOf(pool, zeroForOne);
  const totals = exactIn ? table.totalIn : table.totalOut;
  const step = stepThatReaches(table, totals, pool, zeroForOne, amount);
  if (step !== undefined && totals[step] !== amount) {
    const liquidity = table.liquidities[step] ?? 0n;
    const start = table.prices[step] ?? 0n;
    const part = amount - (totals[step - 1] ?? 0n);
    const price = exactIn
      ? priceAfterInput(start, liquidity, lessFee(part, BigInt(pool.feePips)), zeroForOne)
      : priceAfterOutput(start, liquidity, part, zeroForOne);
    if (price !== start && price !== table.ends[step])
      return { ...pool, sqrtPriceX96: price, tick: tickAtSqrtPrice(price), liquidity };
  }
  const replayed = replaySwap(pool, {
    tokenIn: pool.tokens[zeroForOne ? 0 : 1],
    tradeType: swap.tradeType,
    amount,
  });
  return replayed?.pool ?? pool;
}

function priceAfterInput(price: bigint, liquidity: bigint, tradable: bigint, zeroForOne: boolean): bigint {
  return (zeroForOne ? priceAfterToken0In : priceAfterToken1In)(price, liquidity, tradable);
}

function priceAfterOutput(price: bigint, liquidity: bigint, amount: bigint, zeroForOne: boolean): bigint {
  return (zeroForOne ? priceAfterToken1Out : priceAfterToken0Out)(price, liquidity, amount);
}

/** Tables are kept by pool value: an updated pool is a new value and has no tables yet. */
function tableOf(pool: V3Pool, zeroForOne: boolean): StepTable {
  let tables = tablesByPool.get(pool);
  if (tables === undefined) {
    tables = { toToken1: undefined, toToken0: undefined };
    tablesByPool.set(pool, tables);
  }
  if (zeroForOne) {
    tables.toToken1 ??= createTable(pool, lastAtOrBelow(pool.ticks, pool.tick));
    return tables.toToken1;
  }
  tables.toToken0 ??= createTable(pool, lastAtOrBelow(pool.ticks, pool.tick) + 1);
  return tables.toToken0;
}

function createTable(pool: V3Pool, tickIndex: number): StepTable {
  const cursor: Cursor = {
    price: pool.sqrtPriceX96,
    tick: pool.tick,
    liquidity: pool.liquidity,
    tickIndex,
    crossed: 0,
    exhausted: pool.sqrtPriceX96 < MIN_SQRT_PRICE,
  };
  return { prices: [], ends: [], liquidities: [], totalIn: [], totalOut: [], crossed: [], cursor };
}

/** Index of the greatest initialised tick not above `tick`; -1 when there is none. */
function lastAtOrBelow({ indexes }: TickTable, tick: number): number {
  let low = 0;
  let high = indexes.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((indexes[middle] ?? 0) <= tick) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/**
 * The first step whose total reaches the amount: the one the contract's loop ends in. Undefined beyond the pool's depth.
 * `totals` is the table's column on the specified side.
 */
function stepThatReaches(
  table: StepTable,
  totals: readonly bigint[],
  pool: V3Pool,
  zeroForOne: boolean,
  amount: bigint,
): number | undefined {
  while ((totals.at(-1) ?? 0n) < amount) {
    if (table.cursor.exhausted) return undefined;
    if (zeroForOne) extendLeft(table, pool);
    else extendRight(table, pool);
  }
  let low = 0;
  let high = totals.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((totals[middle] ?? 0n) >= amount) high = middle;
    else low = middle + 1;
  }
  return low;
}

function extendLeft(table: StepTable, pool: V3Pool): void {
  const { cursor } = table;
  const limit = MIN_SQRT_PRICE + 1n;
  const initialised = pool.ticks.indexes[cursor.tickIndex];
  const edge = cursor.liquidity === 0n ? initialised : wordFloorTick(cursor.tick, pool.tickSpacing);
  // Without liquidity nothing is traded before the next initialised tick, so word edges before it change nothing.
  if (edge === undefined || cursor.price <= limit) {
    cursor.exhausted = true;
    return;
  }
  const nextTick = Math.max(MIN_TICK, initialised === undefined ? edge : Math.max(edge, initialised));
  const nextPrice = sqrtPriceAtTick(nextTick);
  advance(table, pool, nextPrice < limit ? limit : nextPrice);
  if (nextTick === initialised && cursor.price === nextPrice) {
    cursor.liquidity -= pool.ticks.liquidityNet[cursor.tickIndex] ?? 0n;
    cursor.tickIndex -= 1;
    cursor.crossed += 1;
  }
  cursor.tick = nextTick - 1;
}

function extendRight(table: StepTable, pool: V3Pool): void {
  const { cursor } = table;
  const limit = MAX_SQRT_PRICE - 1n;
  const initialised = pool.ticks.indexes[cursor.tickIndex];
  const edge = cursor.liquidity === 0n ? initialised : wordCeilingTick(cursor.tick, pool.tickSpacing);
  if (edge === undefined || cursor.price >= limit) {
    cursor.exhausted = true;
    return;
  }
  const nextTick = Math.min(MAX_TICK, initialised === undefined ? edge : Math.min(edge, initialised));
  const nextPrice = sqrtPriceAtTick(nextTick);
  advance(table, pool, nextPrice > limit ? limit : nextPrice);
  if (nextTick === initialised && cursor.price === nextPrice) {
    cursor.liquidity += pool.ticks.liquidityNet[cursor.tickIndex] ?? 0n;
    cursor.tickIndex += 1;
    cursor.crossed += 1;
  }
  cursor.tick = nextTick;
}

/** Adds the full step from the cursor to `target`, unless nothing can move in it. */
function advance(table: StepTable, pool: V3Pool, target: bigint): void {
  const { cursor } = table;
  if (cursor.liquidity !== 0n && cursor.price !== target) {
    const { price, liquidity } = cursor;
    const step = fullStep({ price, target, liquidity, feePips: BigInt(pool.feePips) });
    table.prices.push(price);
    table.ends.push(target);
    table.liquidities.push(liquidity);
    table.totalIn.push((table.totalIn.at(-1) ?? 0n) + step.amountIn + step.feeAmount);
    table.totalOut.push((table.totalOut.at(-1) ?? 0n) + step.amountOut);
    table.crossed.push(cursor.crossed);
  }
  cursor.price = target;
}
