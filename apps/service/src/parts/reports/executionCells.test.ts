import assert from 'node:assert/strict';
import { test } from 'node:test';
import { amountOf, type MovementId, type StepId } from '@fairway/plan';
import type { PeriodExecution } from '@fairway/store';
import { plainCell } from './cells.ts';
import { executionRow } from './executionCells.ts';
import { tokenNames } from './movementCells.ts';

const [USDC, AUD] = [`0x${'01'.repeat(20)}`, `0x${'02'.repeat(20)}`] as const;
const NAMES = tokenNames([
  { chainId: 1, address: USDC, symbol: 'USDC', decimals: 6 },
  { chainId: 1, address: AUD, symbol: 'tAUD', decimals: 2 },
]);
const EXECUTION: PeriodExecution = {
  ...{ movementId: 'mov_2' as MovementId, planId: 'plan_1', clientReference: 'A', corridorId: 'c' },
  ...{ mode: 'STANDARD', stepId: 'step_1' as StepId, attempt: 0, verification: 'VERIFIED' },
  source: { chainId: 1, address: USDC },
  target: { chainId: 1, address: AUD },
  ...{ spent: 70_000_000n, received: 10_700n, transferCount: 1, txHash: '0xab', blockNumber: 105 },
  ...{ settledAtMs: 60_000, bookedAtMs: 61_000, metadata: {} },
  quoted: {
    ...{
      expected: 10_763n,
      minimum: 10_655n,
      atMs: 0,
      blockNumber: 100,
      slippageBps: 100,
      priceImpactBps: 3,
    },
    gas: { units: '140000', cost: '140000000000000', costInTokenOut: '54' },
    bound: { gapBps: 0.012, upperBound: '10764' },
  },
};

/** The cells of an execution as texts, without those that are empty. */
function shown(execution: PeriodExecution): Record<string, string> {
  const cells = Object.entries(executionRow(NAMES)(execution).cells).map(([column, cell]) => [
    column,
    plainCell(cell),
  ]);
  return Object.fromEntries(
    cells.flatMap(([column, value]) => (value === null ? [] : [[column, String(value)]])),
  ) as Record<string, string>;
}

test('a row has what was quoted, what was received, and how far they are apart', () => {
  assert.partialDeepStrictEqual(shown(EXECUTION), {
    ...{ symbolIn: 'USDC', amountIn: '70000000', amountInDecimal: '70.000000', symbolOut: 'tAUD' },
    ...{ expectedAmountDecimal: '107.63', minimumAmountDecimal: '106.55', receivedAmountDecimal: '107.00' },
    ...{ differenceAmount: '-63', differenceAmountDecimal: '-0.63', differenceBps: '-58' },
    ...{ aboveMinimumBps: '42', routeGapBps: '0.012', upperBoundAmount: '10764', receivedToBoundBps: '-59' },
    ...{ quotedRate: '1.537571428571428571', realisedRate: '1.528571428571428571' },
    ...{ quotedGasUnits: '140000', quotedGasCost: '140000000000000', quotedGasBps: '50' },
    ...{ quotedBlock: '100', settledBlock: '105', blocksBetween: '5' },
    ...{ settledAt: '1970-01-01T00:01:00.000Z', recordedAt: '1970-01-01T00:01:01.000Z' },
  });
});

test('what is taken back has its amounts with a minus, and no shares that could be averaged', () => {
  const row = { ...EXECUTION, movementId: 'mov_9' as MovementId, reverses: 'mov_2' as MovementId };
  const cells = shown(row);
  assert.partialDeepStrictEqual(cells, {
    ...{ status: 'REVERSAL', reverses: 'mov_2', amountIn: '-70000000', receivedAmount: '-10700' },
    ...{ expectedAmount: '-10763', minimumAmount: '-10655', differenceAmount: '63' },
  });
  for (const column of ['differenceBps', 'quotedRate', 'realisedRate', 'routeGapBps', 'quotedGasBps'])
    assert.equal(cells[column], undefined, column);
  const units = (execution: PeriodExecution) =>
    executionRow(NAMES)(execution).amounts.map(({ kind, units: each }) => [kind, each]);
  assert.deepEqual(units(row), [
    ['SWAP_IN', -70_000_000n],
    ['SWAP_OUT', -10_700n],
  ]);
  assert.deepEqual(units({ ...EXECUTION, received: 0n, transferCount: 0 }), [['SWAP_IN', 70_000_000n]]);
});

