// Workbooks, read back by a library that shares no code with the writer.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { readXlsx } from 'hucre/xlsx';
import type { Cell } from './cells.ts';
import { xlsxWriter } from './xlsxWriter.ts';

const TOTALS = { columns: ['symbol', 'amount'], rows: [['USDC', 7n]] };
const TO_MS = Date.UTC(2026, 10, 1);

/** The file of rows that are handed over in parts. */
function fileOf(columns: readonly string[], rows: readonly Cell[][], partRows = 100): Buffer {
  const writer = xlsxWriter({ title: 'movements', columns, toMs: TO_MS });
  const parts = [writer.begin()];
  for (let at = 0; at < rows.length; at += partRows) parts.push(writer.rows(rows.slice(at, at + partRows)));
  return Buffer.concat([...parts, writer.end(TOTALS)]);
}

async function read(file: Buffer) {
  const workbook = await readXlsx(new Uint8Array(file), { readStyles: true });
  assert.deepEqual(
    workbook.sheets.map(({ name }) => name),
    ['movements', 'totals'],
  );
  const sheet = workbook.sheets[0] ?? assert.fail();
  return { workbook, sheet, rows: sheet.rows };
}

test('numbers, days, times and texts are cells of their types', async () => {
  const timeMs = Date.UTC(2026, 9, 31, 23, 59, 59, 999);
  const row: Cell[] = [
    7,
    10n ** 30n,
    { decimal: '-107.631565' },
    { timeMs },
    { day: '2026-10-31' },
    null,
    'x & <y> "z"',
  ];
  const columns = ['number', 'units', 'decimal', 'time', 'day', 'empty', 'text'];
  const { rows } = await read(fileOf(columns, [row]));
  assert.deepEqual(rows, [
    columns,
    [
      7,
      String(10n ** 30n),
      -107.631565,
      new Date(timeMs),
      new Date('2026-10-31T00:00:00Z'),
      null,
      'x & <y> "z"',
    ],
  ]);
});

test('amounts are numbers that can be added up, with two digits behind the point at least', async () => {
  const amounts = ['70.000000', '-107.631565', '1234567.10', '1.000000000000000001'];
  const { sheet, rows } = await read(
    fileOf(
      ['amountDecimal', 'driftBps'],
      amounts.map((decimal) => [{ decimal }, { decimal: '-464' }]),
    ),
  );
  assert.deepEqual(
    rows.slice(1).map(([amount]) => amount),
    [70, -107.631565, 1234567.1, 1],
  );
  const formats = (column: number) =>
    amounts.map((_, place) => sheet.cells?.get(`${place + 1},${column}`)?.style?.numFmt);
  assert.deepEqual(new Set(formats(0)), new Set(['#,##0.00################']));
  assert.ok(!formats(1).includes('#,##0.00################'), 'Bps are whole');
});

test('texts are what they are, and none of them is a formula, also once it is edited', async () => {
  const texts = [
    '=1+1',
    '+1',
    '-1',
    '@SUM(A1)',
    '\t=1',
    '\r=1',
    '\n=1',
    'a=1',
    'a_x000B_b',
    '\u000b \ud800',
    ' a ',
    '😀',
  ];
  const { rows, sheet } = await read(
    fileOf(
      ['text'],
      texts.map((text) => [text]),
    ),
  );
  assert.deepEqual(
    rows.slice(1).map(([text]) => text),
    texts,
  );
  const guarded = rows.slice(1).map((_, place) => sheet.cells?.get(`${place + 1},0`)?.style?.numFmt === '@');
  assert.deepEqual(
    guarded,
    texts.map((text) => /^[=+\-@\t\r\n]/.test(text)),
  );
  assert.ok([...(sheet.cells?.values() ?? [])].every(({ formula }) => formula === undefined));
});

test('times that spreadsheets cannot count are texts', async () => {
  const { rows } = await read(
    fileOf(['time'], [[{ timeMs: Date.UTC(1899, 0, 1) }], [{ day: '1900-01-01' }]]),
  );
  assert.deepEqual(rows.slice(1), [['1899-01-01T00:00:00.000Z'], ['1900-01-01']]);
});

test('a sheet without rows has its header, and a wide one goes on after Z', async () => {
  const columns = Array.from({ length: 60 }, (_, index) => `column ${index}`);
  assert.deepEqual((await read(fileOf(columns, []))).rows, [columns]);
  const row = columns.map((_, index) => index);
  assert.deepEqual((await read(fileOf(columns, [row]))).rows, [columns, row]);
});

/** A file of a few hundred kilobytes. */
const MANY = Array.from({ length: 3_000 }, (_, place): Cell[] => [
  createHash('sha256').update(String(place)).digest('hex'),
  BigInt(place) ** 5n,
  { timeMs: TO_MS - place },
]);

test('the bytes are the same however the rows come, and its time is the end of its period', async () => {
  const columns = ['hash', 'units', 'time'];
  const file = fileOf(columns, MANY);
  for (const partRows of [1, 7, 3_000])
    assert.ok(fileOf(columns, MANY, partRows).equals(file), `${partRows}`);
  const { rows, workbook } = await read(file);
  assert.equal(rows.length, 3_001);
  assert.deepEqual(rows[3_000]?.[0], MANY[2_999]?.[0]);
  assert.deepEqual(workbook.properties?.created, new Date(TO_MS));
  assert.deepEqual(workbook.properties?.modified, new Date(TO_MS));
});

test('the bytes stay as they are, so that a report that was made can be downloaded again', () => {
  // When a library or code changes this, the SHA-256 of every reported workbook no longer fits.
  const digest = createHash('sha256')
    .update(fileOf(['hash', 'units', 'time'], MANY))
    .digest('hex');
  assert.equal(digest, '874457ee14e4dcd27c1ba45d9d946ace9b1fce60fb56cde1e7d4f296c1b164f3');
});
