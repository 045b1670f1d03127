// What reports read: a period that was read once never changes, and every movement is in exactly one period.
import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import type { FurtherExecution, MovementKind, PlanCommand } from '@fairway/plan';
import { scale, seed } from '@fairway/testing/properties';
import fc from 'fast-check';
import { sql } from 'kysely';
import type {
  PlanScope,
  ReportAsk,
  PeriodExecution,
  PeriodMovement,
  PeriodPlan,
  ReportPlace,
} from '../src/index.ts';
import { deposit, evidence, hashOf, MADE_AT_MS, RECIPIENT, stepId, swap, transfer } from './plans.ts';
import { openTestStore } from './storeOfTest.ts';

const bench = await openTestStore();
beforeEach(() => bench.clear());
after(() => bench?.close());

/** Books until a time is sealed, in parts. */
async function seal(toMs: number, limit = 3): Promise<void> {
  for (;;) {
    const booked = await bench.store.reports.bookMovements(bench.scope, toMs, limit);
    if (booked.isSealed) return;
  }
}

/** The movements of a period, read in parts. */
async function read(fromMs: number, toMs: number, scope: PlanScope = bench.scope): Promise<PeriodMovement[]> {
  const found: PeriodMovement[] = [];
  let after: Parameters<typeof bench.store.reports.movementsOfPeriod>[1]['after'];
  do {
    const part = await bench.store.reports.movementsOfPeriod(scope, {
      ...{ fromMs, toMs, after },
      ...{ filter: {}, limit: 2 },
    });
    found.push(...part.movements);
    after = part.next;
  } while (after !== undefined);
  return found;
}

const idsOf = (movements: readonly PeriodMovement[]) => movements.map(({ movement }) => movement.movementId);

let hashes = 0;
/** A plan with a deposit that was recorded at a time. */
async function deposited(atMs: number) {
  const plan = await bench.create();
  return bench.change(plan, deposit(plan, hashOf((hashes += 1))), atMs);
}

const HOUR = 3_600_000;

test('the first report of an organisation is made before the second of any other', async () => {
  const ask: ReportAsk = {
    type: 'movements',
    format: 'csv',
    timezone: 'UTC',
    columns: [],
    filter: {},
    fromMs: 0,
    toMs: MADE_AT_MS,
  };
  const order = async (scope: PlanScope, reportId: string) => {
    const made = { reportId, ask, delayMs: 0, mostPending: 20 };
    assert.ok((await bench.store.reports.create(scope, made, { actor: 'cred_x', atMs: MADE_AT_MS })).ok);
  };
  for (const reportId of ['rep_a', 'rep_b', 'rep_c']) await order(bench.scope, reportId);
  await order(bench.otherScope, 'rep_x');
  // The order in which a worker takes them.
  const { rows } = await sql<{ key: string }>`select key from graphile_worker.jobs
    where key like '%rep\\__' order by priority, run_at, id`.execute(bench.database);
  assert.deepEqual(
    rows.map(({ key }) => key.slice(-5)),
    ['rep_a', 'rep_x', 'rep_b', 'rep_c'],
  );
});

test('a period that was read stays the same, and what is committed late is in the next one', async () => {
  await deposited(MADE_AT_MS);
  await deposited(MADE_AT_MS + 1);
  const to = MADE_AT_MS + HOUR;
  await seal(to);
  const first = await read(MADE_AT_MS, to);
  assert.equal(first.length, 2);
  const late = await deposited(MADE_AT_MS + 2);
  await seal(to);
  assert.deepEqual(await read(MADE_AT_MS, to), first);
  await seal(to + HOUR);
  assert.deepEqual(await read(MADE_AT_MS, to), first);
  const next = await read(to, to + HOUR);
  assert.deepEqual(
    next.map(({ planId, bookedAtMs, movement }) => [planId, bookedAtMs, movement.recordedAtMs]),
    [[late.planId, to, MADE_AT_MS + 2]],
  );
  assert.deepEqual(await read(MADE_AT_MS, to + HOUR, bench.otherScope), [], 'another organisation has none');
});

