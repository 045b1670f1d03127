import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runs, seed } from '@fairway/testing/properties';
import fc from 'fast-check';
import { type Amount, amountOf } from './amount.ts';
import { convertedAt, type Rate, rateOf } from './rate.ts';
import { minorDecimalsOf } from './currencies.ts';

const RATES: [text: string, isRate: boolean][] = [
  ['56.5', true],
  ['0.000000000000000001', true],
  ['999999999999999999.999999999999999999', true],
  ['1', true],
  ['0', false],
  ['0.00', false],
  ['-1', false],
  ['+1', false],
  ['01', false],
  ['1.', false],
  ['.5', false],
  ['5.65e1', false],
  ['1e2', false],
  ['NaN', false],
  ['Infinity', false],
  ['1,5', false],
  [' 1', false],
  ['1\n', false],
  ['0x10', false],
  ['１', false],
  ['', false],
  ['1000000000000000000', false],
  ['0.0000000000000000001', false],
];
for (const [text, isRate] of RATES)
  test(`${JSON.stringify(text)} is ${isRate ? 'a rate, word for word' : 'no rate'}`, () =>
    assert.equal(rateOf(text), isRate ? text : undefined));

const EXAMPLES: [units: bigint, rate: string, from: number, to: number, worth: string | undefined][] = [
  [250_000_000n, '56.5', 6, 2, '1412500'],
  [1n, '56.5', 6, 2, '0'],
  [177n, '56.5', 6, 2, '1'],
  [250_000_000n, '150.25', 6, 0, '37562'],
  [10n ** 18n, '0.000001', 18, 3, '0'],
  [10n ** 18n, '0.30771', 18, 3, '307'],
  [5n, '2', 0, 4, '100000'],
  [10n ** 78n - 1n, '1', 6, 6, '9'.repeat(78)],
  [10n ** 78n - 1n, '1.1', 6, 6, undefined],
];
for (const [units, rate, from, to, worth] of EXAMPLES)
  test(`${units} units of ${from} decimals at ${rate} are ${worth ?? 'too many'} of ${to} decimals`, () =>
    assert.equal(convertedAt(amountOf(units), rate as Rate, { from, to }), worth));

test('what an amount is worth is rounded down, and never by a whole unit', () => {
  const decimals = fc.integer({ min: 0, max: 24 });
  const parts = fc.tuple(fc.bigInt({ min: 1n, max: 10n ** 18n - 1n }), fc.integer({ min: 0, max: 17 }));
  const amount = fc.bigInt({ min: 0n, max: 10n ** 40n }).map(amountOf);
  const property = fc.property(
    amount,
    parts,
    decimals,
    decimals,
    (units: Amount, [digits, scale], from, to) => {
      const text = String(digits).padStart(scale + 1, '0');
      const point = text.length - scale;
      const rate = rateOf(scale === 0 ? text : `${text.slice(0, point)}.${text.slice(point)}`);
      assert.ok(rate, text);
      const worth = convertedAt(units, rate, { from, to });
      if (worth === undefined) return;
      // worth <= units * digits * 10^(to - from - scale) < worth + 1, without a division.
      const exact = BigInt(units) * digits * 10n ** BigInt(to);
      const whole = 10n ** BigInt(from + scale);
      assert.ok(BigInt(worth) * whole <= exact && exact < (BigInt(worth) + 1n) * whole);
    },
  );
  fc.assert(property, { seed, numRuns: runs(500) });
});

test('minor units are those of ISO 4217, also where people write fewer decimals', () => {
  const decimals = ['PHP', 'EUR', 'JPY', 'ISK', 'KWD', 'CLF', 'RSD', 'HUF', 'MMK', 'UGX'].map(
    minorDecimalsOf,
  );
  assert.deepEqual(decimals, [2, 2, 0, 0, 3, 4, 2, 2, 2, 0]);
  for (const other of ['USDC', 'eur', 'XAU', 'XXX', '', 'EU', 'toString'])
    assert.equal(minorDecimalsOf(other), undefined, other);
});
