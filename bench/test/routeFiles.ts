import assert from 'node:assert/strict';
import { type FeePips, replaySwap, sqrtPriceAtTick, toAddress, type V3Pool } from '@fairway/engine';

/** A pool of a market file. */
export type FilePool = {
  readonly address: string;
  readonly t0: string | number;
  readonly t1: string | number;
  readonly fee: number;
} & (
  | { readonly kind: 'v2'; readonly r0: string; readonly r1: string }
  | {
      readonly kind: 'v3';
      readonly sp: number;
      readonly sqrtP: string;
      readonly L: string;
      readonly tick: number;
      readonly ticks: readonly (readonly [number, string])[];
    }
);

/** A market file's content. */
export type MarketFile<P> = {
  readonly name: string;
  readonly tokens: readonly { readonly id: string | number; readonly sym: string; readonly dec: number }[];
  readonly pools: readonly P[];
};

/** A query of a query file. */
export type Query = {
  readonly in: string | number;
  readonly out: string | number;
  readonly tradeType: 'EXACT_IN' | 'EXACT_OUT';
  readonly amount: string;
};

/** The line printed for a query. */
export type QueryLine = Omit<Query, 'amount'> & {
  readonly amountIn: string;
  readonly amountOut: string;
  readonly legs: readonly {
    readonly pool: string;
    readonly tokenIn: string | number;
    readonly tokenOut: string | number;
    readonly amountIn: string;
    readonly amountOut: string;
  }[];
  readonly bound: string | null;
  readonly gapBps: number | null;
  readonly medianMs: number;
  readonly error?: string;
};

/** A V3 pool of positions `[lower, upper, liquidity]` in multiples of its tick spacing, priced at a tick. */
export function v3FilePool(
  identity: Pick<FilePool, 'address' | 't0' | 't1' | 'fee'>,
  sp: number,
  tick: number,
  positions: readonly (readonly [number, number, bigint])[],
): FilePool {
  const nets = new Map<number, bigint>();
  let inRange = 0n;
  for (const [lower, upper, liquidity] of positions) {
    nets.set(lower * sp, (nets.get(lower * sp) ?? 0n) + liquidity);
    nets.set(upper * sp, (nets.get(upper * sp) ?? 0n) - liquidity);
    if (lower * sp <= tick && tick < upper * sp) inRange += liquidity;
  }
  const ticks = [...nets].sort(([a], [b]) => a - b).map(([index, net]) => [index, String(net)] as const);
  const sqrtP = String(sqrtPriceAtTick(tick) + 1n);
  return { ...identity, kind: 'v3', sp, sqrtP, L: String(inRange), tick, ticks };
}

/**
 * Executes an answer's legs in their order on the pools of the file, each paid from the outputs of earlier legs.
 * Asserts that every amount is what the contracts give, that nothing is left over, and that the bound holds.
 */
export function assertReplays(market: MarketFile<FilePool>, query: Query, line: QueryLine): void {
  const states = new Map(market.pools.map((pool) => [pool.address, pool]));
  assert.equal(states.size, market.pools.length);
  const holdings = new Map<string | number, bigint>([[query.in, BigInt(line.amountIn)]]);
  for (const leg of line.legs) {
    const pool = states.get(leg.pool);
    assert.ok(pool !== undefined, `no pool ${leg.pool}`);
    assert.deepEqual(new Set([leg.tokenIn, leg.tokenOut]), new Set([pool.t0, pool.t1]));
    const [amountIn, amountOut] = [BigInt(leg.amountIn), BigInt(leg.amountOut)];
    const held = holdings.get(leg.tokenIn) ?? 0n;
    assert.ok(amountIn > 0n && amountIn <= held, 'a leg spends what no earlier one paid');
    holdings.set(leg.tokenIn, held - amountIn);
    holdings.set(leg.tokenOut, (holdings.get(leg.tokenOut) ?? 0n) + amountOut);
    const swap = { zeroForOne: leg.tokenIn === pool.t0, amountIn, amountOut };
    states.set(leg.pool, pool.kind === 'v2' ? afterV2(pool, swap) : afterV3(pool, swap, query.tradeType));
  }
  const amountOut = BigInt(line.amountOut);
  for (const [token, held] of holdings) assert.equal(held, token === query.out ? amountOut : 0n);
  assert.deepEqual([line.in, line.out, line.tradeType], [query.in, query.out, query.tradeType]);
  if (query.tradeType === 'EXACT_IN') assert.equal(line.amountIn, query.amount);
  else assert.ok(amountOut >= BigInt(query.amount));
  assertBound(line);
}

