import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DE } from './de.ts';
import { EN } from './en.ts';
import { filled } from './filled.ts';
import { formatAmount, formatMoment } from './formats.ts';

const AMOUNTS: [decimal: string, currency: string, english: string, german: string][] = [
  ['1234.5', 'EUR', '1,234.50', '1.234,50'],
  ['98.719999999999999999', 'EUR', '98.71', '98,71'],
  ['1000', 'JPY', '1,000', '1.000'],
  ['1.2345', 'KWD', '1.234', '1,234'],
  ['98.7199999999', 'USDC', '98.719999', '98,719999'],
  ['100', 'USDC', '100.00', '100,00'],
  ['0', 'EUR', '0.00', '0,00'],
  ['0.004', 'EUR', '0.004', '0,004'],
  ['0.000000000000000001', 'WETH', '0.000000000000000001', '0,000000000000000001'],
  [
    '123456789012345678901234567890.99',
    'EUR',
    '123,456,789,012,345,678,901,234,567,890.99',
    '123.456.789.012.345.678.901.234.567.890,99',
  ],
];
for (const [decimal, currency, english, german] of AMOUNTS) {
  test(`${decimal} ${currency} reads ${english} in English and ${german} in German`, () => {
    assert.equal(formatAmount(EN.language, decimal, currency), english);
    assert.equal(formatAmount(DE.language, decimal, currency), german);
  });
}

test('a moment is written with its time zone', () => {
  const ms = Date.UTC(2026, 11, 5, 9, 7);
  assert.equal(formatMoment(EN.language, ms), '5 December 2026 at 09:07 UTC');
  assert.equal(formatMoment(DE.language, ms), '5. Dezember 2026 um 09:07 UTC');
});

test('a value that looks like a placeholder is not filled', () => {
  assert.equal(filled('{a} and {b}', { a: '{b}', b: '$& $1' }), '{b} and $& $1');
  assert.throws(() => filled('{a} and {c}', { a: '' }), /\{c\}/);
});
