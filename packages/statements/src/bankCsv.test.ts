// CSV as banks write it: amounts, directions, days, footers, and balances in some rows.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ColumnMap } from './index.ts';
import { readCsv } from './readCsv.ts';

const EUR = { account: 'A-1', currency: 'EUR', delimiter: ';', skipLines: 0 } as const;
const POINT: ColumnMap = {
  ...{ ...EUR, decimalSeparator: '.', dateFormat: 'YYYY-MM-DD' },
  columns: { bookedOn: 'Day', amount: 'Amount' },
};
const COMMA: ColumnMap = { ...POINT, decimalSeparator: ',' };

/** The entries of rows as `OUT 123 2026-11-24`, or what is wrong. */
async function entriesOf(map: ColumnMap, ...rows: readonly string[]) {
  const read = await readCsv([`${rows.join('\n')}\n`], map);
  if (!read.ok) return read.detail;
  return read.sections.flatMap(({ units }) =>
    units.map(({ direction, minor, bookedOn }) => `${direction} ${minor} ${bookedOn}`),
  );
}

/** An amount as banks write it, the map, and what it is in minor units; undefined where it is refused. */
const AMOUNTS: readonly (readonly [string, ColumnMap, string | undefined])[] = [
  ['1234.50', POINT, 'IN 123450'],
  ['-1,234.50', POINT, 'OUT 123450'],
  ['1.234,50', COMMA, 'IN 123450'],
  ['1.234', COMMA, 'IN 123400'],
  ['1.230', POINT, undefined],
  ['1,230', COMMA, undefined],
  ['0.000', POINT, undefined],
  ['1.230', { ...POINT, currency: 'TND' }, 'IN 1230'],
  ['1.000', { ...POINT, currency: 'JPY' }, undefined],
  ['1.2300', POINT, 'IN 123'],
  ['1.2345', POINT, undefined],
  ['1.23', COMMA, undefined],
  ["1'234'567.80", POINT, 'IN 123456780'],
  ['1’234.50', POINT, 'IN 123450'],
  ['1\u00A0234,50', COMMA, 'IN 123450'],
  ['-1\u202F234,5 €', COMMA, 'OUT 123450'],
  ['€ 12.00', POINT, 'IN 1200'],
  ['-€12.00', POINT, 'OUT 1200'],
  ['12,00 EUR', COMMA, 'IN 1200'],
  ['$12.00', POINT, undefined],
  ['A$12.00', { ...POINT, currency: 'AUD' }, 'IN 1200'],
  ['12,00-', COMMA, 'OUT 1200'],
  ['\u221212.00', POINT, 'OUT 1200'],
  ['(12.00)', POINT, 'OUT 1200'],
  ['+12.00', POINT, 'IN 1200'],
  ['-12.00-', POINT, undefined],
  ['12,34,567.00', POINT, 'IN 123456700'],
  ['.50', POINT, 'IN 50'],
  ['12 34', POINT, undefined],
  ['twelve', POINT, undefined],
];

for (const [text, map, expected] of AMOUNTS)
  test(`the amount ${text} of ${map.currency} with a ${map.decimalSeparator} is ${expected}`, async () => {
    const entries = await entriesOf(map, 'Day;Amount', `2026-11-24;${text}`);
    if (expected !== undefined) assert.deepEqual(entries, [`${expected} 2026-11-24`]);
    else
      assert.match(
        String(entries),
        new RegExp(`^line 2, column "Amount": .*The map asks for an amount of ${map.currency} with a`),
      );
  });

test('a message shows the row, the column, the value cut short, and what the map asks for', async () => {
  assert.equal(
    await entriesOf(POINT, 'Day;Amount', '2026-11-24;1.230'),
    'line 2, column "Amount": "1.230" has three digits behind a point, and EUR has 2: it may be thousands. The map asks for an amount of EUR with a point before its decimals (decimalSeparator).',
  );
  assert.equal(
    await entriesOf(POINT, 'Day;Amount', `2026-13-24 ${'x'.repeat(30)};1.00`),
    'line 2, column "Day": "2026-13-24 xxxxxxxxxxxxx…" is no day of the years 1970 to 2199. The map asks for YYYY-MM-DD (dateFormat).',
  );
});

