// Units of payments to accounts: mistakes about them are asked about, and parts of a cent ask for nothing.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  amountOf,
  type Corridor,
  fundsOf,
  minorUnitIn,
  nextOf,
  type Plan,
  type PlanCommand,
} from '../src/index.ts';
import { assertBooks, due } from './paidPlans.ts';
import { closed, paidWithAmounts } from './planCommands.ts';
import { corridor } from './plans.ts';
import { changedBy, refusalOf, summary } from './scenarios.ts';

const COMPLETED = 'COMPLETED: DONE DONE DONE; nothing';
const SURPLUS = 'COMPLETED: DONE DONE DONE; INTEGRATOR MONEY_UNEXPLAINED';

/**
 * Makes a payment where 250 or 249.653217 of a token of `decimals` is due, pegged to EUR. Answers what is asked about
 * its unit.
 */
function askedOf(
  toPay: bigint,
  told: { units: bigint; euros?: bigint; kept?: bigint },
  decimals = 6,
): string {
  const { units, euros, kept } = told;
  const asset = { currency: 'EUR' };
  const paid = euros === undefined ? {} : { paid: { amount: amountOf(euros), asset } };
  const plan = due([paidWithAmounts('R1', units, kept, paid)], toPay);
  const target = { ...corridor.target, currency: 'EUR', conversion: 'PEGGED', decimals } as const;
  const { detail = '' } = nextOf({ ...plan, corridor: { ...corridor, target } }, { nowMs: 0 }) ?? {};
  return (
    / Was (\d+) told in another unit, .*: correct it with (\d+(?= if)|what was paid)/
      .exec(detail)
      ?.slice(1)
      .join(' ') ?? ''
  );
}

test('an amount that a mistake about its unit explains is asked about', () => {
  const [even, odd] = [250_000_000n, 249_653_217n];
  for (const [toPay, told, asked] of [
    [even, { units: 25_000n }, '25000 250000000'],
    // Cents, rounded down, to the nearest one, and up.
    [odd, { units: 24_965n }, '24965 249650000'],
    [odd, { units: 24_966n }, '24966 249660000'],
    [odd, { units: 24_467n, kept: 4_990_000n }, '24467 244670000'],
    // Whole tokens, and whole euros in place of cents.
    [even, { units: 250n }, '250 250000000'],
    [odd, { units: 249n }, '249 249000000'],
    [even, { units: 2_500_000n, euros: 250n }, '250 25000'],
    [odd, { units: 2_490_000n, euros: 249n }, '249 24900'],
    // Units of the token in place of cents: far above what is due.
    [even, { units: 2_500_000_000_000n, euros: 250_000_000n }, '250000000 25000'],
    [odd, { units: 2_496_532_170_000n, euros: 249_653_217n }, '249653217 24965'],
    // Eighteen decimals in place of six.
    [odd, { units: 249_650_000n * 10n ** 12n }, `${249_650_000n * 10n ** 12n} 249650000`],
    // Nearly: a fee of a fiftieth was not told.
    [odd, { units: 24_500n }, '24500 245000000'],
    // No unit explains so much.
    [odd, { units: 999_999_999_999n }, '999999999999 what was paid'],
    [even, { units: 30_000_000_000n }, '30000000000 what was paid'],
    // Parts, and all but a fee.
    [even, { units: 125_000_000n }, ''],
    [even, { units: 25_000_000n }, ''],
    [odd, { units: 244_653_217n }, ''],
    [odd, { units: 26_000n }, ''],
    [odd, { units: 260_000_000n }, ''],
  ] as const)
    assert.equal(
      askedOf(toPay, told),
      asked,
      JSON.stringify(told, (_, each) => String(each)),
    );
  const wei = 231_385_211_019_597_364_092n;
  assert.equal(askedOf(wei, { units: 23_138n }, 18), `23138 ${23_138n * 10n ** 16n}`);
  assert.equal(askedOf(wei, { units: 231_380_000n }, 18), `231380000 ${231_380_000n * 10n ** 12n}`);
});

test('less than the smallest unit that was paid above what is due stays in the funds alone', () => {
  // A hundred units of the token are the smallest unit of the currency.
  const target = { ...corridor.target, currency: 'AUD', conversion: 'PEGGED', decimals: 4 } as const;
  const pegged = (command: PlanCommand): Plan => ({ ...due([command]), corridor: { ...corridor, target } });
  const up = pegged(paidWithAmounts('R1', 1_599n));
  const { unallocated = [] } = fundsOf(up).at(-1) ?? {};
  assert.deepEqual(
    [summary(up), unallocated.map(({ amount, direction }) => `${amount} ${direction}`)],
    [COMPLETED, ['99 OUT']],
  );
  assertBooks(up, '0');
  assert.equal(summary(changedBy(up, closed())), COMPLETED);
  assert.equal(summary(pegged(paidWithAmounts('R1', 1_600n))), SURPLUS, 'a whole unit is money');
  const converted = {
    ...up,
    corridor: { ...corridor, target: { ...target, conversion: 'CUSTODIAN' } },
  } as const;
  assert.equal(summary(converted), SURPLUS);
  const fee = { minorUnit: amountOf(100n) };
  assert.equal(summary(due([paidWithAmounts('R1', 1_400n, 199n, fee)])), SURPLUS);
  const refusal = refusalOf(due(), paidWithAmounts('R1', 1_400n, 200n, fee));
  assert.match('detail' in refusal ? refusal.detail : '', /deductions come to 200 units/);
});

test('the smallest unit of a currency is told where a token that is pegged to it is finer', () => {
  const minorUnit = (changes: Partial<Corridor['target']>) =>
    minorUnitIn({
      corridor: {
        target: { ...corridor.target, decimals: 6, currency: 'EUR', conversion: 'PEGGED', ...changes },
      },
    });
  assert.equal(minorUnit({}), '10000');
  assert.equal(minorUnit({ currency: 'JPY' }), '1000000');
  assert.equal(minorUnit({ decimals: 2 }), undefined);
  assert.equal(minorUnit({ conversion: 'CUSTODIAN' }), undefined);
});
