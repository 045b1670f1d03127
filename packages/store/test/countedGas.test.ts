// The gas of executions in reports: each transaction has it once, and a period that was read once never changes.
import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { amountOf, type Plan, type PlanCommand, type SpentGas } from '@fairway/plan';
import { deposit, evidence, hashOf, MADE_AT_MS, stepId, transfer } from './plans.ts';
import { openTestStore } from './storeOfTest.ts';

const bench = await openTestStore();
beforeEach(() => bench.clear());
after(() => bench?.close());

const HOUR = 3_600_000;

/** Books until a time is sealed. */
async function seal(toMs: number): Promise<void> {
  const booked = await bench.store.reports.bookMovements(bench.scope, toMs, 99);
  assert.ok(booked.isSealed);
}

let hashes = 0;
/** A plan with a deposit that was recorded at a time. */
async function deposited(atMs: number): Promise<Plan> {
  const plan = await bench.create();
  return bench.change(plan, deposit(plan, hashOf((hashes += 1))), atMs);
}

/** The gas of each execution of a period, in both reports: those that are taken back with a minus. */
async function gasIn(fromMs: number, toMs: number): Promise<readonly string[]> {
  const part = { fromMs, toMs, filter: {}, limit: 99 };
  const { reports } = bench.store;
  const executions = await reports.executionsOfPeriod(bench.scope, part);
  const movements = await reports.movementsOfPeriod(bench.scope, part);

  const textOf = ({ gas }: { gas?: SpentGas }, reverses?: string) =>
    gas === undefined ? 'none' : `${reverses === undefined ? '' : '-'}${gas.units} for ${gas.costWei}`;
  const shown = executions.executions.map((each) => textOf(each, each.reverses));
  const spent = movements.movements.filter(({ movement }) => movement.kind === 'SWAP_IN');
  assert.deepEqual(
    spent.map((each) => textOf(each, each.movement.reverses)),
    shown,
  );
  const others = movements.movements.filter((each) => !spent.includes(each));
  assert.ok(others.every(({ gas }) => gas === undefined));
  return shown;
}

/** The swap of a plan, executed by a transaction that other plans may have, too. */
function executedIn(
  plan: Plan,
  salt: string,
  logIndex: number,
  units: bigint,
  blockNumber = 210,
): PlanCommand {
  const txHash = hashOf(salt);
  const shown = evidence(txHash, 2_000n, 'CONFIRMING', blockNumber);
  return {
    ...{
      type: 'EXECUTION_FOUND',
      stepId: stepId(plan, 'EXECUTE_SWAP'),
      position: 0,
      amountIn: plan.amountIn,
    },
    evidence: { ...shown, transfers: [transfer(txHash, 2_000n, logIndex, blockNumber)] },
    gas: { units: amountOf(units), costWei: amountOf(units * 7n) },
  };
}

test('the gas of a transaction is in the file of the first movement it made, and is taken back', async () => {
  const plan = await deposited(MADE_AT_MS);
  const first = await bench.change(plan, executedIn(plan, 'a', 3, 100n), MADE_AT_MS + 1);
  const [middle, end] = [MADE_AT_MS + HOUR, MADE_AT_MS + 2 * HOUR];
  await seal(middle);
  assert.deepEqual(await gasIn(MADE_AT_MS, middle), ['100 for 700']);
  const moved = await bench.change(first, executedIn(plan, 'a', 3, 90n, 211), middle);
  await seal(end);
  assert.deepEqual(await gasIn(MADE_AT_MS, middle), ['100 for 700'], 'what was booked never changes');
  assert.deepEqual(await gasIn(middle, end), ['-100 for 700', '90 for 630']);
  // The first block comes back: its gas counts once more.
  await bench.change(moved, executedIn(plan, 'a', 3, 100n), end);
  await seal(end + HOUR);
  assert.deepEqual(await gasIn(end, end + HOUR), ['-90 for 630', '100 for 700']);
  const { ledger } = await bench.stored(plan);
  const kept = (ledger ?? []).flatMap(({ gas }) => gas ?? []);
  assert.deepEqual(kept, [
    { units: '100', costWei: '700' },
    { units: '90', costWei: '630' },
    { units: '100', costWei: '700' },
  ]);
});