test('the market and the rest are the parts of the difference, and gas has the sign of the row', () => {
  const gas = { units: amountOf(140_000n), costWei: amountOf(9n) };
  const row = { ...EXECUTION, market: 10_720n, gas };
  assert.partialDeepStrictEqual(shown(row), {
    ...{ marketAmount: '10720', marketAmountDecimal: '107.20', marketMovedBps: '-39', restBps: '-18' },
    ...{ differenceBps: '-58', gasUsed: '140000', gasCost: '9' },
  });
  const back = shown({ ...row, reverses: 'mov_2' as MovementId });
  assert.partialDeepStrictEqual(back, { marketAmount: '-10720', gasUsed: '-140000', gasCost: '-9' });
  assert.deepEqual([back['marketMovedBps'], back['restBps']], [undefined, undefined]);
  const far = shown({ ...EXECUTION, market: 21_526n });
  assert.deepEqual(
    [far['marketMovedBps'], far['restBps']],
    ['10000', '-10058'],
    'shares of what was expected',
  );
  const cheap = shown({ ...EXECUTION, gas: { units: gas.units } });
  assert.deepEqual([cheap['gasUsed'], cheap['gasCost']], ['140000', undefined]);
  for (const column of ['marketAmount', 'marketMovedBps', 'restBps'])
    assert.equal(shown(EXECUTION)[column], undefined, column);
});

test('instructions put together from their execution tell of no quote, but of the minimum', () => {
  const quoted = { expected: 10_700n, minimum: 10_655n, atMs: 60_000, blockNumber: 105 };
  const cells = shown({ ...EXECUTION, quoted, market: 10_720n });
  for (const column of [
    'expectedAmount',
    'marketAmount',
    'restBps',
    'differenceBps',
    'quotedAt',
    'quotedBlock',
    'blocksBetween',
  ])
    assert.equal(cells[column], undefined, column);
  assert.deepEqual([cells['minimumAmount'], cells['aboveMinimumBps']], ['10655', '42']);
});

test('a token that was never read has amounts in smallest units alone', () => {
  const target = { chainId: 1, address: `0x${'03'.repeat(20)}` } as const;
  const cells = shown({ ...EXECUTION, target });
  assert.equal(cells['receivedAmount'], '10700');
  assert.equal(cells['receivedAmountDecimal'], undefined);
  assert.equal(cells['realisedRate'], undefined);
});

test('the fees of pools and the gas are in the token received, too, and in its currency', () => {
  const poolFees = [
    { asset: { address: USDC.toUpperCase().replace('0X', '0x') }, amount: '30000' },
    { asset: { address: USDC }, amount: '5000' },
  ];
  const gas = { units: amountOf(70_000n), costWei: amountOf(70_000_000_000_000n) };
  const { quoted } = EXECUTION;
  assert.ok(quoted !== undefined);
  const row = { ...EXECUTION, pegged: 'AUD', gas, quoted: { ...quoted, poolFees } };
  assert.partialDeepStrictEqual(shown(row), {
    ...{ poolFeeAmount: '35000', poolFeeAmountDecimal: '0.035000' },
    ...{ poolFeeAmountOut: '5', poolFeeAmountOutDecimal: '0.05' },
    ...{ gasAmountOut: '27', gasAmountOutDecimal: '0.27', costCurrency: 'AUD' },
  });
  const back = shown({ ...row, reverses: 'mov_1' as MovementId });
  assert.deepEqual([back['poolFeeAmount'], back['gasAmountOut']], ['-35000', '-27']);
  const third = [...poolFees, { asset: { address: AUD }, amount: '1' }];
  const cells = shown({ ...row, quoted: { ...quoted, poolFees: third } });
  assert.deepEqual([cells['poolFeeAmount'], cells['poolFeeAmountOut']], [undefined, undefined]);
});
