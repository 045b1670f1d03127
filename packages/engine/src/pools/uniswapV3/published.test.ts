import assert from 'node:assert/strict';
import { test } from 'node:test';
import { paying, selling } from '../../../test/hops.ts';
import { addressOf } from '../../../test/marketArbitraries.ts';
import { tickAtSqrtPrice } from '../../exact/tickMath.ts';
import { replaySwap } from './replay.ts';
import type { FeePips, TradeType, V3Pool } from '../../types.ts';
import { buyFrom, exactOutput, poolAfter, sellTo } from '../poolSwap.ts';

// What the contract itself did, as the protocol's own test suite records it: Uniswap v3-core, UniswapV3Pool.swaps spec.

const [TOKEN0, TOKEN1] = [addressOf(1), addressOf(2)];
const ONE = 2n ** 96n;
const ETHER = 10n ** 18n;
/** The highest tick that the spacing of 60 leaves. */
const END = 887220;
/** The roots of 2^127 and of 59e-40 in Q64.96, rounded down: a price near each end. */
const CLOSE_TO_MAX = 1033437718471923706666374484006904511252097097914n;
const CLOSE_TO_MIN = 6085630636n;

/** A pool of 0.3 % with positions of 2e18. */
function poolOf(
  sqrtPriceX96: bigint,
  positions: readonly (readonly [lower: number, upper: number])[],
): V3Pool {
  const tick = tickAtSqrtPrice(sqrtPriceX96);
  const nets = new Map<number, bigint>();
  let liquidity = 0n;
  for (const [lower, upper] of positions) {
    nets.set(lower, (nets.get(lower) ?? 0n) + 2n * ETHER);
    nets.set(upper, (nets.get(upper) ?? 0n) - 2n * ETHER);
    if (lower <= tick && tick < upper) liquidity += 2n * ETHER;
  }
  const indexes = [...nets.keys()].sort((a, b) => a - b);
  return {
    kind: 'UNISWAP_V3',
    address: addressOf(9),
    source: 'v3',
    tokens: [TOKEN0, TOKEN1],
    feePips: 3000 as FeePips,
    tickSpacing: 60,
    sqrtPriceX96,
    tick,
    liquidity,
    ticks: { indexes, liquidityNet: indexes.map((index) => nets.get(index) ?? 0n) },
  };
}

const WHOLE = [-END, END] as const;
const BESIDE = [
  [-END, -60],
  [60, END],
] as const;
const MEDIUM = poolOf(ONE, [WHOLE]);
const GAP = poolOf(ONE, BESIDE);
const ADDITIONAL = poolOf(ONE, [WHOLE, ...BESIDE]);
const AT_MAX = poolOf(CLOSE_TO_MAX, [WHOLE]);
const AT_MIN = poolOf(CLOSE_TO_MIN, [WHOLE]);

type Recorded = readonly [
  pool: V3Pool,
  zeroForOne: boolean,
  tradeType: TradeType,
  amountIn: bigint,
  amountOut: bigint,
  tickAfter: number,
  crossed: number,
];

const RECORDED: readonly Recorded[] = [
  [MEDIUM, true, 'EXACT_IN', ETHER, 665331998665331998n, -8090, 0],
  [MEDIUM, false, 'EXACT_IN', ETHER, 665331998665331998n, 8089, 0],
  [MEDIUM, true, 'EXACT_OUT', 2006018054162487463n, ETHER, -13864, 0],
  [MEDIUM, false, 'EXACT_OUT', 2006018054162487463n, ETHER, 13863, 0],
  [MEDIUM, false, 'EXACT_IN', 1000n, 996n, 0, 0],
  [MEDIUM, true, 'EXACT_OUT', 1005n, 1000n, -1, 0],
  [MEDIUM, false, 'EXACT_OUT', 1005n, 1000n, 0, 0],
  [GAP, true, 'EXACT_IN', 1000n, 991n, -61, 1],
  [GAP, false, 'EXACT_IN', 1000n, 991n, 60, 1],
  [GAP, true, 'EXACT_IN', ETHER, 662011820624678025n, -8130, 1],
  [GAP, false, 'EXACT_IN', ETHER, 662011820624678025n, 8129, 1],
  [GAP, true, 'EXACT_OUT', 1011n, 1000n, -61, 1],
  [GAP, false, 'EXACT_OUT', 1011n, 1000n, 60, 1],
  [GAP, true, 'EXACT_OUT', 2024171064311638316n, ETHER, -13984, 1],
  [GAP, false, 'EXACT_OUT', 2024171064311638316n, ETHER, 13983, 1],
  [ADDITIONAL, true, 'EXACT_IN', ETHER, 795933705287758544n, -4476, 1],
  [ADDITIONAL, false, 'EXACT_IN', ETHER, 795933705287758544n, 4475, 1],
  [ADDITIONAL, true, 'EXACT_OUT', 1342022152495072924n, ETHER, -5794, 1],
  [ADDITIONAL, false, 'EXACT_OUT', 1342022152495072924n, ETHER, 5793, 1],
  [AT_MAX, true, 'EXACT_IN', 1000n, 26083549850867114346332688477747755628n, 705098, 0],
  [AT_MAX, true, 'EXACT_IN', ETHER, 26087635650665564420687107504180041533n, 13923, 0],
  [AT_MAX, true, 'EXACT_OUT', 2n, ETHER, 880340, 0],
  [AT_MAX, false, 'EXACT_IN', ETHER, 0n, 880340, 0],
  [AT_MIN, false, 'EXACT_IN', 1000n, 26033697540846965126433148994127431276n, -705093, 0],
  [AT_MIN, false, 'EXACT_IN', ETHER, 26037782196502120271413746514214063808n, -13924, 0],
  [AT_MIN, false, 'EXACT_OUT', 2n, ETHER, -880303, 0],
  [AT_MIN, true, 'EXACT_IN', ETHER, 0n, -880303, 0],
];

