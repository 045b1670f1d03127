import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isMt940, readMt940 } from './readMt940.ts';

const ID = 'FW0123456789ABCDEF0123456789ABCDEF';
const message = (closing: string, ...lines: readonly string[]) =>
  [
    ':20:STARTUMSE',
    ':25:10020030/1234567EUR',
    ':28C:00045/001',
    ':60F:C261123EUR1000,00',
    ...lines,
    `:62F:${closing}`,
    '-',
  ].join('\r\n');

async function unitsOf(text: string) {
  // In parts of a few characters, as a stream may bring them.
  const read = await readMt940(text.match(/[\s\S]{1,7}/g) ?? []);
  return read.ok ? read.sections.flatMap(({ units }) => units) : read.detail;
}

test('subfields without a code before them are read, so that no name is in a reference', async () => {
  const units = await unitsOf(
    message(
      'C261124EUR922,30',
      ':61:2611241124D77,70NTRFNONREF//BANKREF7',
      `:86:?20EREF+${ID.slice(0, 22)}?21${ID.slice(22)}?32Jo Citizen`,
    ),
  );
  assert.ok(typeof units !== 'string');
  assert.deepEqual([units[0]?.endToEndId, units[0]?.name], [ID, 'Jo Citizen']);
});

test('a statement with subfields and SEPA marks is read', async () => {
  const read = await readMt940([
    message(
      'C261124EUR922,30',
      ':61:2611241124D77,70NTRFNONREF//BANKREF7',
      '/OCMT/EUR77,70/',
      ':86:177?00SEPA-UEBERWEISUNG?20EREF+FW0123456789ABCDEF01?2123456789ABCDEFKREF+K-7SVWZ?22+Rent for Ma',
      'y?30TESTDEFFXXX?31DE02120300000000202051?32Jo Citize?33n',
    ),
  ]);
  assert.ok(read.ok, read.ok ? '' : read.detail);
  const [section] = read.sections;
  assert.deepEqual(
    [section?.account, section?.currency, section?.number, section?.opening?.minor, section?.closing],
    ['10020030/1234567', 'EUR', '00045/001', 100_000n, { minor: 92_230n, on: '2026-11-24' }],
  );
  assert.deepEqual(section?.units, [
    {
      ...{ direction: 'OUT', minor: 7_770n, bookedOn: '2026-11-24', valueOn: '2026-11-24' },
      ...{
        isReversal: false,
        isRest: false,
        servicerReference: 'BANKREF7',
        code: 'NTRF-177',
        endToEndId: ID,
      },
      ...{ references: ['BANKREF7', 'K-7'], name: 'Jo Citizen', account: 'DE02120300000000202051' },
      text: 'Rent for May /OCMT/EUR77,70/',
    },
  ]);
});

test('a statement in the structured form of ISO is read', async () => {
  const units = await unitsOf(
    message(
      'C261124EUR990,00',
      ':61:2611241124D10,NTRF' + 'PAY-7//B-7',
      `:86:/TRTP/SEPA OVERBOEKING/IBAN/NL91ABNA0417164300/BIC/ABNANL2A/NAME/Jo Citizen/REMI/USTD//Rent for M`,
      `ay/EREF/${ID}`,
    ),
  );
  if (typeof units === 'string') assert.fail(units);
  const [unit] = units;
  assert.deepEqual(
    [unit?.endToEndId, unit?.name, unit?.account, unit?.text, unit?.references],
    [ID, 'Jo Citizen', 'NL91ABNA0417164300', 'Rent for M ay', ['B-7', 'PAY-7']],
  );
});

test('reversals, days of two years, and frames of SWIFT are read', async () => {
  const framed = `{1:F01TESTDEFFXXXX0000000000}{2:O9400000}{4:\r\n${message(
    'C270104EUR1000,00',
    ':61:2701021231D5,00NTRFA-1',
    ':86:A text in',
    '- two lines',
    ':61:270104RD5,00NRTIA-1',
    ':86:RETURN/EREF/A-1',
    ':61:270104RC2,00NTRFA-2',
    ':61:270104C2,00NTRFA-2',
  )}}`;
  assert.ok(isMt940(framed) && isMt940('\r\n:20:X') && !isMt940('20;x'));
  const units = await unitsOf(framed);
  if (typeof units === 'string') assert.fail(units);
  assert.deepEqual(
    units.map(
      ({ direction, minor, bookedOn, isReversal }) => `${direction} ${minor} ${bookedOn} ${isReversal}`,
    ),
    [
      'OUT 500 2026-12-31 false',
      'IN 500 2027-01-04 true',
      'OUT 200 2027-01-04 true',
      'IN 200 2027-01-04 false',
    ],
  );
  assert.deepEqual([units[0]?.text, units[1]?.endToEndId], ['A text in - two lines', 'A-1']);
});

test('several statements of a file, and one without entries, are read', async () => {
  const read = await readMt940([
    message('C261124EUR1000,00'),
    '\r\n',
    message('C261125EUR1001,00', ':61:261125C1,NMSC'),
  ]);
  assert.deepEqual(read.ok && read.sections.map(({ units }) => units.length), [0, 1]);
});

test('what is no whole statement is refused with its place', async () => {
  for (const [text, detail] of [
    [message('C261124EUR999,00'), /^line 1: .*come to 100000 .* is 99900/],
    [message('C261124USD1000,00'), /^line 5: a balance is not in the currency/],
    [message('C261124EUR1000,00', ':61:yesterday'), /^line 5: an entry \(:61:\) must be/],
    [message('C261124EUR1000,00', ':61:261124D1,234NTRF'), /^line 5: an amount has more decimals than EUR/],
    [message('C261124EUR1000,00').replace(':25:10020030/1234567EUR\r\n', ''), /names no account/],
    [`:20:${'x'.repeat(2_000)}`, /longer than any/],
    ['no fields', /has no statements/],
    [message('C261124EUR1000,00', `:61:261124D1,NTRF${'r'.repeat(300)}`), /a reference is longer/],
  ] as const) {
    const found = await unitsOf(text);
    assert.match(typeof found === 'string' ? found : '', detail);
  }
});

test('a word at the begin of a line is one of its own, also where banks drop the space before it', async () => {
  for (const lines of [
    [`:86:177?00X?20EREF+${ID.slice(0, 22)}?21${ID.slice(22)}?22SVWZ+Rent for November, yes?23INV-7`],
    [`:86:EREF+${ID.slice(0, 30)}`, `${ID.slice(30)} SVWZ+Rent for November, yes`, 'INV-7'],
    [`:86:/EREF/${ID.slice(0, 30)}`, `${ID.slice(30)}/RE`, 'MI/USTD//Rent for November, yes', 'INV-7'],
  ]) {
    const units = await unitsOf(message('C261124EUR922,30', ':61:2611241124D77,70NTRFNONREF//B7', ...lines));
    assert.ok(typeof units !== 'string');
    assert.deepEqual([units[0]?.endToEndId, units[0]?.text], [ID, 'Rent for November, yes INV-7']);
  }
});
