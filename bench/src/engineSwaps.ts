import {
  exactInput,
  exactOutput,
  type FeePips,
  replaySwap,
  type TradeType,
  type V2Pool,
  type V3Pool,
} from '@fairway/engine';
import { atMost, type Benchmark, type Progress, type Row } from './benchmark.ts';
import { amountsCrossing, deepPool } from './deepPool.ts';
import { short } from './measuring/statistics.ts';
import { numbered } from './syntheticMarket.ts';
import { nanosecondsPerCall } from './measuring/timing.ts';

const CROSSINGS = 200;
const AMOUNTS = 1024;
const TARGET_US = 1;

/** The time of one exact swap through one pool, in this process. */
export const engineSwaps: Benchmark = {
  name: 'swaps',
  title: 'Exact swap through one pool, in process',
  run: async (progress) => {
    const pool = deepPool();
    return [
      ...v3Rows(pool, 'EXACT_IN', progress),
      ...v3Rows(pool, 'EXACT_OUT', progress),
      ...v2Rows(progress),
    ];
  },
};

function v3Rows(pool: V3Pool, tradeType: TradeType, progress: Progress): Row[] {
  progress(`V3 ${tradeType} at ${CROSSINGS} crossings`);
  const amounts = amountsCrossing(pool, tradeType, CROSSINGS, AMOUNTS);
  const [tokenIn, tokenOut] = pool.tokens;
  const swap = (through: V3Pool, amount: bigint) =>
    (tradeType === 'EXACT_IN' ? exactInput : exactOutput)({ pool: through, tokenIn, tokenOut }, amount);
  const amountOf = (turn: number) => amounts[turn % AMOUNTS] ?? 1n;
  assertSameWei(pool, tradeType, amounts, swap);
  const warmUs = nanosecondsPerCall((turn) => swap(pool, amountOf(turn))) / 1000;
  progress(`V3 ${tradeType} replayed step by step`);
  const replayUs =
    nanosecondsPerCall((turn) =>
      replaySwap(pool, { tokenIn: pool.tokens[0], tradeType, amount: amountOf(turn) }),
    ) / 1000;
  progress(`V3 ${tradeType} after a pool change`);
  // A changed pool is a new value, for which nothing has been derived yet.
  const coldUs = nanosecondsPerCall((turn) => swap({ ...pool }, amountOf(turn))) / 1000;
  const name = `V3 ${tradeType}, ${CROSSINGS} crossings`;
  return [
    { what: `${name}, warm`, measured: `${short(warmUs)} µs`, target: atMost(warmUs, TARGET_US, 'µs') },
    {
      what: `${name}, replayed step by step`,
      measured: `${short(replayUs)} µs`,
      note: `${short(replayUs / warmUs)}× the warm swap`,
    },
    {
      what: `${name}, first after a change of the pool`,
      measured: `${short(coldUs)} µs`,
      note: `${short(coldUs / warmUs)}× the warm swap`,
    },
  ];
}

/** Compares the answers with the replay, so that no wrong answer is measured. */
function assertSameWei(
  pool: V3Pool,
  tradeType: TradeType,
  amounts: readonly bigint[],
  swap: (through: V3Pool, amount: bigint) => bigint | undefined,
): void {
  for (const amount of amounts.slice(0, 32)) {
    const replay = replaySwap(pool, { tokenIn: pool.tokens[0], tradeType, amount });
    const expected = tradeType === 'EXACT_IN' ? replay?.amountOut : replay?.amountIn;
    if (replay?.initialisedTicksCrossed !== CROSSINGS || swap(pool, amount) !== expected) {
      throw new Error(`The swap of ${amount} is not what the step-by-step replay says`);
    }
  }
}

function v2Rows(progress: Progress): Row[] {
  progress('V2');
  const pool: V2Pool = {
    kind: 'UNISWAP_V2',
    address: numbered(3),
    source: 'uniswap-v2',
    tokens: [numbered(1), numbered(2)],
    feePips: 3000 as FeePips,
    reserve0: 20_000n * 10n ** 18n,
    reserve1: 40_000_000n * 10n ** 6n,
  };
  const inputs = Array.from({ length: AMOUNTS }, (_, index) => 10n ** 18n + BigInt(index));
  const outputs = inputs.map((amount) => amount / 10n ** 10n);
  const [tokenIn, tokenOut] = pool.tokens;
  const hop = { pool, tokenIn, tokenOut };
  const inNs = nanosecondsPerCall((turn) => exactInput(hop, inputs[turn % AMOUNTS] ?? 1n));
  const outNs = nanosecondsPerCall((turn) => exactOutput(hop, outputs[turn % AMOUNTS] ?? 1n));
  return [
    { what: 'V2 EXACT_IN', measured: `${short(inNs / 1000)} µs` },
    { what: 'V2 EXACT_OUT', measured: `${short(outNs / 1000)} µs` },
  ];
}
