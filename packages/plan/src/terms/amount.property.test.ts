import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runs, seed } from '@fairway/testing/properties';
import fc from 'fast-check';
import { type Amount, amountOf, isLess, sumOf, unitsOf, ZERO } from './amount.ts';

const MOST = 10n ** 78n - 1n;
const units = fc.oneof(fc.bigInt({ min: 0n, max: MOST }), fc.bigInt({ min: 0n, max: 100n }));

test('an amount and its units have the same value, however large it is', () => {
  const property = fc.property(units, (value) => {
    const amount = amountOf(value);
    assert.equal(unitsOf(amount), value);
    assert.equal(amountOf(unitsOf(amount)), amount);
    assert.equal(JSON.parse(JSON.stringify(amount)), amount);
  });
  fc.assert(property, { seed, numRuns: runs(500), examples: [[0n], [MOST], [2n ** 256n - 1n]] });
});

test('amounts are compared and added as whole numbers', () => {
  const property = fc.property(units, units, (a, b) => {
    assert.equal(isLess(amountOf(a), amountOf(b)), a < b);
    if (a + b <= MOST) assert.equal(sumOf([amountOf(a), amountOf(b)]), String(a + b));
  });
  fc.assert(property, {
    seed,
    numRuns: runs(500),
    examples: [
      [9n, 10n],
      [10n, 9n],
      [7n, 7n],
      [2n ** 53n, 2n ** 53n + 1n],
    ],
  });
  assert.equal(sumOf([]), ZERO);
});

test('there is no amount below zero or above 78 digits', () => {
  for (const value of [-1n, -(10n ** 30n), MOST + 1n]) assert.throws(() => amountOf(value), RangeError);
  assert.throws(() => sumOf([amountOf(MOST), amountOf(1n)]), RangeError);
});

test('only canonical digits have units', () => {
  const others = [
    '',
    '00',
    '01',
    '-0',
    '-5',
    '+5',
    '1.0',
    '1e3',
    '0x10',
    ' 12',
    '12 ',
    '\n7',
    '7\n',
    '1_000',
    '1,000',
    '１',
  ];
  for (const digits of [...others, '9'.repeat(79), '0'.repeat(1_000_000)]) {
    assert.throws(() => unitsOf(digits as Amount), RangeError, JSON.stringify(digits.slice(0, 20)));
    assert.throws(() => isLess(ZERO, digits as Amount), RangeError);
    assert.throws(() => sumOf([digits as Amount]), RangeError);
  }
  const property = fc.property(fc.string(), (text) => {
    fc.pre(!/^(0|[1-9]\d*)$/.test(text));
    assert.throws(() => unitsOf(text as Amount), RangeError);
  });
  fc.assert(property, { seed, numRuns: runs(300) });
});
