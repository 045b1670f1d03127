import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Report } from '@fairway/store';
import { makeReport } from './makeReport.ts';
import type { ReportParts } from './reportParts.ts';

const SCOPE = { organisationId: 'org', environment: 'sandbox' } as const;
const REPORT: Report = {
  ...{ reportId: 'rep_1', type: 'movements', format: 'xlsx', status: 'PENDING', columns: ['amount'] },
  ...{ fromMs: 0, toMs: 1, timezone: 'UTC', filter: {}, madeBy: 'cred_1', createdAtMs: 1, updatedAtMs: 1 },
};

test('a workbook fails where more rows came after its request than it holds', async () => {
  const ends: unknown[] = [];
  const reports: Partial<ReportParts['reports']> = {
    load: async () => ({ ok: true, found: REPORT }),
    begin: async () => ({ ok: true, tries: 1 }),
    nameTokens: async () => ({ ok: true, tokens: [] }),
    bookMovements: async () => ({ ok: true, isSealed: true }),
    countRows: async (_, __, most) => ({ ok: true, count: most }),
    end: async (_, __, end) => {
      ends.push(end);
      return { ok: true };
    },
  };
  const parts = { reports, environment: 'sandbox', tokenNames: () => [], nowMs: () => 10_000 };
  assert.equal(await makeReport(parts as unknown as ReportParts, SCOPE, 'rep_1'), undefined);
  const detail =
    'xlsx holds at most 100,000 rows, and the period has more; ask for csv or json, or for a shorter period.';
  assert.deepEqual(ends, [{ failure: { code: 'TOO_MANY_ROWS', detail } }]);
});
