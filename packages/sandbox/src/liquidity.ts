import type { Address } from 'viem';
import { amountWorth, type TokenSymbol, tokenPlanOf } from './tokens.ts';

/** A pool the sandbox creates. Fees are in millionths; a V2 pair always has 3000. */
export type PoolPlan = {
  readonly kind: 'V2' | 'V3';
  readonly pair: readonly [TokenSymbol, TokenSymbol];
  readonly fee: 100 | 500 | 3000 | 10000;
  /** The dollars to put in, both sides together. */
  readonly dollars: bigint;
};

/** One position of a V3 pool; amounts are upper bounds in smallest units. */
export type PositionPlan = {
  readonly tickLower: number;
  readonly tickUpper: number;
  readonly amount0: bigint;
  readonly amount1: bigint;
};

const MILLION = 1_000_000n;

function v3(pair: PoolPlan['pair'], fee: PoolPlan['fee'], millions: bigint): PoolPlan {
  return { kind: 'V3', pair, fee, dollars: millions * MILLION };
}

function v2(pair: PoolPlan['pair'], millions: bigint): PoolPlan {
  return { kind: 'V2', pair, fee: 3000, dollars: millions * MILLION };
}

/** Every pool of the sandbox, in the order of creation. Addresses depend on this order. */
export const POOL_PLANS: readonly PoolPlan[] = [
  v3(['USDC', 'USDT'], 100, 60n),
  v3(['USDC', 'DAI'], 100, 50n),
  v3(['WETH', 'USDC'], 100, 12n),
  v3(['WETH', 'USDC'], 500, 80n),
  v3(['WETH', 'USDT'], 500, 60n),
  v3(['WBTC', 'WETH'], 500, 60n),
  v3(['USDC', 'tAUD'], 500, 40n),
  v3(['USDC', 'tEUR'], 500, 40n),
  v3(['tAUD', 'tEUR'], 500, 8n),
  v3(['WETH', 'USDC'], 3000, 40n),
  v3(['WETH', 'DAI'], 3000, 30n),
  v3(['WBTC', 'USDC'], 3000, 30n),
  v3(['LINK', 'WETH'], 3000, 20n),
  v3(['UNI', 'WETH'], 3000, 16n),
  v3(['LINK', 'USDC'], 10000, 6n),
  v3(['UNI', 'USDT'], 10000, 4n),
  v2(['WETH', 'USDC'], 40n),
  v2(['WETH', 'USDT'], 24n),
  v2(['WETH', 'DAI'], 16n),
  v2(['WBTC', 'WETH'], 20n),
  v2(['USDC', 'tAUD'], 10n),
  v2(['LINK', 'WETH'], 4n),
];

/** The tick spacing the V3 factory gives each fee. */
export const TICK_SPACINGS = { 100: 1, 500: 10, 3000: 60, 10000: 200 } as const;

/** A source of whole numbers in [0, bound), the same sequence for the same seed on every machine (LCG, Knuth's MMIX). */
function createNumbers(seed: bigint): (bound: number) => number {
  let state = seed;
  return (bound) => {
    state = BigInt.asUintN(64, state * 6364136223846793005n + 1442695040888963407n);
    return Number((state >> 33n) % BigInt(bound));
  };
}

/**
 * How far a pool's price is from the plans' prices, in millionths. It is at most 40 % of the pool's fee, up or down, so
 * no cycle of pools pays more than the fees along it.
 */
function priceOffsetPpm(plan: PoolPlan, poolIndex: number): bigint {
  const largest = Math.floor(plan.fee * 0.4);
  return BigInt(createNumbers(BigInt(poolIndex) + 101n)(2 * largest + 1) - largest);
}

/** A pool's tokens in address order, and amounts of them in the ratio of its price. */
export type PricedPair = {
  readonly symbol0: TokenSymbol;
  readonly symbol1: TokenSymbol;
  /** Smallest units of each token that are worth half of the plan's dollars; `half1` includes the price offset. */
  readonly half0: bigint;
  readonly half1: bigint;
};

