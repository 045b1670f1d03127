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
      return { count: most };
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

test('a corridor of before is known by plans of the same organisation alone', async () => {
  const asked: unknown[] = [];
  const reports: Partial<ReportParts['reports']> = {
    hasPlansOf: async ({ organisationId }, corridorId) => {
      asked.push(corridorId);
      return { hasPlans: organisationId === 'org' };
    },
    create: async () => ({ ok: false, reason: 'TOO_MANY' }),
  };
  const corridors = { find: (id: string) => (id === 'now' ? {} : undefined), list: () => [] };
  const parts = { reports, corridors, nowMs: () => 10_000 } as unknown as ReportParts;
  const codeOf = async (organisationId: string, corridorId: string) => {
    const acting = { scope: { organisationId, environment: 'sandbox' }, actor: 'cred_1' } as const;
    const ordered = await orderReport(parts, acting, { ...REQUEST, format: 'csv', filter: { corridorId } });
    return ordered.ok ? 'ordered' : ordered.problem.code;
  };
  assert.equal(await codeOf('org', 'before'), 'rate-limited', 'as far as it is kept');
  assert.equal(await codeOf('other', 'before'), 'validation-failed');
  assert.equal(await codeOf('other', 'now'), 'rate-limited');
  assert.deepEqual(asked, ['before', 'before']);
});
