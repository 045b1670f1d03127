import assert from 'node:assert/strict';
import type { PeriodMovement } from '../src/index.ts';
import { contextAt } from './collecting.ts';
import { MADE_AT_MS } from './plans.ts';
import type { TestStore } from './storeOfTest.ts';

const BY = contextAt(MADE_AT_MS);

/** Calls every operation on what reconciliation says of movements. */
async function useReconciled(
  { store: { reports }, scope }: Pick<TestStore, 'store' | 'scope'>,
  movements: readonly PeriodMovement[],
): Promise<void> {
  const payouts = movements.map((each) => ({
    ...each,
    movement: { ...each.movement, kind: 'PAYOUT' } as const,
  }));
  const told = await reports.reconciledMovements(scope, payouts);
  const place = { reportId: 'rep_1', making: 1, firstRow: 0 };
  await reports.keepReconciled(scope, place, told.reconciled);
  await reports.keepReconciled(scope, place, [{ state: 'OPEN', entryIds: [] }]);
  await reports.keptReconciled(scope, place);
}

/** Calls every operation on reports: one is made, the other fails. */
export async function useReports({ store, scope }: TestStore): Promise<void> {
  const { reports } = store;
  const period = { fromMs: 0, toMs: MADE_AT_MS + 1 };
  const ask = {
    ...period,
    type: 'movements',
    format: 'csv',
    timezone: 'UTC',
    columns: [],
    filter: {},
  } as const;
  for (const reportId of ['rep_1', 'rep_2'])
    assert.ok((await reports.create(scope, { reportId, ask, delayMs: 0, mostPending: 2 }, BY)).ok);
  await reports.load(scope, 'rep_1');
  await reports.listReports(scope, { limit: 1, after: 'rep_z' });
  await reports.nameTokens('sandbox', []);
  await reports.countRows(scope, { ...ask, filter: { corridorId: 'a' } }, 9);
  await reports.hasPlansOf(scope, 'a');
  await reports.begin(scope, 'rep_1');
  await reports.bookMovements(scope, period.toMs, 10_000);
  const filter = { corridorId: 'usdc-aud-bank', kind: 'DEPOSIT' } as const;
  const read = await reports.movementsOfPeriod(scope, { ...period, filter, limit: 1 });
  assert.ok(read.next !== undefined);
  await reports.movementsOfPeriod(scope, { ...period, filter: {}, after: read.next, limit: 1 });
  await useReconciled({ store, scope }, read.movements);
  const part = { sinceMs: 0, limit: 1 };
  const told = await store.operator.republishReports(part);
  assert.ok(told.next !== undefined);
  await store.operator.republishReports({ ...part, after: told.next });
  const after = { bookedAtMs: 0, planId: '', seq: 0 };
  const executions = { ...period, filter: { corridorId: 'usdc-aud-bank' }, after, limit: 1 };
  await reports.executionsOfPeriod(scope, executions);
  await reports.plansOfPeriod(scope, executions);
  await reports.countRows(scope, { ...ask, type: 'plans' }, 9);
  const asked = { ...period, corridorId: 'usdc-aud-bank' };
  await reports.entryFacts(scope, asked);
  const account = { corridorId: 'usdc-aud-bank', custodian: 'Test custodian', currency: 'AUD' };
  await reports.sumEntries(scope, account, { ...period, limit: 9 });
  await reports.sumEntries(scope, account, { ...period, after, limit: 9 });
  await reports.entriesOfPeriod(scope, account, { ...period, limit: 1 });
  await reports.entriesOfPeriod(scope, account, { ...period, after, limit: 1 });
  await store.jobs.reportTask(async () => 60_000)({ ...scope, reportId: 'rep_1' }, { id: '1' });
  const result = { rows: 1, bytes: 1, sha256: '', controlTotals: [], tokens: [] };
  await reports.end(scope, 'rep_1', { result }, MADE_AT_MS);
  const failure = { code: 'GAVE_UP', detail: '' } as const;
  await reports.end(scope, 'rep_2', { failure }, MADE_AT_MS);
}
