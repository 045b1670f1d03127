// Payments that a custodian converts. They have to fit the settled amount and the rate: the told
// one, else the operator's. A report that contradicts itself completes nothing before a person has looked.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  amountOf,
  amountToPayOf,
  collectStep,
  type Mode,
  type Money,
  nextOf,
  type Plan,
  type PlanCommand,
} from '../src/index.ts';
import { defined } from '@fairway/values';
import { after, assertBooks, idOf, rowsOf } from './paidPlans.ts';
import {
  delivery,
  derived,
  evidence,
  executed,
  linkMade,
  observed,
  paidByReference,
  paidWithAmounts,
  submitted,
} from './planCommands.ts';
import { corridor, newPlan } from './plans.ts';
import { assertKnown, refusalOf, summary } from './scenarios.ts';

const REVIEW = 'ACTION_REQUIRED: DONE DONE READY; INTEGRATOR PAYMENT_UNCLEAR';
const COMPLETED = 'COMPLETED: DONE DONE DONE; nothing';
/** 5,000 of a token of six decimals. */
const DUE = 5_000_000_000n;

/** A plan whose custodian converts 5,000 USDC to pesos, or pays them as they are, after these commands. */
function converted(
  commands: readonly PlanCommand[] = [],
  target: Partial<typeof corridor.target> = {},
  mode: Mode = 'STANDARD',
): Plan {
  const made = newPlan(
    { mode },
    { target: { ...corridor.target, currency: 'PHP', conversion: 'CUSTODIAN', decimals: 6, ...target } },
  );
  const choice = mode === 'STANDARD' ? [] : [linkMade('FIRST', 1), submitted(1, 'a')];
  const done = [observed(1_000n), derived(), executed(evidence('s', 'FINAL', DUE), 1)];
  return [...done, ...choice, ...commands].reduce(after, made);
}

const pesos = (centavos: bigint): Money => ({ amount: amountOf(centavos), asset: { currency: 'PHP' } });
const usdc = (units: bigint): Money => ({
  amount: amountOf(units),
  asset: { chainId: 31337, address: corridor.target.token },
});

type Told = { rate?: string; estimatedRate?: string; fee?: Money; units?: bigint; kept?: bigint };

/** The custodian paid so many centavos, by this reference. */
function paid(centavos: bigint, { units, kept, ...more }: Told = {}, reference = 'R1'): PlanCommand {
  return paidWithAmounts(reference, units, kept, { paid: pesos(centavos), ...more });
}

function detailOf(plan: Plan): string {
  return nextOf(plan, { nowMs: plan.updatedAtMs })?.detail ?? '';
}

for (const [what, centavos, told, isFit] of [
  // 5,000 USDC at 56.5 are 282,500.00 PHP.
  ['the told rate', 28_250_000n, { rate: '56.5' }, true],
  ['a rate that was rounded or cut off', 28_299_999n, { rate: '56.5' }, true],
  ['a rate that was rounded up', 28_200_001n, { rate: '56.5' }, true],
  ['a rate of eight digits less a centavo', 28_249_999n, { rate: '56.500000' }, true],
  ['a rate of eight digits and three centavos', 28_250_003n, { rate: '56.500000' }, false],
  ['a rate of five digits', 28_250_500n, { rate: '56.500' }, true],
  ['a rate of five digits', 28_250_502n, { rate: '56.500' }, false],
  ['0.01 PHP', 1n, { rate: '56.5' }, false],
  ['pesos in place of centavos', 282_500n, { rate: '56.5' }, false],
  ['a hundred times as much', 2_825_000_000n, { rate: '56.5' }, false],
  ['a rate the other way round', 28_250_000n, { rate: '0.0177' }, false],
  // A rate of one digit is no licence: it explains a hundredth.
  ['a rate of one digit', 505_000n, { rate: '1' }, true],
  ['a rate of one digit', 505_002n, { rate: '1' }, false],
  ['a rate of one digit', 260_000n, { rate: '1' }, false],
  ['a fee beside it', 28_250_000n, { rate: '56.50', fee: pesos(50_000n) }, true],
  ['a fee that was taken from it', 28_200_000n, { rate: '56.50', fee: pesos(50_000n) }, true],
  ['a fee that was taken from the token', 28_221_750n, { rate: '56.50', fee: usdc(5_000_000n) }, true],
  ['a fee that explains less', 28_000_000n, { rate: '56.50', fee: pesos(50_000n) }, false],
  [
    'a fee of another currency',
    28_100_000n,
    { rate: '56.50', fee: { ...pesos(150_000n), asset: { currency: 'USD' } } },
    false,
  ],
  ['a deduction', 28_221_750n, { rate: '56.50', kept: 5_000_000n }, true],
  ['a deduction that explains less', 28_221_750n, { rate: '56.500', kept: 1_000_000n }, false],
  ['the told amount', 14_125_000n, { rate: '56.50', units: 2_500_000_000n, kept: 2_500_000_000n }, true],
  // The operator's rate, ten per cent up and down.
  ['the estimate', 28_250_000n, { estimatedRate: '56.5' }, true],
  ['the estimate less 10 %', 25_425_000n, { estimatedRate: '56.5' }, true],
  ['the estimate and 10 %', 31_075_000n, { estimatedRate: '56.5' }, true],
  ['less than that', 25_424_998n, { estimatedRate: '56.5' }, false],
  ['more than that', 31_075_002n, { estimatedRate: '56.5' }, false],
  ['0.01 PHP, with an estimate', 1n, { estimatedRate: '56.5' }, false],
  ['a told rate in spite of the estimate', 20_000_000n, { rate: '40', estimatedRate: '56.5' }, true],
  // Nothing to compare with.
  ['no rate and no estimate', 1n, {}, true],
] as const satisfies readonly (readonly [string, bigint, Told, boolean])[])
  test(`${what}, ${centavos} centavos: ${isFit ? 'it fits' : 'it does not fit'}`, () => {
    const report = paid(centavos, told);
    assert.equal(summary(converted([report])), isFit ? COMPLETED : REVIEW);
    const collected = converted([report], {}, 'DIGITAL_COLLECT');
    assert.equal(collectStep(collected)?.delivery?.status, isFit ? 'DELIVERED' : 'PENDING');
  });

