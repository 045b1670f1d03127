import { type FeePips, replaySwap, sqrtPriceAtTick, type TradeType, type V3Pool } from '@fairway/engine';
import { createNumbers } from './measuring/numbers.ts';
import { numbered } from './syntheticMarket.ts';

const TICKS_PER_SIDE = 320;
const SPACING = 10;

/** A concentrated liquidity pool with an initialised tick at every spacing, far more than 200 in each direction. */
export function deepPool(): V3Pool {
  const numbers = createNumbers(7);
  const indexes: number[] = [];
  const liquidityNet: bigint[] = [];
  let inRange = 0n;
  let liquidity = 0n;
  for (let index = -TICKS_PER_SIDE; index <= TICKS_PER_SIDE; index += 1) {
    const isLast = index === TICKS_PER_SIDE;
    const wanted = isLast ? 0n : 10n ** 20n + BigInt(numbers.below(1e9)) * 10n ** 11n;
    indexes.push(index * SPACING);
    liquidityNet.push(wanted - inRange);
    inRange = wanted;
    if (index === 0) liquidity = wanted;
  }
  return {
    kind: 'UNISWAP_V3',
    address: numbered(0xdee9),
    source: 'uniswap-v3',
    tokens: [numbered(1), numbered(2)],
    feePips: 500 as FeePips,
    tickSpacing: SPACING,
    sqrtPriceX96: sqrtPriceAtTick(0) + 1n,
    tick: 0,
    liquidity,
    ticks: { indexes, liquidityNet },
  };
}

/** Amounts of token0 in (EXACT_IN) or token1 out (EXACT_OUT) that cross exactly so many initialised ticks. */
export function amountsCrossing(
  pool: V3Pool,
  tradeType: TradeType,
  crossings: number,
  count: number,
): readonly bigint[] {
  const first = leastCrossing(pool, tradeType, crossings);
  const width = leastCrossing(pool, tradeType, crossings + 1) - first;
  return Array.from({ length: count }, (_, index) => first + (width * BigInt(index)) / BigInt(count));
}

function leastCrossing(pool: V3Pool, tradeType: TradeType, crossings: number): bigint {
  let below = 1n;
  let enough = 10n ** 30n;
  while (enough - below > 1n) {
    const amount = (below + enough) / 2n;
    const replay = replaySwap(pool, { tokenIn: pool.tokens[0], tradeType, amount });
    if (replay !== undefined && replay.initialisedTicksCrossed >= crossings) enough = amount;
    else below = amount;
  }
  return enough;
}
