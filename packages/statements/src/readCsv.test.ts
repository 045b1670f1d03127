import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ColumnMap } from './index.ts';
import { readCsv } from './readCsv.ts';

const MAP: ColumnMap = {
  ...{ account: 'DE89 3704 0044 0532 0130 00', currency: 'EUR', delimiter: ',', decimalSeparator: '.' },
  ...{ dateFormat: 'YYYY-MM-DD', skipLines: 0, columns: { bookedOn: 'Day', amount: 'Amount' } },
};
const csv = (day: string) => [`Day,Amount\n${day},-1.00\n`];

test('an account is the same with and without the spaces between its groups', async () => {
  const read = await readCsv(csv('2026-11-24'), MAP);
  assert.equal(read.ok && read.sections[0]?.account, 'DE89370400440532013000');
});

test('a day that no statement has is refused with its place', async () => {
  for (const day of ['1969-12-31', '2200-01-01', '9999-12-31', '2026-02-30', '0000-01-01']) {
    const read = await readCsv(csv(day), MAP);
    assert.match(
      read.ok ? '' : read.detail,
      /^line 2, column "Day": "[\d-]+" is no day of the years 1970 to 2199. The map asks for YYYY-MM-DD/,
      day,
    );
  }
  for (const day of ['1970-01-01', '2199-12-31']) assert.ok((await readCsv(csv(day), MAP)).ok);
});

test('a header that is not where skipLines says is named by its line', async () => {
  const read = await readCsv(csv('2026-11-24'), { ...MAP, skipLines: 1 });
  assert.match(
    read.ok ? '' : read.detail,
    /^line 2 was read as the header, .* columns\.bookedOn \("Day"\)\. .*skipLines/,
  );
});
