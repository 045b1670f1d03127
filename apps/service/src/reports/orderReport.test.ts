import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ReportAsk } from '@fairway/store';
import { orderReport } from './orderReport.ts';
import type { ReportParts } from './reportParts.ts';

const REQUEST: ReportAsk = {
  ...{ type: 'movements', format: 'xlsx', columns: ['amount'] },
  ...{ fromMs: 0, toMs: 1, timezone: 'UTC', filter: {} },
};

test('a workbook with more rows than it holds is refused before it is kept', async () => {
  const asked: number[] = [];
  const reports: Partial<ReportParts['reports']> = {
    countRows: async (_, __, most) => {
      asked.push(most);
      return { ok: true, count: most };
    },
  };
  const parts = { reports, environment: 'sandbox', tokenNames: () => [], nowMs: () => 10_000 };
  const acting = { scope: { organisationId: 'org', environment: 'sandbox' }, actor: 'cred_1' } as const;
  const ordered = await orderReport(parts as unknown as ReportParts, acting, REQUEST);
  const detail =
    'xlsx holds at most 100,000 rows, and the period has more; ask for csv or json, or for a shorter period.';
  assert.partialDeepStrictEqual(ordered, { ok: false, problem: { code: 'too-many-rows', detail } });
  assert.deepEqual(asked, [100_001]);
});
