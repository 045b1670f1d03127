import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getCountrySpecifications } from 'ibantools';
import { bankFacts, ibanCountries } from './ibanCountries.ts';
import { ibanLengths } from './ibanRegistry.ts';
import { recipientFormats } from './formats.ts';

const specifications = getCountrySpecifications();

test('each country with IBANs is paid by IBAN, and the check knows its length', () => {
  for (const [country, length] of ibanLengths) {
    assert.ok('usesIban' in bankFacts(country) && bankFacts(country).usesIban, country);
    assert.equal(specifications[country]?.chars, length, country);
  }
});

test('no country that the library has from the registry is lacking here', () => {
  const listed = Object.keys(specifications).filter(
    (country) => specifications[country]?.IBANRegistry === true,
  );
  assert.deepEqual(
    listed.filter((country) => !ibanCountries.has(country)),
    [],
  );
});

test('an IBAN of a country that the library does not say to be in the registry is checked', () => {
  for (const [iban, isRight] of [
    ['BI42 10000 10001 00003320451 81', true],
    ['DJ21 0001 0000 0001 5400 0100 186', true],
    ['FK88 SC12 3456 7890 12', true],
    ['HN88 CABF 0000 0000 0002 5000 5469', true],
    ['HN88 CABF 0000 0000 0002 5000 5468', false],
  ] as const)
    assert.equal(recipientFormats['iban']?.(iban), isRight, iban);
});
