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

/** How reports end that are made of what the database answers. */
async function endsOf(answers: Partial<ReportParts['reports']>): Promise<readonly unknown[]> {
  const ends: unknown[] = [];
  const reports: Partial<ReportParts['reports']> = {
    begin: async () => ({ ok: true, tries: 1 }),
    nameTokens: async () => ({ ok: true, tokens: [] }),
    bookMovements: async () => ({ ok: true, isSealed: true }),
    end: async (_, __, end) => {
      ends.push(end);
      return { ok: true };
    },
    ...answers,
  };
  const parts = { reports, environment: 'sandbox', tokenNames: () => [], nowMs: () => 10_000 };
  assert.equal(await makeReport(parts as unknown as ReportParts, SCOPE, 'rep_1'), undefined);
  return ends;
}

test('a workbook fails where more rows came after its request than it holds', async () => {
  const ends = await endsOf({
    load: async () => ({ ok: true, found: REPORT }),
    countRows: async (_, __, most) => ({ ok: true, count: most }),
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
  const ends = await endsOf({
    load: async () => ({ ok: true, found: STATEMENT }),
    entryFacts: async () => ({ ok: true, accounts: [{ custodian: 'C', currency: 'PHP' }], unknownCount: 2 }),
  });
  const detail =
    'camt.053 holds amounts of a currency, and only units of the token are known of 2 payouts or returns of the period. Report each payment once more, with its providerReference and with paid, the amount in PHP, and ask again; or ask for csv.';
  assert.deepEqual(ends, [{ failure: { code: 'FORMAT_NOT_SUPPORTED', detail } }]);
});

test('a statement fails where its custodian changed meanwhile, or a sum has too many digits', async () => {
  const accounts = [
    { custodian: 'A', currency: 'AUD' },
    { custodian: 'B', currency: 'AUD' },
  ];
  const [changed] = await endsOf({
    load: async () => ({ ok: true, found: STATEMENT }),
    entryFacts: async () => ({ ok: true, accounts, unknownCount: 0 }),
  });
  assert.match(JSON.stringify(changed), /FORMAT_NOT_SUPPORTED.*several accounts \(A AUD, B AUD\)/);
  const sums = { credits: { entryCount: 0, minor: 0n }, debits: { entryCount: 1, minor: 10n ** 18n } };
  const [large] = await endsOf({
    load: async () => ({ ok: true, found: STATEMENT }),
    entryFacts: async () => ({ ok: true, accounts: accounts.slice(0, 1), unknownCount: 0 }),
    sumEntries: async () => ({ ok: true, ...sums, next: undefined }),
  });
  assert.match(JSON.stringify(large), /FORMAT_NOT_SUPPORTED.*at most 18 digits/);
});