const SIDES: ColumnMap = { ...COMMA, columns: { bookedOn: 'Day', debit: 'Soll', credit: 'Haben' } };

test('one of debit and credit has the amount, with a minus or without; the other none or zero', async () => {
  const rows = ['1,00;', '-2,00;', '3,00;0,00', ';4,00', '0,00;5,00', '0,00;0,00'].map(
    (each) => `2026-11-24;${each}`,
  );
  assert.deepEqual(await entriesOf(SIDES, 'Day;Soll;Haben', ...rows), [
    'OUT 100 2026-11-24',
    'OUT 200 2026-11-24',
    'OUT 300 2026-11-24',
    'IN 400 2026-11-24',
    'IN 500 2026-11-24',
  ]);
  assert.match(
    String(await entriesOf(SIDES, 'Day;Soll;Haben', '2026-11-24;1,00;2,00')),
    /both have an amount/,
  );
  assert.match(String(await entriesOf(SIDES, 'Day;Soll;Haben', '2026-11-24;;')), /are empty/);
  assert.match(
    String(await entriesOf(SIDES, 'Day;Soll;Haben', '2026-11-24;;-2,00')),
    /column "Haben": "-2,00" has a minus/,
  );
});

const WORDED: ColumnMap = { ...POINT, columns: { bookedOn: 'Day', amount: 'Amount', direction: 'Way' } };

for (const [out, came] of [
  ['Af', 'Bij'],
  ['D', 'C'],
  ['Debit', 'Credit'],
  ['DEBIT', 'CREDIT'],
  ['DBIT', 'CRDT'],
  ['DR', 'CR'],
  ['Débit', 'Crédit'],
  ['S', 'H'],
  ['-', '+'],
])
  test(`the directions ${out} and ${came} are read`, async () => {
    const rows = [`2026-11-24;1.00;${out}`, `2026-11-24;2.00;${came}`, `2026-11-24;-3.00;${out}`];
    assert.deepEqual(await entriesOf(WORDED, 'Day;Amount;Way', ...rows), [
      'OUT 100 2026-11-24',
      'IN 200 2026-11-24',
      'OUT 300 2026-11-24',
    ]);
  });

test('a direction that nobody knows, or that the sign denies, is refused', async () => {
  assert.match(
    String(await entriesOf(WORDED, 'Day;Amount;Way', '2026-11-24;1.00;sideways')),
    /column "Way": "sideways"/,
  );
  assert.match(String(await entriesOf(WORDED, 'Day;Amount;Way', '2026-11-24;-1.00;C')), /has a minus/);
});

/** A day as banks write it, the format of the map, and whether it is the 4th of November 2026. */
const DAYS: readonly (readonly [string, ColumnMap['dateFormat'], boolean])[] = [
  ['2026-11-04', 'YYYY-MM-DD', true],
  ['2026-11-04T09:30:00Z', 'YYYY-MM-DD', true],
  ['2026-11-04 09:30', 'YYYY-MM-DD', true],
  ['04.11.2026', 'DD.MM.YYYY', true],
  ['4.11.26', 'DD.MM.YYYY', true],
  ['4. 11. 2026.', 'DD.MM.YYYY', true],
  ['04/11/2026', 'DD/MM/YYYY', true],
  ['4/11/26 9:30 PM', 'DD/MM/YYYY', true],
  ['04-11-2026', 'DD-MM-YYYY', true],
  ['11/4/26', 'MM/DD/YYYY', true],
  ['2026/11/04', 'YYYY/MM/DD', true],
  ['20261104', 'YYYYMMDD', true],
  ['04/11/2026', 'DD.MM.YYYY', false],
  ['31.11.2026', 'DD.MM.YYYY', false],
  ['04.11.2026x', 'DD.MM.YYYY', false],
  ['04.11.126', 'DD.MM.YYYY', false],
];