test('a transaction that swapped for several plans has its gas once, in whatever period', async () => {
  const [one, two] = [await deposited(MADE_AT_MS), await deposited(MADE_AT_MS)];
  const [middle, end] = [MADE_AT_MS + HOUR, MADE_AT_MS + 2 * HOUR];
  const [a, b] = [executedIn(one, 'a', 3, 100n), executedIn(two, 'a', 5, 100n)];
  const first = await bench.change(one, a, MADE_AT_MS + 1);
  await seal(middle);
  const second = await bench.change(two, b, middle);
  await seal(end);
  assert.deepEqual([await gasIn(MADE_AT_MS, middle), await gasIn(middle, end)], [['100 for 700'], ['none']]);
  // A reorganisation moves the transaction, and one plan hears of it after the other.
  const [later, last] = [end + HOUR, end + 2 * HOUR];
  await bench.change(second, executedIn(two, 'a', 5, 90n, 211), end);
  await seal(later);
  await bench.change(first, executedIn(one, 'a', 3, 90n, 211), later);
  await seal(last);
  assert.deepEqual(await gasIn(end, later), ['none', '90 for 630']);
  assert.deepEqual(await gasIn(later, last), ['-100 for 700', 'none']);
  assert.deepEqual([await gasIn(MADE_AT_MS, middle), await gasIn(middle, end)], [['100 for 700'], ['none']]);
});

test('gas counts while any plan has its transaction, also when one heard of no reorganisation', async () => {
  const [one, two] = [await deposited(MADE_AT_MS), await deposited(MADE_AT_MS)];
  const [a, b] = [executedIn(one, 'a', 3, 100n), executedIn(two, 'a', 5, 100n)];
  const [middle, end] = [MADE_AT_MS + HOUR, MADE_AT_MS + 2 * HOUR];
  const first = await bench.change(one, a, MADE_AT_MS + 1);
  const second = await bench.change(two, b, MADE_AT_MS + 2);
  // The transaction moves to another block and back, before the second plan looks.
  const moved = await bench.change(first, executedIn(one, 'a', 3, 90n, 211), MADE_AT_MS + 3);
  const back = await bench.change(moved, a, MADE_AT_MS + 4);
  await seal(middle);
  assert.deepEqual(await gasIn(MADE_AT_MS, middle), [
    '100 for 700',
    'none',
    'none',
    '90 for 630',
    '-90 for 630',
    'none',
  ]);
  // It moves for good: the last plan that hears of it takes the gas of the first block back.
  await bench.change(back, executedIn(one, 'a', 3, 80n, 212), middle);
  await bench.change(second, executedIn(two, 'a', 5, 80n, 212), middle + 1);
  await seal(end);
  assert.deepEqual(await gasIn(middle, end), ['none', '80 for 560', '-100 for 700', 'none']);
});

test('what is taken back is what was counted, where nodes said more to the second plan', async () => {
  const [one, two] = [await deposited(MADE_AT_MS), await deposited(MADE_AT_MS)];
  const unpriced = { ...executedIn(one, 'shared', 3, 100n), gas: { units: amountOf(100n) } } as PlanCommand;
  const first = await bench.change(one, unpriced, MADE_AT_MS + 1);
  const second = await bench.change(two, executedIn(two, 'shared', 5, 100n), MADE_AT_MS + 2);
  await bench.change(first, executedIn(one, 'shared', 3, 90n, 211), MADE_AT_MS + 3);
  await bench.change(second, executedIn(two, 'shared', 5, 90n, 211), MADE_AT_MS + 4);
  await seal(MADE_AT_MS + HOUR);
  const shown = (await gasIn(MADE_AT_MS, MADE_AT_MS + HOUR)).filter((each) => each !== 'none');
  assert.equal(shown.filter((each) => each === '100 for undefined').length, 1);
  assert.equal(shown.filter((each) => each === '-100 for undefined').length, 1);
  assert.equal(shown.length, 3, shown.join());
});