type Swap = { readonly zeroForOne: boolean; readonly amountIn: bigint; readonly amountOut: bigint };

/** The pair after a leg. Asserts by the check of UniswapV2Pair.swap that the output is the most that the pair pays. */
function afterV2(pool: FilePool & { kind: 'v2' }, { zeroForOne, amountIn, amountOut }: Swap): FilePool {
  const [r0, r1] = [BigInt(pool.r0), BigInt(pool.r1)];
  const [reserveIn, reserveOut] = zeroForOne ? [r0, r1] : [r1, r0];
  const balance = (reserveIn + amountIn) * 1_000_000n - amountIn * BigInt(pool.fee);
  const lets = (out: bigint): boolean => balance * (reserveOut - out) >= reserveIn * reserveOut * 1_000_000n;
  assert.ok(lets(amountOut) && !lets(amountOut + 1n), 'a V2 leg executes otherwise');
  const [movedIn, movedOut] = [String(reserveIn + amountIn), String(reserveOut - amountOut)];
  return zeroForOne ? { ...pool, r0: movedIn, r1: movedOut } : { ...pool, r0: movedOut, r1: movedIn };
}

const TOKEN0 = toAddress(`0x${'0'.repeat(39)}1`);
const TOKEN1 = toAddress(`0x${'0'.repeat(39)}2`);

function afterV3(pool: FilePool & { kind: 'v3' }, swap: Swap, tradeType: Query['tradeType']): FilePool {
  const state: V3Pool = {
    kind: 'UNISWAP_V3',
    address: TOKEN0,
    source: '',
    tokens: [TOKEN0, TOKEN1],
    feePips: pool.fee as FeePips,
    tickSpacing: pool.sp,
    sqrtPriceX96: BigInt(pool.sqrtP),
    tick: pool.tick,
    liquidity: BigInt(pool.L),
    ticks: {
      indexes: pool.ticks.map(([index]) => index),
      liquidityNet: pool.ticks.map(([, net]) => BigInt(net)),
    },
  };
  const amount = tradeType === 'EXACT_IN' ? swap.amountIn : swap.amountOut;
  const replay = replaySwap(state, { tokenIn: swap.zeroForOne ? TOKEN0 : TOKEN1, tradeType, amount });
  assert.deepEqual(
    [replay?.amountLeft, replay?.amountIn, replay?.amountOut],
    [0n, swap.amountIn, swap.amountOut],
    'a V3 leg executes otherwise',
  );
  assert.ok(replay !== undefined);
  const { sqrtPriceX96, tick, liquidity } = replay.pool;
  return { ...pool, sqrtP: String(sqrtPriceX96), tick, L: String(liquidity) };
}

/** The gap is the bound's distance in thousandths of a Bps, rounded up. */
function assertBound({ tradeType, amountIn, amountOut, bound, gapBps }: QueryLine): void {
  assert.equal(bound === null, gapBps === null);
  if (bound === null || gapBps === null) return;
  const [better, worse] =
    tradeType === 'EXACT_IN' ? [BigInt(bound), BigInt(amountOut)] : [BigInt(amountIn), BigInt(bound)];
  assert.ok(better >= worse, 'the bound was passed');
  const exact = ((better - worse) * 10_000_000n + better - 1n) / better;
  assert.equal(Math.round(gapBps * 1000), Number(exact));
}
