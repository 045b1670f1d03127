import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ColumnMap } from './index.ts';
import { readCsv } from './readCsv.ts';
import { suggestMap } from './suggestMap.ts';

const KNOWN = { account: 'A-1', currency: 'EUR' };

/** Files as banks write them, with what the map must have, and the entries that it reads. */
const FILES: readonly (readonly [string, string, object, readonly string[]])[] = [
  [
    'German, with a preamble, a footer and a status',
    [
      ...['Kontoauszug;;;;;;', 'Konto: 1234567;;;;;;', ''],
      'Buchungstag;Wertstellung;Auftraggeber/Empfänger;Verwendungszweck;Betrag;Saldo;Status',
      '24.11.2026;25.11.2026;Jo Citizen;Rent for May;-1.077,70;8.922,30;Gebucht',
      '25.11.2026;25.11.2026;Zoë Ann;Refund;12,00;8.934,30;Gebucht',
      '26.11.2026;;Di Late;Card;-5,00;;Vorgemerkt',
      'Summe;;;;-1.065,70;;',
    ].join('\n'),
    {
      ...{ delimiter: ';', decimalSeparator: ',', dateFormat: 'DD.MM.YYYY', skipLines: 3 },
      leaveOut: { column: 'Status', values: ['Vorgemerkt'] },
      columns: {
        ...{ bookedOn: 'Buchungstag', valueOn: 'Wertstellung', amount: 'Betrag', balance: 'Saldo' },
        ...{ name: 'Auftraggeber/Empfänger', text: 'Verwendungszweck' },
      },
    },
    ['OUT 107770 2026-11-24', 'IN 1200 2026-11-25'],
  ],
  [
    'Dutch, with a column for the direction and compact days',
    [
      '"Datum","Naam / Omschrijving","Rekening","Tegenrekening","Af Bij","Bedrag (EUR)","Mededelingen"',
      '"20261124","Jo Citizen","NL02TEST0123456789","NL91ABNA0417164300","Af","77,70","Rent"',
      '"20261125","Zoe Ann","NL02TEST0123456789","NL91ABNA0417164300","Bij","12,00","Back"',
    ].join('\n'),
    {
      ...{ delimiter: ',', decimalSeparator: ',', dateFormat: 'YYYYMMDD', skipLines: 0 },
      columns: {
        ...{ bookedOn: 'Datum', amount: 'Bedrag (EUR)', direction: 'Af Bij', account: 'Tegenrekening' },
        ...{ name: 'Naam / Omschrijving', text: 'Mededelingen' },
      },
    },
    ['OUT 7770 2026-11-24', 'IN 1200 2026-11-25'],
  ],
  [
    'payouts alone, with an empty column of credits',
    ['Datum;Text;Soll;Haben', '24.11.2026;Rent;77,70;', '25.11.2026;Fee;1,00;'].join('\n'),
    {
      ...{ delimiter: ';', decimalSeparator: ',', dateFormat: 'DD.MM.YYYY', skipLines: 0 },
      columns: { bookedOn: 'Datum', debit: 'Soll', credit: 'Haben', text: 'Text' },
    },
    ['OUT 7770 2026-11-24', 'OUT 100 2026-11-25'],
  ],
  [
    'English, with paid in and paid out',
    [
      'Date\tDescription\tPaid out\tPaid in\tBalance\tEnd-to-end ID',
      '24/11/2026\tRent\t77.70\t\t922.30\tFW1',
      '25/11/2026\tBack\t\t12.00\t934.30\t',
    ].join('\r\n'),
    {
      ...{ delimiter: '\t', decimalSeparator: '.', dateFormat: 'DD/MM/YYYY', skipLines: 0 },
      columns: {
        ...{ bookedOn: 'Date', debit: 'Paid out', credit: 'Paid in', balance: 'Balance' },
        ...{ endToEndId: 'End-to-end ID', text: 'Description' },
      },
    },
    ['OUT 7770 2026-11-24', 'IN 1200 2026-11-25'],
  ],
];