/** Sorts a plan's tokens as the factories do and prices them. */
export function pricedPair(
  plan: PoolPlan,
  poolIndex: number,
  addressOf: (symbol: TokenSymbol) => Address,
): PricedPair {
  const [a, b] = plan.pair;
  const ordered = addressOf(a).toLowerCase() < addressOf(b).toLowerCase();
  const [symbol0, symbol1] = ordered ? [a, b] : [b, a];
  const half1 = amountWorth(tokenPlanOf(symbol1), plan.dollars / 2n);
  return {
    symbol0,
    symbol1,
    half0: amountWorth(tokenPlanOf(symbol0), plan.dollars / 2n),
    half1: (half1 * (MILLION + priceOffsetPpm(plan, poolIndex))) / MILLION,
  };
}

function squareRoot(value: bigint): bigint {
  let guess = 1n << BigInt((value.toString(2).length + 1) >> 1);
  for (;;) {
    const next = (guess + value / guess) >> 1n;
    if (next >= guess) return guess;
    guess = next;
  }
}

/** sqrt(token1 per token0) times 2^96, as V3 pools are initialised with. */
export function sqrtPriceX96Of(pair: PricedPair): bigint {
  return squareRoot((pair.half1 << 192n) / pair.half0);
}

const ONE = 1n << 128n;

/** 1.0001^tick in Q128 by repeated squaring: exact enough to centre ranges, but not for prices. */
function powerOfTick(tick: number): bigint {
  let result = ONE;
  let square = tick < 0 ? (ONE * 10_000n) / 10_001n : (ONE * 10_001n) / 10_000n;
  for (let rest = Math.abs(tick); rest > 0; rest >>= 1) {
    if (rest & 1) result = (result * square) >> 128n;
    square = (square * square) >> 128n;
  }
  return result;
}

/** The tick whose price is nearest below the pair's price, with an error of at most one tick. */
function tickNear(pair: PricedPair): number {
  const price = (pair.half1 << 128n) / pair.half0;
  let low = -400_000;
  let high = 400_000;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (powerOfTick(middle) <= price) low = middle;
    else high = middle;
  }
  return low;
}

/**
 * The ladder's ranges: half their width in ticks (100 ticks are about 1 %), and their share of the pool's dollars in
 * percent.
 */
const LADDER: readonly { readonly halfTicks: number; readonly percent: number }[] = [
  { halfTicks: 40, percent: 6 },
  { halfTicks: 120, percent: 10 },
  { halfTicks: 300, percent: 14 },
  { halfTicks: 700, percent: 14 },
  { halfTicks: 1_500, percent: 14 },
  { halfTicks: 3_000, percent: 10 },
  { halfTicks: 7_000, percent: 6 },
];
const FULL_RANGE_PERCENT = 6;
const SIDED_PERCENT = 3;

/**
 * The positions of a V3 pool: a ladder of ranges about the price, one over the full range, and some one-sided ones
 * above and below. Their ticks differ from pool to pool.
 */
export function positionPlans(plan: PoolPlan, poolIndex: number, pair: PricedPair): readonly PositionPlan[] {
  const numbers = createNumbers(BigInt(poolIndex) + 7n);
  const spacing = TICK_SPACINGS[plan.fee];
  const centre = tickNear(pair);
  const align = (tick: number) => Math.floor(tick / spacing) * spacing;
  const share = (percent: number) => ({
    amount0: (pair.half0 * BigInt(percent)) / 100n,
    amount1: (pair.half1 * BigInt(percent)) / 100n,
  });
  const widest = Math.floor(887_272 / spacing) * spacing;
  const positions: PositionPlan[] = [
    { tickLower: -widest, tickUpper: widest, ...share(FULL_RANGE_PERCENT) },
    ...LADDER.map(({ halfTicks, percent }) => ({
      tickLower: align(centre - halfTicks - numbers(halfTicks >> 2)) - spacing,
      tickUpper: align(centre + halfTicks + numbers(halfTicks >> 2)) + 2 * spacing,
      ...share(percent),
    })),
  ];
  const sidedPairs = 2 + numbers(4);
  for (let i = 0; i < sidedPairs; i += 1) {
    const gap = 2 * spacing + numbers(600);
    const width = spacing * (1 + numbers(30)) + numbers(400);
    const { amount0, amount1 } = share(SIDED_PERCENT);
    const above = align(centre + gap) + spacing;
    const below = align(centre - gap);
    positions.push({ tickLower: above, tickUpper: align(above + width) + spacing, amount0, amount1: 0n });
    positions.push({ tickLower: align(below - width) - spacing, tickUpper: below, amount0: 0n, amount1 });
  }
  return positions;
}
