import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import type { Reconciled, Report, PeriodMovement, ReportEnd } from '@fairway/store';
import { type CompleteReport, downloadReport } from './downloadReport.ts';
import { makeReport } from './makeReport.ts';
import type { ReportParts } from './reportParts.ts';

const SCOPE = { organisationId: 'org', environment: 'sandbox' } as const;
const REPORT: Report = {
  ...{ reportId: 'rep_1', type: 'movements', format: 'csv', timezone: 'UTC', filter: {} },
  ...{ fromMs: 0, toMs: 1, madeBy: 'cred_1', createdAtMs: 1, updatedAtMs: 1 },
  columns: ['movementId', 'reconciliation', 'statementEntry'],
  status: 'PENDING',
};

function payout(seq: number): PeriodMovement {
  const asset = { chainId: 1, address: `0x${'01'.repeat(20)}` };
  const movement = {
    movementId: `mov_${seq}`,
    seq,
    kind: 'PAYOUT',
    asset,
    actual: '7',
    verification: 'REPORTED',
  };
  return {
    movement,
    planId: 'plan_1',
    planCreatedAtMs: 0,
    bookedAtMs: 0,
    metadata: {},
  } as unknown as PeriodMovement;
}

/** Reports on 250 payouts, of which statements say at each time what `now` says. */
function createReports() {
  const payouts = Array.from({ length: 250 }, (_, seq) => payout(seq));
  const kept = new Map<string, readonly (Reconciled | null)[]>();
  const desk = {
    now: (_seq: number): Reconciled | null => null,
    tries: 0,
    ends: [] as ReportEnd[],
  };
  const keyOf = (place: { making: number; firstRow: number }) => `${place.making} ${place.firstRow}`;
  const reports: Partial<ReportParts['reports']> = {
    load: async () => ({ found: REPORT }),
    begin: async () => ({ tries: ++desk.tries }),
    nameTokens: async () => ({ tokens: [] }),
    bookMovements: async () => ({ isSealed: true }),
    end: async (_, __, end) => {
      desk.ends.push(end);
    },
    async movementsOfPeriod(_, { after, limit }) {
      const first = after === undefined ? 0 : after.seq + 1;
      const movements = payouts.slice(first, first + limit);
      const next = { bookedAtMs: 0, planId: 'plan_1', seq: first + limit - 1 };
      return { movements, next: first + limit < payouts.length ? next : undefined };
    },
    reconciledMovements: async (_, movements) => ({
      reconciled: movements.map(({ movement }) => desk.now(movement.seq)),
    }),
    async keepReconciled(_, place, reconciled) {
      assert.ok(!kept.has(keyOf(place)));
      kept.set(keyOf(place), reconciled);
    },
    keptReconciled: async (_, place) => ({ reconciled: kept.get(keyOf(place)) ?? [] }),
  };
  const parts = { reports, environment: 'sandbox', tokenNames: () => [], nowMs: () => 10_000 };
  return { desk, parts: parts as unknown as ReportParts };
}

async function fileOf(parts: ReportParts, report: Report): Promise<string> {
  const bytes: Buffer[] = [];
  for await (const part of downloadReport(parts, SCOPE, report as CompleteReport, (read) => read))
    bytes.push(part);
  return Buffer.concat(bytes).toString();
}

const completed = (end: ReportEnd | undefined): Report => {
  assert.ok(end !== undefined && 'result' in end);
  return { ...REPORT, status: 'COMPLETE', result: end.result };
};

test('a file of several parts stays what it was made of, also beside another making', async () => {
  const { desk, parts } = createReports();
  const open: Reconciled = { state: 'OPEN', entryIds: [] };
  desk.now = (seq) => (seq % 3 === 0 ? { state: 'MATCHED', entryIds: [`ent_${seq}`] } : open);
  await makeReport(parts, SCOPE, 'rep_1');
  desk.now = (seq) => (seq === 249 ? open : null);
  await makeReport(parts, SCOPE, 'rep_1');
  desk.now = () => null;
  const [first, second] = desk.ends.map(completed) as [Report, Report];
  const rows = (await fileOf(parts, first)).split('\r\n');
  assert.deepEqual(
    [rows[1], rows[2], rows[250]],
    ['mov_0,MATCHED,ent_0', 'mov_1,OPEN,', 'mov_249,MATCHED,ent_249'],
  );
  assert.deepEqual((await fileOf(parts, second)).split('\r\n').slice(249, 251), [
    'mov_248,,',
    'mov_249,OPEN,',
  ]);
});

test('a file that a process of before made has no columns of which it did not know', async () => {
  const { desk, parts } = createReports();
  await makeReport(parts, SCOPE, 'rep_1');
  const made = completed(desk.ends[0]) as CompleteReport;
  const file = ['movementId', ...Array.from({ length: 250 }, (_, seq) => `mov_${seq}`), ''].join('\r\n');
  const { reconciled: _, ...result } = made.result;
  const sha256 = createHash('sha256').update(file).digest('hex');
  assert.equal(await fileOf(parts, { ...made, result: { ...result, sha256 } }), file);
});