test('a movement whose transaction is open while its period is sealed is not lost', async () => {
  const plan = await deposited(MADE_AT_MS);
  const to = MADE_AT_MS + HOUR;
  await bench.database.transaction().execute(async (transaction) => {
    // What a process writes that was stopped between its clock and its commit.
    await sql`insert into movements
      select (jsonb_populate_record(m, jsonb_build_object('seq', 2, 'recorded_at', ${new Date(MADE_AT_MS + 5).toISOString()}::text))).*
      from movements m where plan_id = ${plan.planId}`.execute(transaction);
    await seal(to);
    assert.equal((await read(MADE_AT_MS, to)).length, 1);
  });
  await seal(to);
  assert.equal((await read(MADE_AT_MS, to)).length, 1);
  await seal(to + HOUR);
  assert.equal((await read(to, to + HOUR)).length, 1);
});

test('movements are booked in time before the database knows how many there are', async () => {
  const plan = await deposited(MADE_AT_MS);
  // What a busy hour writes, before statistics are collected again. Statements of requests end after 5 seconds.
  for (const from of [2, 3_002])
    await sql`insert into movements
      select (jsonb_populate_record(m, jsonb_build_object('seq', number))).*
      from movements m, generate_series(${from}::int4, ${from + 2_999}::int4) as number
      where plan_id = ${plan.planId} and m.seq = 1`.execute(bench.database);
  await seal(MADE_AT_MS + HOUR, 2_000);
  const { rows } = await sql`select from movements where booked_at is null`.execute(bench.database);
  assert.equal(rows.length, 0);
});

test('a plan of more movements than a part looks at is one row, and so is the plan behind it', async () => {
  const [first, behind] = [await deposited(MADE_AT_MS), await deposited(MADE_AT_MS + 5)];
  await sql`insert into movements
    select (jsonb_populate_record(m, jsonb_build_object('seq', number))).*
    from movements m, generate_series(2, 35) as number where plan_id = ${first.planId} and m.seq = 1`.execute(
    bench.database,
  );
  const [fromMs, toMs] = [MADE_AT_MS, MADE_AT_MS + HOUR];
  await seal(toMs, 100);
  const found: string[] = [];
  let after: ReportPlace | undefined;
  do {
    const ask = { fromMs, toMs, after, filter: { corridorId: first.corridor.id }, limit: 1 };
    const part = await bench.store.reports.plansOfPeriod(bench.scope, ask);
    found.push(...part.plans.map(({ planId, moved }) => `${planId} ${moved[0]?.movementCount}`));
    after = part.next;
  } while (after !== undefined);
  assert.deepEqual(found, [`${first.planId} 35`, `${behind.planId} 1`]);
});

test('whatever is written and sealed in whatever order, each movement is in one period for ever', async () => {
  const act = fc.record({
    kind: fc.constantFrom('WRITE' as const, 'WRITE' as const, 'SEAL' as const, 'SEAL_TWICE' as const),
    hour: fc.nat(6),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(act, { maxLength: 12 }), async (acts) => {
      await bench.clear();
      const known = new Map<number, readonly string[]>();
      let written = 0;
      for (const { kind, hour } of acts) {
        const atMs = MADE_AT_MS + hour * HOUR;
        if (kind === 'WRITE') {
          await deposited(atMs);
          written += 1;
        } else {
          await Promise.all([seal(atMs, 2), ...(kind === 'SEAL_TWICE' ? [seal(atMs, 1)] : [])]);
          for (const [toMs, ids] of known) assert.deepEqual(idsOf(await read(0, toMs)), ids);
          known.set(atMs, idsOf(await read(0, atMs)));
        }
      }
      const end = MADE_AT_MS + 7 * HOUR;
      await seal(end);
      for (const [toMs, ids] of known) assert.deepEqual(idsOf(await read(0, toMs)), ids);
      const bounds = [0, ...[...known.keys()].sort((a, b) => a - b), end];
      const parts: string[] = [];
      for (const [index, toMs] of bounds.slice(1).entries())
        parts.push(...idsOf(await read(bounds[index] ?? 0, toMs)));
      assert.equal(new Set(parts).size, written);
      assert.deepEqual(parts, idsOf(await read(0, end)), 'in one order');
    }),
    { seed, numRuns: 12 * scale },
  );
});