for (const [text, dateFormat, isRead] of DAYS)
  test(`the day ${text} with ${dateFormat} is ${isRead ? 'read' : 'refused'}`, async () => {
    const entries = await entriesOf({ ...POINT, dateFormat }, 'Day;Amount', `${text};1.00`);
    if (isRead) assert.deepEqual(entries, ['IN 100 2026-11-04']);
    else assert.match(String(entries), new RegExp(`is no day of .* asks for ${dateFormat}`));
  });

test('sums and remarks below the entries are passed over, and nowhere else', async () => {
  const one = '2026-11-24;1.00';
  const footers = ['Total;1.00', 'Printed on 24.11.2026', ';', '"End of file"'];
  assert.deepEqual(await entriesOf(POINT, 'Day;Amount', one, ...footers), ['IN 100 2026-11-24']);
  assert.match(
    String(await entriesOf(POINT, 'Day;Amount', one, 'Total;1.00', one)),
    /^line 3, column "Day": "Total"/,
  );
  assert.match(String(await entriesOf(POINT, 'Day;Amount', one, ';5.00')), /^line 3, column "Day": ""/);
  assert.match(String(await entriesOf(POINT, 'Day;Amount', one, '31.31.2026;5.00')), /^line 3, column "Day"/);
  const wrong = { ...POINT, columns: { bookedOn: 'Name', amount: 'Amount' } };
  assert.match(String(await entriesOf(wrong, 'Name;Amount', 'Jo;1.00')), /^line 2, column "Name": "Jo"/);
  assert.deepEqual(await entriesOf(POINT, 'Day;Amount'), [], 'a file without rows has nothing to do');
});

test('rows that a column tells to be pending are left out', async () => {
  const map = { ...POINT, leaveOut: { column: 'State', values: ['Pending', 'vorgemerkt'] } };
  const rows = ['2026-11-24;1.00;Booked', ';2.00;PENDING', '2026-11-24;3.00;Vorgemerkt '];
  assert.deepEqual(await entriesOf(map, 'Day;Amount;State', ...rows), ['IN 100 2026-11-24']);
  assert.match(
    String(await entriesOf(map, 'Day;Amount', '2026-11-24;1.00')),
    /no column for leaveOut.column \("State"\)/,
  );
});

test('balances in some rows are checked, in either order, and the others follow from them', async () => {
  const map = { ...POINT, columns: { ...POINT.columns, balance: 'Balance' } };
  const balances = async (...rows: readonly string[]) => {
    const read = await readCsv([['Day;Amount;Balance', ...rows].join('\n')], map);
    return read.ok ? [read.sections[0]?.opening?.minor, read.sections[0]?.closing?.minor] : read.detail;
  };
  const rows = ['2026-11-24;1.00;', '2026-11-24;2.00;13.00', '2026-11-25;4.00;', '2026-11-25;-1.00;16.00'];
  assert.deepEqual(await balances(...rows, '2026-11-26;5.00;'), [1_000n, 2_100n]);
  assert.deepEqual(await balances('2026-11-26;5.00;', ...rows.toReversed()), [1_000n, 2_100n]);
  assert.deepEqual(await balances('2026-11-24;1.00;'), [undefined, undefined]);
  assert.match(String(await balances(...rows, '2026-11-26;5.00;20.00')), /balances do not follow/);
});

test('what a bank writes for no reference is none', async () => {
  const map = { ...POINT, columns: { ...POINT.columns, endToEndId: 'E2E', reference: 'Ref' } };
  const read = await readCsv(['Day;Amount;E2E;Ref\n2026-11-24;1.00;NOT PROVIDED;nonref\n'], map);
  assert.ok(read.ok);
  assert.deepEqual(
    [read.sections[0]?.units[0]?.endToEndId, read.sections[0]?.units[0]?.references],
    [undefined, []],
  );
});