test('nothing is compared where the token is pegged, is paid itself, or has unknown decimals', () => {
  const wrong = paid(1n, { rate: '56.5' });
  const pegged = converted([paid(1n, { rate: '56.5' })], { conversion: 'PEGGED' });
  assert.equal(summary(pegged), COMPLETED);
  assert.equal(
    summary(converted([paidWithAmounts('R1', undefined, undefined, { paid: usdc(DUE), rate: '2' })])),
    COMPLETED,
  );
  const { decimals: _decimals, ...unknown } = { ...corridor.target, decimals: 6 };
  const made = newPlan({}, { target: { ...unknown, currency: 'PHP' } });
  const done = [observed(1_000n), derived(), executed(evidence('s', 'FINAL', DUE), 1), wrong].reduce(
    after,
    made,
  );
  assert.equal(summary(done), COMPLETED);
});

test('a person is told what contradicts what, and nothing more is to be paid meanwhile', () => {
  const byEstimate = converted([paid(1n, { estimatedRate: '56.5' })]);
  assert.deepEqual(rowsOf(byEstimate), ['PAYOUT 5000000000 R1']);
  assert.equal(amountToPayOf(byEstimate), '0');
  assertBooks(byEstimate, '0');
  assert.equal(
    detailOf(byEstimate),
    `The payment R1 contradicts itself: 0.01 PHP (1 minor unit) were paid for 5000000000 units of ${corridor.target.token} on chain 31337, and the operator's rate is 56.5, at which that comes to 282500.00 PHP (28250000 minor units). If it was converted at another rate, report it once more with its rate. Else correct it with "corrects": "${idOf(byEstimate, 'R1')}" and what is true of paid, rate, fee, amount and deductions. Have nothing paid before that.`,
  );
  const byRate = converted([paid(1n, { rate: '56.5', estimatedRate: '60' })]);
  assert.match(
    detailOf(byRate),
    /the rate that was told is 56\.5, .* 282500\.00 PHP \(28250000 minor units\)\. Correct it/,
  );
});

test('the rate of the custodian settles what only the estimate had contradicted', () => {
  const report = paid(20_000_000n, { estimatedRate: '56.5' });
  const asked = converted([report]);
  assertKnown(asked, report);
  assertKnown(asked, paid(20_000_000n, { estimatedRate: '40' }));
  assert.equal(summary(after(asked, paid(20_000_000n, { rate: '40.00' }))), COMPLETED);
  assert.equal(summary(after(asked, paid(20_000_000n, { rate: '41.00' }))), REVIEW);
});

test('a correction settles what is true: of paid, of the rate, of the amount, or with deductions', () => {
  const asked = converted([paid(14_125_000n, { rate: '56.50' })]);
  const corrects = idOf(asked, 'R1');
  const corrected = (centavos: bigint, told: Told) =>
    after(asked, { ...paid(centavos, told), ...defined({ corrects }) });
  assert.equal(summary(corrected(28_250_000n, { rate: '56.50' })), COMPLETED);
  assert.equal(summary(corrected(14_125_000n, { rate: '28.25' })), COMPLETED);
  assert.equal(summary(corrected(14_125_000n, { rate: '56.50', kept: 2_500_000_000n })), COMPLETED);
  const half = corrected(14_125_000n, { rate: '56.50', units: 2_500_000_000n });
  assert.equal(summary(half), REVIEW);
  assert.equal(amountToPayOf(half), '2500000000');
  const wrong = after(half, paid(1n, { rate: '56.50' }, 'R2'));
  assert.equal(summary(wrong), REVIEW);
  assert.match(detailOf(wrong), /^The payment R2 contradicts itself/);
  assert.equal(summary(after(half, paid(14_125_000n, { rate: '56.50' }, 'R2'))), COMPLETED);
});

test('a plan that was COMPLETED is asked about when what was paid is told later, and contradicts', () => {
  const done = converted([paidByReference('R1')]);
  assert.equal(summary(done), COMPLETED);
  assert.equal(summary(after(done, paid(1n, { estimatedRate: '56.5' }))), REVIEW);
  assert.equal(summary(after(done, paid(28_250_000n, { estimatedRate: '56.5' }))), COMPLETED);
});

test('no other report completes the plan while a payment contradicts itself', () => {
  const refusals = [paidByReference('R1'), paidByReference('R2'), paidWithAmounts('R2')].map((command) =>
    refusalOf(converted([paid(1n, { rate: '56.5' })]), command),
  );
  for (const refusal of refusals) assert.equal(refusal.reason, 'STEP_NOT_READY');
  const collected = converted([paid(1n, { rate: '56.5' })], {}, 'DIGITAL_COLLECT');
  for (const command of [delivery('DELIVERED', 'R2'), delivery('SENT', 'R2')])
    assert.match(JSON.stringify(refusalOf(collected, command)), /R1 contradicts itself/);
});