test('a row tells who was to be paid then, and what the swap spent', async () => {
  const plan = await deposited(MADE_AT_MS);
  const swapped = await bench.change(plan, swap(plan, evidence(hashOf('out'), 10n ** 77n)));
  const id = stepId(plan, 'CUSTODIAN_PAYOUT');
  await bench.change(swapped, { type: 'PAYOUT_FAILED', stepId: id, failure: { code: 'ACCOUNT_CLOSED' } });
  const to = MADE_AT_MS + HOUR;
  await seal(to);
  const first = await read(MADE_AT_MS, to);
  assert.deepEqual(
    first.map(({ movement, stepType }) => [movement.kind, stepType]),
    [
      ['DEPOSIT', 'AWAIT_DEPOSIT'],
      ['SWAP_IN', 'EXECUTE_SWAP'],
      ['SWAP_OUT', 'EXECUTE_SWAP'],
    ] satisfies [MovementKind, string][],
  );
  const { execution, recipient, payee } = first[2] ?? assert.fail();
  assert.deepEqual(execution, {
    spent: BigInt(plan.amountIn),
    transfers: 1,
    source: plan.corridor.source.token,
  });
  assert.deepEqual([recipient, payee], [plan.recipient, plan.recipient]);
  const other = { ...plan.recipient, name: 'O. T.' } as typeof plan.recipient;
  const replaced = await bench.store.payments.replaceRecipient(
    bench.scope,
    plan.planId,
    { type: 'RECIPIENT_REPLACED', stepId: id, recipient: other, endToEndId: 'FW-9' },
    RECIPIENT,
    { actor: 'cred_test', atMs: MADE_AT_MS },
  );
  assert.ok(replaced.ok && replaced.outcome === 'CHANGED');
  assert.deepEqual(await read(MADE_AT_MS, to), first);
});

test('an execution is what was spent with all that it brought, also when it is taken back', async () => {
  const plan = await deposited(MADE_AT_MS);
  const found = (salt: string, cause: readonly bigint[]) => {
    const transfers = cause.map((amount, index) => transfer(hashOf(salt), amount, 3 + index, 210));
    return {
      ...evidence(
        hashOf(salt),
        cause.reduce((a, b) => a + b),
      ),
      transfers,
      blockNumber: 210,
    };
  };
  const first = found('first', [10n ** 77n, 500n]);
  const swapped = await bench.change(plan, swap(plan, first), MADE_AT_MS + 1);
  const id = stepId(plan, 'EXECUTE_SWAP');
  const lost: PlanCommand = { type: 'EVIDENCE_LOST', stepId: id, txHash: first.txHash, cause: 'REORGANISED' };
  const back = await bench.change(swapped, lost, MADE_AT_MS + 2);
  const call = (amount: bigint, logIndex: number): FurtherExecution => ({
    ...{ position: 0, amountIn: plan.amountIn },
    transfers: [transfer(hashOf('second'), amount, logIndex, 211)],
  });
  await bench.change(
    back,
    {
      ...{ type: 'EXECUTION_FOUND', stepId: id, position: 0, amountIn: plan.amountIn },
      evidence: evidence(hashOf('second'), 10n ** 77n + 2n, 'FINAL', 211),
      others: [call(2_000n, 5), call(3_000n, 7)],
    },
    MADE_AT_MS + 3,
  );
  const to = MADE_AT_MS + HOUR;
  await seal(to);
  const all = { fromMs: MADE_AT_MS, toMs: to, filter: {}, limit: 2 };
  const executions: PeriodExecution[] = [];
  let after: ReportPlace | undefined;
  do {
    const part = await bench.store.reports.executionsOfPeriod(bench.scope, { ...all, after });
    executions.push(...part.executions);
    after = part.next;
  } while (after !== undefined);
  const brought = 10n ** 77n + 500n;
  assert.deepEqual(
    executions.map((each) => [each.txHash, each.reverses, each.received, each.transferCount, each.reason]),
    [
      [hashOf('first'), undefined, brought, 2, undefined],
      [hashOf('first'), executions[0]?.movementId, brought, 2, undefined],
      [hashOf('second'), undefined, 10n ** 77n + 2n, 1, undefined],
      [hashOf('second'), undefined, 2_000n, 1, 'SECOND_EXECUTION'],
      [hashOf('second'), undefined, 3_000n, 1, 'SECOND_EXECUTION'],
    ],
  );
  for (const { spent, quoted } of executions) {
    assert.equal(spent, BigInt(plan.amountIn));
    assert.deepEqual(quoted, { expected: 10n ** 77n + 1_500n, minimum: 1_490n, atMs: MADE_AT_MS });
  }
  const counted = { ...all, type: 'execution-quality' } as const;
  assert.deepEqual(await bench.store.reports.countRows(bench.scope, counted, 99), { count: 5 });
  const others = await bench.store.reports.executionsOfPeriod(bench.otherScope, all);
  assert.ok(others.executions.length === 0, 'another organisation has none');
});