for (const [name, text, expected, entries] of FILES)
  test(`a map is proposed for a file that is ${name}`, async () => {
    const found = suggestMap(text, KNOWN);
    assert.ok(found.ok, found.ok ? '' : found.detail);
    assert.deepEqual(found.map, { ...KNOWN, ...expected });
    assert.deepEqual([found.missing, found.doubts, found.fault], [[], [], undefined]);
    const shown = ({ direction, minor, bookedOn }: { direction: string; minor: bigint; bookedOn: string }) =>
      `${direction} ${minor} ${bookedOn}`;
    assert.deepEqual(
      found.rows.map(({ unit }) => shown(unit)),
      entries,
    );
    // The map reads the whole file as it has shown.
    const read = await readCsv([text], found.map as ColumnMap);
    assert.ok(read.ok, read.ok ? '' : read.detail);
    assert.deepEqual(read.sections[0]?.units.map(shown), entries);
  });

test('account and currency are found in the rows, and told to be missing where they are not', () => {
  const found = suggestMap(
    'Date,My account,Currency,Amount\n2026-11-24,A-7,SEK,-1.00\n2026-11-25,A-7,SEK,2.00\n',
    {},
  );
  assert.ok(found.ok);
  assert.deepEqual(
    [found.map.account, found.map.currency, found.missing, found.rows.length],
    ['A-7', 'SEK', [], 2],
  );
  const bare = suggestMap('Date,Amount\n2026-11-24,-1.00\n', {});
  assert.ok(bare.ok);
  assert.deepEqual([bare.missing, bare.rows], [['account', 'currency'], []]);
});

test('days that can be read in two ways, and amounts without decimals, are doubts', () => {
  const found = suggestMap('Date,Amount\n04/11/2026,-1\n05/11/2026,2\n', KNOWN);
  assert.ok(found.ok);
  assert.deepEqual(
    found.doubts.map((doubt) => doubt.split(':')[0]),
    ['dateFormat', 'decimalSeparator'],
  );
  const sure = suggestMap('Date,Amount\n04/13/2026,-1.50\n05/11/2026,2.00\n', KNOWN);
  assert.deepEqual(sure.ok && [sure.map.dateFormat, sure.doubts], ['MM/DD/YYYY', []]);
});

test('a row that the map cannot read is shown, and a file without a header is refused', () => {
  const found = suggestMap(
    'Date,Amount\n2026-11-24,1.00\n2026-11-24,2.00\n2026-11-24,3.00\n2026-11-25,4.00\n2026-11-25,1.230\n',
    KNOWN,
  );
  assert.ok(found.ok);
  assert.equal(found.rows.length, 4);
  assert.match(found.fault ?? '', /^line 6, column "Amount": "1.230" has three digits/);
  for (const text of ['', 'x', '2026-11-24,1.00\n2026-11-25,2.00\n', '<Document/>', 'a,b\n'.repeat(50_000)]) {
    const refused = suggestMap(text, KNOWN);
    assert.match(refused.ok ? '' : refused.detail, /^No header was found/);
  }
});

test('a long file is looked at in part', () => {
  const rows = 'Date,Amount\n' + '2026-11-24,1.00\n'.repeat(400_000);
  const before = process.threadCpuUsage();
  const found = suggestMap(rows, KNOWN);
  assert.ok(found.ok && found.rows.length === 10);
  assert.ok(process.threadCpuUsage(before).user < 1_000_000, 'microseconds');
});

test('a column of debits alone is not proposed as what came', () => {
  const found = suggestMap('Date,Text,Debit\n24/11/2026,Rent,77.70\n25/11/2026,Fee,1.00', KNOWN);
  assert.ok(found.ok);
  assert.equal(found.map.columns.amount, undefined);
});