test('swaps move the amounts that the contract moved, and end at the same tick', () => {
  for (const [index, recorded] of RECORDED.entries()) {
    const [pool, zeroForOne, tradeType, amountIn, amountOut, tickAfter, crossed] = recorded;
    const direction = zeroForOne ? 0 : 1;
    const tokenIn = pool.tokens[direction];
    const amount = tradeType === 'EXACT_IN' ? amountIn : amountOut;
    const replay = replaySwap(pool, { tokenIn, tradeType, amount });
    assert.deepEqual(
      [replay?.amountIn, replay?.amountOut, replay?.amountLeft, replay?.pool.tick],
      [amountIn, amountOut, 0n, tickAfter],
      `swap ${index}`,
    );
    assert.equal(replay?.initialisedTicksCrossed, crossed, `swap ${index}`);
    const quoted =
      tradeType === 'EXACT_IN' ? sellTo(pool, direction, amount) : buyFrom(pool, direction, amount);
    const moved = tradeType === 'EXACT_IN' ? amountOut : amountIn;
    assert.deepEqual(quoted, { amount: moved, crossed }, `swap ${index}`);
    assert.deepEqual(
      poolAfter(selling(pool, tokenIn), { tradeType, amountIn, amountOut }),
      replay?.pool,
      `swap ${index}`,
    );
  }
});

test('a swap that a pool cannot serve moves the price to its limit, and gives no quote', () => {
  const recorded = [
    [AT_MAX, TOKEN1, TOKEN0, 10740898373457544742072477595619363803n, 887271],
    [AT_MIN, TOKEN0, TOKEN1, 10790901831095468191587263901270792610n, -887272],
  ] as const;
  for (const [pool, tokenIn, tokenOut, amountIn, tickAfter] of recorded) {
    const replay = replaySwap(pool, { tokenIn, tradeType: 'EXACT_OUT', amount: 1000n });
    assert.deepEqual(
      [replay?.amountIn, replay?.amountOut, replay?.amountLeft, replay?.pool.tick],
      [amountIn, 0n, 1000n, tickAfter],
    );
    assert.equal(exactOutput(paying(pool, tokenOut), 1000n), undefined);
  }
});

test('the fee equals the growth of fees that the contract recorded', () => {
  // Fee growth is the fee in Q128 over the liquidity, rounded down.
  const recorded = [
    [true, 510423550381407695195061911147652317n, 'EXACT_IN'],
    [true, 1023918857334819954209013958517557896n, 'EXACT_OUT'],
  ] as const;
  for (const [zeroForOne, growthX128, tradeType] of recorded) {
    const tokenIn = zeroForOne ? TOKEN0 : TOKEN1;
    const { feeAmount } = replaySwap(MEDIUM, { tokenIn, tradeType, amount: ETHER }) ?? { feeAmount: 0n };
    // The growth adds up step by step: each word edge may drop a unit.
    const difference = (feeAmount << 128n) / (2n * ETHER) - growthX128;
    assert.ok(difference >= 0n && difference < 2n ** 8n, `off by ${difference}`);
  }
});