test('a plan is one row of a period, with what moved in it and how far it had come', async () => {
  const plan = await deposited(MADE_AT_MS);
  await deposited(MADE_AT_MS + 1);
  const swapped = await bench.change(plan, swap(plan, evidence(hashOf('p'), 10n ** 77n)), MADE_AT_MS + 2);
  const [middle, to] = [MADE_AT_MS + HOUR, MADE_AT_MS + 2 * HOUR];
  const paid: PlanCommand = {
    ...{ type: 'PAYOUT_DONE', stepId: stepId(plan, 'CUSTODIAN_PAYOUT'), verification: 'REPORTED' },
    providerReference: 'P-1',
  };
  await bench.change(swapped, paid, middle + 60_000);
  await seal(to);
  const rowsOf = async (fromMs: number, toMs: number, scope = bench.scope) => {
    const found: PeriodPlan[] = [];
    let after: ReportPlace | undefined;
    do {
      const ask = { fromMs, toMs, filter: {}, after, limit: 1 };
      const part = await bench.store.reports.plansOfPeriod(scope, ask);
      found.push(...part.plans);
      after = part.next;
    } while (after !== undefined);
    return found;
  };
  const sums = (rows: PeriodPlan['moved']) => rows.map(({ kind, units }) => [kind, units]);
  const [first, second, ...rest] = await rowsOf(MADE_AT_MS, middle);
  assert.deepEqual([first?.planId, rest], [plan.planId, []], 'in the order of their first movement');
  const [amountIn, brought] = [BigInt(plan.amountIn), 10n ** 77n];
  assert.deepEqual(sums(first?.moved ?? []), [
    ['DEPOSIT', amountIn],
    ['SWAP_IN', amountIn],
    ['SWAP_OUT', brought],
  ]);
  assert.deepEqual([first?.amountIn, first?.expected], [amountIn, brought + 1_500n]);
  assert.deepEqual(
    [first?.depositedAtMs, first?.swappedAtMs, first?.paidAtMs],
    [MADE_AT_MS, MADE_AT_MS + 2, undefined],
  );
  assert.deepEqual([sums(second?.moved ?? []), second?.swappedAtMs], [[['DEPOSIT', amountIn]], undefined]);
  const later = await rowsOf(middle, to);
  assert.deepEqual(
    later.map(({ planId, moved, paidAtMs }) => [planId, sums(moved), paidAtMs]),
    [[plan.planId, [['PAYOUT', brought]], middle + 60_000]],
  );
  assert.deepEqual(
    sums(later[0]?.total ?? []).map(([kind]) => kind),
    ['DEPOSIT', 'PAYOUT', 'SWAP_IN', 'SWAP_OUT'],
  );
  assert.deepEqual(
    (await rowsOf(MADE_AT_MS, to)).map(({ planId }) => planId),
    [plan.planId, second?.planId],
  );
  assert.deepEqual(await rowsOf(MADE_AT_MS, middle), [first, second], 'what came later changes nothing');
  const ask = { type: 'plans', fromMs: MADE_AT_MS, toMs: to, filter: {} } as const;
  assert.deepEqual(await bench.store.reports.countRows(bench.scope, ask, 99), { count: 2 });
  assert.deepEqual(await bench.store.reports.countRows(bench.scope, ask, 1), { count: 1 });
  assert.deepEqual(await rowsOf(MADE_AT_MS, to, bench.otherScope), []);
  const known = (scope: typeof bench.scope, id: string) => bench.store.reports.hasPlansOf(scope, id);
  assert.deepEqual(await known(bench.scope, plan.corridor.id), { hasPlans: true });
  assert.deepEqual(await known(bench.otherScope, plan.corridor.id), { hasPlans: false });
  assert.deepEqual(await known(bench.scope, 'nowhere'), { hasPlans: false });
});

