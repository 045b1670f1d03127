import assert from 'node:assert/strict';
import { test } from 'node:test';
import { filled } from './filled.ts';
import { currencyName, formatAmount, formatDuration, formatMoment } from './formats.ts';
import { catalogueOf, CATALOGUES } from './index.ts';

const AMOUNTS: [decimal: string, currency: string, shown: Readonly<Record<string, string>>][] = [
  ['1234.5', 'EUR', { en: '1,234.50', de: '1.234,50', es: '1234,50' }],
  ['12345.5', 'EUR', { en: '12,345.50', de: '12.345,50', es: '12.345,50' }],
  ['98.719999999999999999', 'EUR', { en: '98.71', de: '98,71', es: '98,71' }],
  ['1000', 'JPY', { en: '1,000', de: '1.000', es: '1000' }],
  ['1.2345', 'KWD', { en: '1.234', de: '1,234', es: '1,234' }],
  ['98.7199999999', 'USDC', { en: '98.719999', de: '98,719999', es: '98,719999' }],
  ['100', 'USDC', { en: '100.00', de: '100,00', es: '100,00' }],
  ['0', 'EUR', { en: '0.00', de: '0,00', es: '0,00' }],
  ['0.004', 'EUR', { en: '0.004', de: '0,004', es: '0,004' }],
  ['0.000000000000000001', 'WETH', { en: '0.000000000000000001', de: '0,000000000000000001' }],
  [
    '123456789012345678901234567890.99',
    'EUR',
    {
      en: '123,456,789,012,345,678,901,234,567,890.99',
      de: '123.456.789.012.345.678.901.234.567.890,99',
      es: '123.456.789.012.345.678.901.234.567.890,99',
    },
  ],
];
for (const [decimal, currency, shown] of AMOUNTS) {
  test(`${decimal} ${currency} is written as each language writes it`, () => {
    for (const [locale, text] of Object.entries(shown))
      assert.equal(formatAmount(catalogueOf(locale).language, decimal, currency), text, locale);
  });
}

const digitsOf = (text: string) => text.replaceAll(/[^0-9]/g, '');
const english = catalogueOf('en').language;

for (const { locale, language } of CATALOGUES) {
  test(`amounts in ${locale} have the digits that they have in English`, () => {
    for (const [decimal, currency] of AMOUNTS)
      assert.equal(
        digitsOf(formatAmount(language, decimal, currency)),
        digitsOf(formatAmount(english, decimal, currency)),
      );
  });

  test(`a moment in ${locale} is written to the minute, with its time zone`, () => {
    assert.match(formatMoment(language, Date.UTC(2026, 11, 5, 9, 7)), /^5\b.*\b2026\b.*\b09:07 UTC$/);
  });

  test(`a currency's name in ${locale} is followed by its code`, () => {
    assert.match(currencyName(language, 'PHP'), /^[^()]{5,} \(PHP\)$/);
  });
}

test('a moment is written in the words of its language', () => {
  const ms = Date.UTC(2026, 11, 5, 9, 7);
  const shown = (locale: string) => formatMoment(catalogueOf(locale).language, ms);
  assert.equal(shown('en'), '5 December 2026 at 09:07 UTC');
  assert.equal(shown('de'), '5. Dezember 2026 um 09:07 UTC');
  assert.equal(shown('es'), '5 de diciembre de 2026 a las 09:07 UTC');
});

test('a duration is written in the words of its language, with the numbers that it was given', () => {
  const shown = (locale: string, duration: string) => formatDuration(catalogueOf(locale).language, duration);
  assert.equal(shown('en', 'PT90M'), '90 minutes');
  assert.equal(shown('de', 'P1DT12H'), '1 Tag, 12 Stunden');
  assert.equal(shown('es', 'P3D'), '3 días');
});

test('a value that looks like a placeholder is not filled', () => {
  assert.equal(filled('{a} and {b}', { a: '{b}', b: '$& $1' }), '{b} and $& $1');
  assert.throws(() => filled('{a} and {c}', { a: '' }), /\{c\}/);
});
