// Lists of many plans: every combination of filters lists the right plans, and reads no more rows than it must.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { leastPlanId, planIdAt, type Plan, type PlanStatus } from '@fairway/plan';
import { type RawBuilder, sql } from 'kysely';
import type { PlanFilter } from '../src/index.ts';
import { pageOf, type PlanPage } from '../src/payments/listPlans.ts';
import { MADE_AT_MS, newPlan } from './plans.ts';
import { openTestStore, type TestStore } from './storeOfTest.ts';

const COUNT = 5_000;
const MINUTE_MS = 60_000;
/** A page of 20 and the plan behind it, for each of eight statuses and two modes, and as many to pick them from. */
const MOST_ROWS = 2 * 21 * 8 * 2 + 2 * 21;

/** What a plan of the fixture is listed by. */
type Listed = Required<Pick<PlanFilter, 'status' | 'mode' | 'corridorId'>> & {
  readonly planId: string;
  readonly reference: string;
  readonly madeAtMs: number;
};

let bench: TestStore;
/** From new to old. */
let all: readonly Listed[];
before(async () => {
  bench = await openTestStore();
  const template = await bench.create(newPlan({}, MADE_AT_MS - MINUTE_MS));
  all = Array.from({ length: COUNT }, (_, index) => listed(index)).reverse();
  await copyPlan(template);
  await sql`analyze`.execute(bench.database);
});
after(() => bench?.close());

/**
 * One plan a minute. Most are COMPLETED; RETURNED ones are few and old, and one corridor is seldom used. DIGITAL_COLLECT was
 * given up long ago: who reads the list from its new end to find such a plan reads thousands of others.
 */
function listed(index: number): Listed {
  const madeAtMs = MADE_AT_MS + index * MINUTE_MS;
  const uuid = `${'0'.repeat(12)}7${index.toString(16).padStart(19, '0')}`;
  const isOldReturn = index < 100 && index % 10 === 0;
  const usual: PlanStatus = index % 500 === 0 ? 'ACTION_REQUIRED' : index % 7 === 0 ? 'ENDED' : 'COMPLETED';
  return {
    planId: planIdAt(madeAtMs, uuid),
    reference: `R-${index}`,
    madeAtMs,
    status: isOldReturn ? 'RETURNED' : usual,
    mode: index < 1_700 ? 'DIGITAL_COLLECT' : 'STANDARD',
    corridorId: index % 1_000 === 17 ? 'seldom' : `often-${index % 2}`,
  };
}

/** Writes the rows of the fixture's plans as copies of one plan's, which is removed. The copies have no steps. */
async function copyPlan({ planId }: Plan): Promise<void> {
  const rows = all.map((one) => ({
    plan_id: one.planId,
    client_reference: one.reference,
    end_to_end_id: one.planId.slice(-32),
    status: one.status,
    is_unfunded: one.status === 'ACTION_REQUIRED',
    mode: one.mode,
    corridor_id: one.corridorId,
    created_at: new Date(one.madeAtMs).toISOString(),
  }));
  await bench.database.connection().execute(async (held) => {
    await sql`set statement_timeout = '1min'`.execute(held);
    await sql`insert into plans select made.*
      from plans p, jsonb_array_elements(${JSON.stringify(rows)}::jsonb) one,
        lateral jsonb_populate_record(p, one) made
      where p.plan_id = ${planId}`.execute(held);
    await sql`reset statement_timeout`.execute(held);
  });
  for (const table of ['step_attempts', 'plan_events', 'recipients', 'plan_steps', 'plans'])
    await sql`delete from ${sql.table(table)} where plan_id = ${planId}`.execute(bench.database);
}

/** Values of each filter: none, one that many plans have, one that few have, and for the status one that no plan has. */
const FILTERS: readonly PlanFilter[] = [undefined, 'COMPLETED', 'RETURNED', 'IN_PROGRESS'].flatMap((status) =>
  [undefined, 'DIGITAL_COLLECT'].flatMap((mode) =>
    [undefined, 'often-1', 'seldom'].flatMap((corridorId) =>
      [undefined, [1_000, 4_000], [4_990, 4_995]].map((minutes) => {
        const [from, to] = (minutes ?? []).map((minute) => new Date(MADE_AT_MS + minute * MINUTE_MS));
        return { status, mode, corridorId, createdFrom: from, createdTo: to } as PlanFilter;
      }),
    ),
  ),
);

function matches(one: Listed, filter: PlanFilter): boolean {
  const { status, mode, corridorId, createdFrom, createdTo } = filter;
  return (
    (status === undefined || one.status === status) &&
    (mode === undefined || one.mode === mode) &&
    (corridorId === undefined || one.corridorId === corridorId) &&
    (createdFrom === undefined || one.madeAtMs >= createdFrom.getTime()) &&
    (createdTo === undefined || one.madeAtMs < createdTo.getTime())
  );
}

type Scan = {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Scan[];
};

/** How many rows of plans a statement reads, and by which kinds of scans. */
async function readBy(statement: RawBuilder<unknown>): Promise<{ rows: number; kinds: Set<string> }> {
  const { rows } = await sql<{ 'QUERY PLAN': readonly { Plan: Scan }[] }>`
    explain (analyze, timing off, format json) ${statement}`.execute(bench.database);
  const found = { rows: 0, kinds: new Set<string>() };
  const walk = (node: Scan): void => {
    if (node['Relation Name'] === 'plans') {
      found.rows += (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];
      found.kinds.add(node['Node Type']);
    }
    for (const inner of node.Plans ?? []) walk(inner);
  };
  for (const { Plan: plan } of rows[0]?.['QUERY PLAN'] ?? []) walk(plan);
  assert.ok(found.kinds.size > 0, 'the statement reads plans');
  return found;
}