test('the rows of a report are counted before it is made as they are when it is made', async () => {
  const { store, scope } = bench;
  const [from, to] = [MADE_AT_MS + HOUR, MADE_AT_MS + 2 * HOUR];
  const counts = async (fromMs: number, toMs: number, filter: ReportAsk['filter'] = {}, most = 99) => {
    const counted = await store.reports.countRows(scope, { type: 'movements', fromMs, toMs, filter }, most);
    return counted.count;
  };
  for (const atMs of [from - 1, from, from + 1, to - 1, to]) await deposited(atMs);
  assert.equal(await counts(from, to), 3, 'before any report');
  await seal(from + 1);
  assert.equal(await counts(from, to), 3, 'while some are booked');
  await deposited(from - 2);
  assert.equal(await counts(from - HOUR, from + 1), 2, 'one that is late is in no sealed period');
  assert.equal(await counts(from, to), 4, 'but in the next one');
  assert.equal(await counts(from, to, {}, 2), 2, 'no further than asked');
  assert.equal(await counts(from, to, { kind: 'PAYOUT' }), 0);
  assert.equal(await counts(from, to, { corridorId: 'usdc-aud-bank', kind: 'DEPOSIT' }), 4);
  assert.equal(await counts(from, to, { corridorId: 'none' }), 0);
  await seal(to);
  assert.equal((await read(from, to)).length, 4);
  assert.equal(await counts(from, to), 4);
});

