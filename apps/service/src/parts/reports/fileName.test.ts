import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Report } from '@fairway/store';
import { COLUMNS_OF_SET } from '@fairway/wire';
import { fileName } from './fileName.ts';

const USUAL: Report = {
  ...{
    reportId: 'rep_1',
    madeBy: 'cred_1',
    type: 'journal',
    format: 'csv',
    timezone: 'UTC',
    period: '2026-10',
    status: 'PENDING',
  },
  ...{ fromMs: Date.UTC(2026, 9, 1), toMs: Date.UTC(2026, 10, 1), createdAtMs: 0, updatedAtMs: 0 },
  ...{ columns: COLUMNS_OF_SET.full.journal, filter: {} },
};

const named = (changes: Partial<Report> = {}) =>
  fileName({ ...USUAL, ...changes } as Report, 'Müller & Söhne');

test('a report of a month has a plain name', () => {
  assert.equal(named(), 'muller-sohne-journal-2026-10.csv');
  assert.equal(
    named({ filter: { corridorId: 'usdc-aud-bank' }, format: 'camt.053', type: 'movements', columns: [] }),
    'muller-sohne-movements-usdc-aud-bank-2026-10.xml',
  );
});

test('two reports of one period that differ in anything have different names', () => {
  const { period: _period, ...free } = USUAL;
  const reports: readonly Partial<Report>[] = [
    USUAL,
    { timezone: 'Australia/Sydney' },
    { timezone: 'Etc/GMT+5' },
    { timezone: 'Etc/GMT-5' },
    { columns: COLUMNS_OF_SET.finance.journal },
    { columns: ['amount'] },
    { accounts: { fees: '6810' } },
    { accounts: { fees: '6820' } },
    { byteOrderMark: true },
    { filter: { corridorId: 'usdc-aud' } },
    { filter: { corridorId: 'usdc.aud' } },
    { filter: { corridorId: 'USDC-aud' } },
  ];
  const names = reports.map(named);
  const times = [0, 1].map((hours) => fileName({ ...free, fromMs: USUAL.fromMs + hours * 3_600_000 }, 'a'));
  assert.equal(new Set([...names, ...times]).size, reports.length + 2, names.join(' '));
  for (const name of names)
    assert.match(name, /^muller-sohne-journal-([\w-]+-)?2026-10(-[0-9a-f]{8})?\.csv$/);
  const columns = ['movementId', 'reconciliation'];
  const reconciled = ['rep_1', 'rep_2'].map((reportId) => named({ reportId, type: 'movements', columns }));
  assert.notEqual(reconciled[0], reconciled[1], 'what the bank has may have changed between them');
});
