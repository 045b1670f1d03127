import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { amountOf, type Plan, type PlanEvent, swapStep } from '@fairway/plan';
import type { Unavailable } from '@fairway/postgres';
import type { FoundPlans, PlanFilter, ScopedPlanId } from '../src/index.ts';
import {
  deposit,
  evidence,
  hashOf,
  instructions,
  MADE_AT_MS,
  newPlan,
  stepId,
  swap,
  transfer,
} from './plans.ts';
import { openTestStore, type TestStore } from './storeOfTest.ts';

let bench: TestStore;
before(async () => {
  bench = await openTestStore();
});
after(() => bench?.close());

const DAY_MS = 86_400_000;
let addresses = 0;

/** A plan, by default with a deposit address of its own. */
function watched(depositAddress = `0x${(addresses += 1).toString(16).padStart(40, '0')}` as const): Plan {
  return newPlan({ options: { slippageBps: 50, collectLifeMs: DAY_MS, depositAddress } });
}

function idsOf(found: FoundPlans<ScopedPlanId> | Unavailable): string[] {
  assert.ok(found.ok);
  for (const { scope } of found.plans) assert.equal(scope.environment, 'sandbox');
  return found.plans.map(({ planId }) => planId);
}

const watchedIds = async (chainId = 31337) =>
  idsOf(await bench.store.payments.watchedPlans('sandbox', chainId));
const idsWithEvidence = async (since: number, chainId = 31337) =>
  idsOf(await bench.store.payments.plansWithEvidence('sandbox', chainId, since));

async function swapped(plan: Plan, status: 'CONFIRMING' | 'FINAL', blockNumber: number): Promise<Plan> {
  await bench.change(plan, deposit(plan, hashOf(`${plan.planId} in`)));
  const derived = await bench.change(plan, instructions(plan));
  return bench.change(
    derived,
    swap(derived, evidence(hashOf(`${plan.planId} s`), 2_000n, status, blockNumber)),
  );
}

test('plans are listed newest first, in pages, and by filters', async () => {
  const plans: Plan[] = [];
  for (let day = 0; day < 5; day += 1)
    plans.push(
      await bench.create(
        newPlan({ mode: day < 2 ? 'STANDARD' : 'DIGITAL_COLLECT' }, MADE_AT_MS + day * DAY_MS),
      ),
    );
  await bench.create(newPlan(), bench.otherScope);
  await bench.change(plans[1] as Plan, { type: 'PLAN_CANCELLED' });
  const days = async (filter: PlanFilter, limit = 10, after?: string) => {
    const listed = await bench.store.payments.listPlans(bench.scope, filter, { limit, after });
    assert.ok(listed.ok);
    const found = listed.plans.map(({ planId }) => plans.findIndex((plan) => plan.planId === planId));
    return { found, next: plans.findIndex(({ planId }) => planId === listed.next) };
  };
  assert.deepEqual(await days({}), { found: [4, 3, 2, 1, 0], next: -1 });
  assert.deepEqual(await days({}, 2), { found: [4, 3], next: 3 });
  assert.deepEqual(await days({}, 2, plans[3]?.planId), { found: [2, 1], next: 1 });
  assert.deepEqual(await days({}, 1, plans[1]?.planId), { found: [0], next: -1 });
  const found = async (filter: PlanFilter) => (await days(filter)).found;
  assert.deepEqual(await found({ status: 'CANCELLED' }), [1]);
  assert.deepEqual(await found({ status: 'PENDING', mode: 'STANDARD' }), [0]);
  assert.deepEqual(await found({ corridorId: 'usdc-aud-bank', mode: 'DIGITAL_COLLECT' }), [4, 3, 2]);
  assert.deepEqual(await found({ corridorId: 'other' }), []);
  assert.deepEqual(await found({ clientReference: plans[3]?.clientReference }), [3]);
  const [createdFrom, createdTo] = [new Date(MADE_AT_MS + DAY_MS), new Date(MADE_AT_MS + 3 * DAY_MS)];
  assert.deepEqual(await found({ createdFrom, createdTo }), [2, 1]);
});

test('a list is without the instructions of replaced attempts, which no answer shows', async () => {
  const plan = await bench.create(newPlan());
  let whole = await bench.change(plan, deposit(plan, hashOf('many attempts')));
  for (let round = 0; round < 3; round += 1) whole = await bench.change(whole, instructions(whole));
  const { clientReference } = plan;
  const listed = await bench.store.payments.listPlans(bench.scope, { clientReference }, { limit: 1 });
  assert.ok(listed.ok);
  const attempts = swapStep(listed.plans[0] ?? assert.fail()).attempts;
  const all = swapStep(whole).attempts;
  assert.deepEqual(
    attempts.map(({ outcome }) => outcome),
    ['SUPERSEDED', 'SUPERSEDED', 'SUPERSEDED', 'OPEN'],
  );
  assert.deepEqual(attempts.at(-1), all.at(-1));
  assert.ok(all.every(({ instructions: calls, quote }) => calls.length > 0 && quote !== null));
  const { instructions: calls, quote, ...shown } = attempts[0] ?? assert.fail();
  assert.deepEqual([calls, quote], [[], null]);
  assert.partialDeepStrictEqual(all[0], shown);
});