/** The ids of a page, from new to old. */
async function idsOf(filter: PlanFilter, page: PlanPage): Promise<string[]> {
  const { rows } = await sql<{ plan_id: string }>`
    select p.plan_id from plans p where ${pageOf(bench.scope, filter, page)}`.execute(bench.database);
  return rows.map(({ plan_id: planId }) => planId);
}

test('every combination of filters lists the plans that match, newest first, page after page', async () => {
  for (const filter of FILTERS) {
    const expected = all.filter((one) => matches(one, filter)).map(({ planId }) => planId);
    const first = await idsOf(filter, { limit: 21 });
    assert.deepEqual(first, expected.slice(0, 21), JSON.stringify(filter));
    const second = await idsOf(filter, { limit: 21, after: first.at(-1) });
    assert.deepEqual(second, expected.slice(21, 42), JSON.stringify(filter));
  }
});

test('no combination of filters reads more rows than its page needs, whatever there is', async () => {
  for (const filter of FILTERS)
    for (const after of [undefined, leastPlanId(MADE_AT_MS + 2_500 * MINUTE_MS)]) {
      const page = pageOf(bench.scope, filter, { limit: 21, after });
      const { rows, kinds } = await readBy(sql`select p.* from plans p where ${page}`);
      assert.ok(rows <= MOST_ROWS, `${rows} rows for ${JSON.stringify({ filter, after })}`);
      assert.ok(!kinds.has('Seq Scan'), JSON.stringify(filter));
    }
});

test('a list by reference reads the one plan, with any other filters', async () => {
  const [{ reference: clientReference, status, mode, corridorId }] = [all[77] ?? assert.fail()];
  const others: readonly PlanFilter[] = [{}, { status, mode, corridorId }, { status: 'RETURNED' }];
  for (const other of others) {
    const page = pageOf(bench.scope, { ...other, clientReference }, { limit: 21 });
    const { rows } = await readBy(sql`select p.* from plans p where ${page}`);
    assert.ok(rows <= 1, `${rows} rows for ${JSON.stringify(other)}`);
  }
});

test('plans that have changed since a time are listed from the first change on, page after page', async () => {
  await sql`update plans set updated_at = created_at + interval '1 day' * (('x' || right(plan_id, 4))::bit(16)::int % 3)`.execute(
    bench.database,
  );
  await sql`analyze plans`.execute(bench.database);
  const since = new Date(MADE_AT_MS + 86_400_000);
  const { rows } = await sql<{ plan_id: string; ms: string }>`
    select plan_id, (extract(epoch from updated_at) * 1000)::int8::text as ms from plans
    where updated_at >= ${since} order by updated_at, plan_id limit 60`.execute(bench.database);
  const places = rows.map(({ plan_id: id, ms }) => `${ms}_${id}`);
  const ids = rows.map(({ plan_id: id }) => id);
  const filter = { updatedSince: since };
  assert.deepEqual(await idsOf(filter, { limit: 21 }), ids.slice(0, 21));
  assert.deepEqual(await idsOf(filter, { limit: 21, after: places[20] }), ids.slice(21, 42));
  const page = pageOf(bench.scope, filter, { limit: 21, after: places[20] });
  const { rows: read, kinds } = await readBy(sql`select p.* from plans p where ${page}`);
  assert.ok(read <= 22 && !kinds.has('Seq Scan'), `${read} rows by ${[...kinds].join(', ')}`);
});

/** How many open plans of each state there are, counted without an index. */
async function openCounts(): Promise<Record<string, number>> {
  const { rows } = await sql<{ status: string; count: bigint }>`
    select status, count(*) from plans where status <> all(array['COMPLETED', 'ENDED'])
    group by status`.execute(bench.database);
  return Object.fromEntries(rows.map(({ status, count }) => [status, Number(count)]));
}

test('the operator sees the open plans of all organisations, the one unchanged for longest first', async () => {
  const { operator } = bench.store;
  // Every open plan of the fixture came back, or waits for its first money beyond its time: that of the fixture.
  const expected = Object.values(await openCounts()).reduce((sum, count) => sum + count, 0);
  const listed = await operator.openPlans({ limit: 3, onlyStuck: true });
  assert.deepEqual([listed.count, listed.stuck, listed.plans.length], [expected, expected, 3]);
  const changed = listed.plans.map(({ plan }) => plan.updatedAtMs);
  assert.deepEqual(changed, changed.toSorted());
  const [first] = listed.plans;
  assert.deepEqual([first?.organisation, first?.scope, first?.isStuck], ['Harbour Ltd', bench.scope, true]);
});

test('the operator finds a plan by its id alone, and is told that there is none', async () => {
  const { operator } = bench.store;
  const [newest] = all;
  const found = await operator.findPlan(newest?.planId ?? '');
  assert.deepEqual([found.found?.plan.planId, found.found?.scope], [newest?.planId, bench.scope]);
  const none = await operator.findPlan(`plan_${'0'.repeat(32)}`);
  assert.deepEqual(none, { found: undefined });
});

test('open plans are counted by state, from the index alone', async () => {
  const counted = await bench.store.operator.figures('sandbox');
  assert.deepEqual(counted.figures.openPlans, await openCounts());
  const foreign = await bench.store.operator.figures('production');
  assert.deepEqual(foreign.figures.openPlans, {});
  const { rows } = await sql<{ 'QUERY PLAN': string }>`
    explain select status, count(*) from plans where environment = 'sandbox'
      and status not in ('COMPLETED', 'ENDED') group by status`.execute(bench.database);
  assert.match(rows.map((row) => row['QUERY PLAN']).join('\n'), /plans_open/);
});
