import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MovementId, PlanId } from '@fairway/plan';
import type { Report } from '@fairway/store';
import { makeReport } from './makeReport.ts';
import type { ReportParts } from './reportParts.ts';

const SCOPE = { organisationId: 'org', environment: 'sandbox' } as const;
const REPORT: Report = {
  ...{ reportId: 'rep_1', type: 'movements', format: 'xlsx', status: 'PENDING', columns: ['amount'] },
  ...{ fromMs: 0, toMs: 1, timezone: 'UTC', filter: {}, madeBy: 'cred_1', createdAtMs: 1, updatedAtMs: 1 },
};

/** How reports end that are made of the database's answers. */
async function endsOf(answers: Partial<ReportParts['reports']>): Promise<readonly unknown[]> {
  const ends: unknown[] = [];
  const reports: Partial<ReportParts['reports']> = {
    begin: async () => ({ tries: 1 }),
    nameTokens: async () => ({ tokens: [] }),
    bookMovements: async () => ({ isSealed: true }),
    end: async (_, __, end) => {
      ends.push(end);
    },
    ...answers,
  };
  const parts = { reports, environment: 'sandbox', tokenNames: () => [], nowMs: () => 10_000 };
  assert.equal(await makeReport(parts as unknown as ReportParts, SCOPE, 'rep_1'), undefined);
  return ends;
}

test('a workbook fails where more rows came after its request than it holds', async () => {
  const ends = await endsOf({
    load: async () => ({ found: REPORT }),
    countRows: async (_, __, most) => ({ count: most }),
  });
  const detail =
    'xlsx holds at most 100,000 rows, and the period has more; ask for csv or json, or for a shorter period.';
  assert.deepEqual(ends, [{ failure: { code: 'TOO_MANY_ROWS', detail } }]);
});

const STATEMENT: Report = {
  ...REPORT,
  format: 'camt.053',
  columns: [],
  filter: { corridorId: 'usdc-php-emoney' },
};

test('a statement fails where a payout came after its request that it cannot hold', async () => {
  const first = {
    movementId: 'mov_1' as MovementId,
    planId: 'plan_1' as PlanId,
    bookedAtMs: Date.parse('2026-10-07'),
  };
  const ends = await endsOf({
    load: async () => ({ found: STATEMENT }),
    entryFacts: async () => ({
      accounts: [{ custodian: 'C', currency: 'PHP' }],
      unknown: { count: 2, first },
    }),
  });
  assert.match(
    JSON.stringify(ends),
    /FORMAT_NOT_SUPPORTED.*known of 2 payouts .* mov_1 of plan_1, of 2026-10-07T.* Ask for csv or json/,
  );
});

test('a statement fails where its custodian changed meanwhile, or a sum has too many digits', async () => {
  const accounts = [
    { custodian: 'A', currency: 'AUD' },
    { custodian: 'B', currency: 'AUD' },
  ];
  const [changed] = await endsOf({
    load: async () => ({ found: STATEMENT }),
    entryFacts: async () => ({ accounts }),
  });
  assert.match(JSON.stringify(changed), /FORMAT_NOT_SUPPORTED.*several accounts \(A AUD, B AUD\)/);
  const sums = { credits: { entryCount: 0, minor: 0n }, debits: { entryCount: 1, minor: 10n ** 18n } };
  const [large] = await endsOf({
    load: async () => ({ found: STATEMENT }),
    entryFacts: async () => ({ accounts: accounts.slice(0, 1) }),
    sumEntries: async () => ({ ...sums, next: undefined }),
  });
  assert.match(JSON.stringify(large), /FORMAT_NOT_SUPPORTED.*at most 18 digits/);
});