test('a deposit address is watched until the swap is final, or for 30 days after the plan ended', async () => {
  const open = await bench.create(watched());
  const foreign = await bench.create(watched(), bench.otherScope);
  await bench.create(newPlan());
  const confirming = await swapped(await bench.create(watched()), 'CONFIRMING', 300);
  const final = await swapped(await bench.create(watched()), 'FINAL', 300);
  const ended = await bench.create(watched());
  await bench.change(ended, { type: 'PLAN_CANCELLED' });
  const reused = await bench.create(watched());
  await bench.change(reused, { type: 'PLAN_CANCELLED' });
  const heir = await bench.create(watched(reused.options.depositAddress));
  const ids = [open, foreign, confirming, ended, heir].map(({ planId }) => planId);
  assert.deepEqual(await watchedIds(), ids);
  assert.ok(!ids.includes(final.planId));
  assert.deepEqual(await watchedIds(1), []);

  bench.clock.nowMs = MADE_AT_MS + 30 * DAY_MS;
  assert.ok((await watchedIds()).includes(ended.planId));
  bench.clock.nowMs += 1;
  assert.ok(!(await watchedIds()).includes(ended.planId));
  assert.ok((await watchedIds()).includes(open.planId));
  bench.clock.nowMs = MADE_AT_MS;
});

test('a watched plan has its token and address, and the state of its deposits', async () => {
  const plan = await bench.create(watched(`0x${'Ab'.repeat(20)}`));
  const shown = async () => {
    const found = await bench.store.payments.watchedPlans('sandbox', 31337);
    assert.ok(found.ok);
    return found.plans.find(({ planId }) => planId === plan.planId);
  };
  const same = {
    ...{ scope: bench.scope, planId: plan.planId, token: plan.corridor.source.token },
    depositAddress: `0x${'ab'.repeat(20)}`,
  };
  assert.deepEqual(await shown(), { ...same, isConfirming: false, lastBlockNumber: undefined });
  const seen = deposit(plan, hashOf('seen'));
  assert.ok(seen.type === 'DEPOSIT_OBSERVED');
  const transfers = [300, 307, 301].map((block) => transfer(hashOf(`in ${block}`), 1n, 0, block));
  await bench.change(plan, { ...seen, confirmed: amountOf(0n), transfers });
  assert.deepEqual(await shown(), { ...same, isConfirming: true, lastBlockNumber: 307n });
  await bench.change(plan, { ...seen, transfers });
  assert.deepEqual(await shown(), { ...same, isConfirming: false, lastBlockNumber: 307n });
});

test('plans with evidence are found by its block, or while it is confirming or lost', async () => {
  const before = await idsWithEvidence(301);
  const old = await swapped(await bench.create(), 'FINAL', 310);
  const late = await swapped(await bench.create(), 'FINAL', 320);
  const confirming = await swapped(await bench.create(), 'CONFIRMING', 305);
  const lose = (plan: Plan, txHash: string): PlanEvent => ({
    type: 'EVIDENCE_LOST',
    stepId: stepId(plan, 'EXECUTE_SWAP'),
    txHash: txHash as `0x${string}`,
    cause: 'REORGANISED',
  });
  const lost = await swapped(await bench.create(), 'CONFIRMING', 306);
  await bench.change(lost, lose(lost, hashOf(`${lost.planId} s`)));
  const replaced = await swapped(await bench.create(), 'CONFIRMING', 306);
  await bench.change(replaced, lose(replaced, hashOf(`${replaced.planId} s`)));
  await bench.change(replaced, instructions(replaced));
  const payout = await swapped(await bench.create(), 'FINAL', 302);
  await bench.change(payout, {
    type: 'PAYOUT_DONE',
    stepId: stepId(payout, 'CUSTODIAN_PAYOUT'),
    verification: 'VERIFIED',
    evidence: evidence(hashOf('paid out'), 2_000n, 'FINAL', 330),
  });
  const unpaid = await swapped(await bench.create(), 'FINAL', 302);
  const paidBy = evidence(hashOf('to be lost'), 2_000n, 'CONFIRMING', 303);
  const stepOfPayout = stepId(unpaid, 'CUSTODIAN_PAYOUT');
  await bench.change(unpaid, {
    ...{ type: 'PAYOUT_DONE', stepId: stepOfPayout, verification: 'VERIFIED', evidence: paidBy },
  });
  await bench.change(unpaid, { ...lose(unpaid, paidBy.txHash), stepId: stepOfPayout } as PlanEvent);
  const found = async (since: number) => (await idsWithEvidence(since)).filter((id) => !before.includes(id));
  const ids = (...plans: Plan[]) => plans.map(({ planId }) => planId);
  assert.deepEqual(await found(310), ids(old, late, confirming, lost, replaced, payout, unpaid));
  assert.deepEqual(await found(311), ids(late, confirming, lost, replaced, payout, unpaid));
  assert.deepEqual(await found(331), ids(confirming, lost, replaced, unpaid));
  assert.deepEqual(await idsWithEvidence(0, 1), []);
});