test('a report is ended once, is begun as often as it is, and few may wait', async () => {
  const { reports } = bench.store;
  const ask: ReportAsk = {
    ...{ type: 'movements', format: 'csv', timezone: 'UTC' },
    ...{ fromMs: 0, toMs: 1, columns: ['amount'], filter: { kind: 'PAYOUT' } },
  };
  const context = { actor: 'cred_test', atMs: MADE_AT_MS };
  const create = (reportId: string, scope = bench.scope) =>
    reports.create(scope, { reportId, ask, delayMs: 0, mostPending: 2 }, context);
  const made = await create('rep_1');
  assert.ok(made.ok);
  assert.partialDeepStrictEqual(made.report, { ...ask, reportId: 'rep_1', status: 'PENDING' });
  assert.ok((await create('rep_2')).ok);
  assert.deepEqual(await create('rep_3'), { ok: false, reason: 'TOO_MANY' });
  assert.ok((await create('rep_3', bench.otherScope)).ok, 'each organisation has its own');
  assert.deepEqual(await reports.load(bench.otherScope, 'rep_1'), { found: undefined });
  for (const tries of [1, 2]) assert.deepEqual(await reports.begin(bench.scope, 'rep_1'), { tries });
  // When a report is made twice at the same time, the making that ends first is the file's. The kept rows of the
  // other are removed when it ends.
  const reconciled = { making: 1, partRows: 100 };
  const result = { rows: 0, bytes: 3, sha256: 'ab', controlTotals: [], tokens: [], reconciled };
  const keep = (making: number, firstRow: number) =>
    reports.keepReconciled(bench.scope, { reportId: 'rep_1', making, firstRow }, [
      { state: 'OPEN', entryIds: [`ent_${making}`] },
    ]);
  for (const end of [{ result }, { failure: { code: 'GAVE_UP' as const, detail: 'late' } }]) {
    const firstRow = 'result' in end ? 0 : 100;
    await keep(2, firstRow);
    if ('result' in end) await keep(1, firstRow);
    await reports.end(bench.scope, 'rep_1', end, MADE_AT_MS + 1);
  }
  const { rows: kept } = await sql`
    select making, first_row from report_reconciliation k
    where k.organisation_id = ${bench.scope.organisationId}`.execute(bench.database);
  assert.deepEqual(kept, [{ making: 1, first_row: 0 }]);
  const place = { reportId: 'rep_1', making: 1, firstRow: 0 };
  const said = await reports.keptReconciled(bench.scope, place);
  assert.deepEqual(said, { reconciled: [{ state: 'OPEN', entryIds: ['ent_1'] }] });
  const foreign = await reports.keptReconciled(bench.otherScope, place);
  assert.deepEqual(foreign, { reconciled: [] });
  const loaded = await reports.load(bench.scope, 'rep_1');
  assert.ok(loaded.found?.status === 'COMPLETE');
  assert.deepEqual(loaded.found.result, result);
  assert.deepEqual(await reports.begin(bench.scope, 'rep_1'), { tries: undefined });
  const page = await reports.listReports(bench.scope, { limit: 1 });
  assert.ok(page.next === 'rep_2');
  await bench.store.events.publish('sandbox');
  const told = await bench.store.events.list(bench.scope, { limit: 9, subjectId: 'rep_1' });
  assert.ok(told.ok);
  assert.deepEqual(
    told.events.map(({ data }) => (data as { data: { object: { status: string } } }).data.object.status),
    ['PENDING', 'COMPLETE'],
  );
});

test('after a restore reports are told again that are PENDING or have changed since', async () => {
  const { reports, operator, events } = bench.store;
  const ask = {
    type: 'movements',
    format: 'csv',
    timezone: 'UTC',
    columns: [],
    filter: {},
    fromMs: MADE_AT_MS - HOUR,
    toMs: MADE_AT_MS,
  } as const;
  const order = async (reportId: string, scope: PlanScope, atMs: number) => {
    const made = { reportId, ask, delayMs: 0, mostPending: 9 };
    assert.ok((await reports.create(scope, made, { actor: 'cred_test', atMs })).ok);
  };
  const failure = { code: 'GAVE_UP', detail: 'Tried too often.' } as const;
  const ends = (reportId: string, atMs: number) => reports.end(bench.scope, reportId, { failure }, atMs);
  const since = MADE_AT_MS + HOUR;
  await order('rep_old', bench.scope, MADE_AT_MS);
  await order('rep_pending', bench.otherScope, MADE_AT_MS);
  await order('rep_since', bench.scope, MADE_AT_MS);
  await ends('rep_old', since - 1);
  await ends('rep_since', since);
  await operator.recover(since);
  let [after, count]: [string | undefined, number] = [undefined, 0];
  do {
    const told = await operator.republishReports({ sinceMs: since, limit: 1, after });
    [after, count] = [told.next, count + told.count];
  } while (after !== undefined);
  assert.equal(count, 2);
  while ((await published()) > 0);
  const sequences = async (scope: PlanScope, subjectId: string) => {
    const listed = await events.list(scope, { limit: 9, subjectId });
    assert.ok(listed.ok);
    return listed.events.map(({ sequence }) => sequence);
  };
  assert.deepEqual(await sequences(bench.scope, 'rep_old'), [1, 2]);
  const [first, second, third = 0] = await sequences(bench.scope, 'rep_since');
  assert.deepEqual([first, second, third > 1_000_000], [1, 2, true], 'above all that was ever told');
  assert.equal((await sequences(bench.otherScope, 'rep_pending')).length, 2);
});

async function published(): Promise<number> {
  const done = await bench.store.events.publish('sandbox');
  return done.published;
}
