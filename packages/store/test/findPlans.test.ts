import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type Plan, swapStep } from '@fairway/plan';
import type { PlanFilter } from '../src/index.ts';
import { deposit, hashOf, instructions, MADE_AT_MS, newPlan } from './plans.ts';
import { openTestStore } from './storeOfTest.ts';

const bench = await openTestStore();
after(() => bench.close());

const DAY_MS = 86_400_000;
test('plans are listed newest first, in pages, and by filters', async () => {
  const plans: Plan[] = [];
  for (let day = 0; day < 5; day += 1)
    plans.push(
      await bench.create(
        newPlan({ mode: day < 2 ? 'STANDARD' : 'DIGITAL_COLLECT' }, MADE_AT_MS + day * DAY_MS),
      ),
    );
  await bench.create(newPlan(), bench.otherScope);
  await bench.change(plans[1] as Plan, { type: 'PLAN_ENDED', force: false });
  const days = async (filter: PlanFilter, limit = 10, after?: string) => {
    const listed = await bench.store.payments.listPlans(bench.scope, filter, { limit, after });
    const found = listed.plans.map(({ planId }) => plans.findIndex((plan) => plan.planId === planId));
    return { found, next: plans.findIndex(({ planId }) => planId === listed.next) };
  };
  assert.deepEqual(await days({}), { found: [4, 3, 2, 1, 0], next: -1 });
  assert.deepEqual(await days({}, 2), { found: [4, 3], next: 3 });
  assert.deepEqual(await days({}, 2, plans[3]?.planId), { found: [2, 1], next: 1 });
  assert.deepEqual(await days({}, 1, plans[1]?.planId), { found: [0], next: -1 });
  const found = async (filter: PlanFilter) => (await days(filter)).found;
  assert.deepEqual(await found({ status: 'ENDED' }), [1]);
  assert.deepEqual(await found({ status: 'ACTION_REQUIRED', mode: 'STANDARD' }), [0]);
  assert.deepEqual(await found({ corridorId: 'usdc-aud-bank', mode: 'DIGITAL_COLLECT' }), [4, 3, 2]);
  assert.deepEqual(await found({ corridorId: 'other' }), []);
  assert.deepEqual(await found({ clientReference: plans[3]?.clientReference }), [3]);
  const [createdFrom, createdTo] = [new Date(MADE_AT_MS + DAY_MS), new Date(MADE_AT_MS + 3 * DAY_MS)];
  assert.deepEqual(await found({ createdFrom, createdTo }), [2, 1]);
});

test('a list is without the instructions of replaced attempts, which no answer shows', async () => {
  const plan = await bench.create(newPlan());
  let whole = await bench.change(plan, deposit(plan, hashOf('many attempts')));
  for (let round = 1; round <= 3; round += 1) {
    // Those before have expired by then.
    const atMs = MADE_AT_MS + round * DAY_MS;
    whole = await bench.change(whole, instructions(whole, atMs), atMs);
  }
  const { clientReference } = plan;
  const listed = await bench.store.payments.listPlans(bench.scope, { clientReference }, { limit: 1 });
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
