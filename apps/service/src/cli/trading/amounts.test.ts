import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exactAmount } from '@fairway/values';
import { decimalOf, roundedAmount } from './amounts.ts';

test('fractions of any size keep their significant digits', () => {
  const cases: [bigint, bigint, string][] = [
    [0n, 7n, '0'],
    [1n, 1n, '1'],
    [1n, 3n, '0.33333333'],
    [2n, 3n, '0.66666667'],
    [1n, 2n, '0.5'],
    [1n, 10n, '0.1'],
    [1n, 20n, '0.05'],
    [1n, 1_000_000n, '0.000001'],
    [123_456_789n, 1n, '123,456,789'],
    [1_999_999_999n, 1000n, '2,000,000'],
    [123_456_785n, 100n, '1,234,567.9'],
    [1n, 10n ** 30n, `0.${'0'.repeat(29)}1`],
  ];
  for (const [numerator, denominator, text] of cases) assert.equal(decimalOf(numerator, denominator), text);
});

test('exact amounts keep every digit, rounded amounts keep eight', () => {
  assert.equal(exactAmount(1_234_567_890_123_456_789n, 18), '1.234567890123456789');
  assert.equal(exactAmount(2_999_574_122n, 6), '2,999.574122');
  assert.equal(exactAmount(1_000_000n, 0), '1,000,000');
  assert.equal(exactAmount(5n, 18), '0.000000000000000005');
  assert.equal(roundedAmount(2_696_030_314_462n, 6), '2,696,030.3');
});
