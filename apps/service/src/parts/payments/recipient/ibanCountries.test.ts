import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getCountrySpecifications } from 'ibantools';
import { bankFacts, ibanCountries } from './ibanCountries.ts';
import { ibanLengths } from './ibanRegistry.ts';
import { recipientFormats } from './formats.ts';

/** The column "IBAN length" of the registry's release 103, of September 2026, written down apart from the forms. */
const REGISTRY_2026_09 =
  'AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 ' +
  'FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 ' +
  'LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 ' +
  'RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30';
const lengths = new Map(REGISTRY_2026_09.split(' ').map((each) => [each.slice(0, 2), Number(each.slice(2))]));

const isIban = (text: string) => recipientFormats['iban']?.(text) === true;

/** The IBAN with these characters behind its check digits. */
function withCheckDigits(country: string, rest: string): string {
  const digits = `${rest}${country}00`.replaceAll(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 55));
  return `${country}${String(98n - (BigInt(digits) % 97n)).padStart(2, '0')}${rest}`;
}

test('the countries are those of the registry with the lengths of it, and each is paid by IBAN', () => {
  assert.equal(lengths.size, 89);
  assert.deepEqual(ibanLengths, lengths);
  const specifications = getCountrySpecifications();
  for (const [country, length] of lengths) assert.equal(specifications[country]?.chars, length, country);
  for (const country of ibanCountries) {
    const facts = bankFacts(country);
    assert.ok('usesIban' in facts && facts.usesIban, country);
  }
});

test('no country that the library has from the registry is lacking here', () => {
  const listed = Object.entries(getCountrySpecifications()).flatMap(([country, { IBANRegistry }]) =>
    IBANRegistry === true && !ibanCountries.has(country) ? [country] : [],
  );
  assert.deepEqual(listed, []);
});

test('an IBAN is checked by the form of the registry, also where the library knows an older one', () => {
  for (const [iban, isRight] of [
    ['BI42 10000 10001 00003320451 81', true],
    ['DJ21 0001 0000 0001 5400 0100 186', true],
    ['FK88 SC12 3456 7890 12', true],
    ['HN88 CABF 0000 0000 0002 5000 5469', true],
    ['HN88 CABF 0000 0000 0002 5000 5468', false],
    // Letters in the bank's part, since release 103; in the account; in the first four.
    [withCheckDigits('BR', `1A2B3C4D${'0'.repeat(14)}1P1`), true],
    [withCheckDigits('BR', `1A2B3C4D${'0'.repeat(14)}X1P`), false],
    [withCheckDigits('PK', `SCBL${'A1'.repeat(8)}`), true],
    [withCheckDigits('PK', `1CBL${'0'.repeat(16)}`), false],
    [withCheckDigits('PS', `PALS${'0'.repeat(20)}A`), true],
    [withCheckDigits('DO', `1ABC${'0'.repeat(20)}`), true],
    [withCheckDigits('GE', `1B${'0'.repeat(16)}`), false],
    // The country's own check digits, the wrong ones in a right IBAN.
    ['NO93 8601 1117 947', true],
    [withCheckDigits('NO', '86011117948'), false],
    // Not in the registry, and a QR-IBAN.
    [withCheckDigits('DZ', '0'.repeat(22)), false],
    ['CH44 3199 9123 0008 8901 2', false],
  ] as const)
    assert.equal(isIban(iban), isRight, iban);
});

test('check digits are 02 to 98: what has the same remainder is refused', () => {
  for (const [right, wrong] of [
    ['DE97370400440532013050', 'DE00370400440532013050'],
    ['DE98370400440532013032', 'DE01370400440532013032'],
    ['DE02370400440532013014', 'DE99370400440532013014'],
  ] as const)
    assert.deepEqual([isIban(right), isIban(wrong)], [true, false], wrong);
});
