import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Plan, PlanEvent } from '@fairway/plan';
import { deposit, hashOf, MADE_AT_MS, transfer } from './plans.ts';
import { openTestStore, type TestStore } from './storeOfTest.ts';

let bench: TestStore;
before(async () => {
  bench = await openTestStore();
});
after(() => bench?.close());

const DEED = { actor: 'cred_test', atMs: MADE_AT_MS + 5 };

test('a refused change names every transfer that settles something else', async () => {
  const [one, other, ended] = [await bench.create(), await bench.create(), await bench.create()];
  await bench.change(ended, { type: 'TIME_PASSED' }, ended.expiresAtMs);
  const places = [
    { txHash: hashOf('many 1'), logIndex: 0 },
    { txHash: hashOf('many 1'), logIndex: 5 },
    { txHash: hashOf('many 2'), logIndex: 1 },
  ];
  const transfers = places.map(({ txHash, logIndex }) => transfer(txHash, 1n, logIndex));
  const seen = (plan: Plan, more: typeof transfers = []) =>
    ({ ...deposit(plan, hashOf('many')), transfers: [...more, ...transfers] }) as PlanEvent;
  await bench.change(one, seen(one));
  const claimed = { ok: false, reason: 'TRANSFER_CLAIMED', transfers: places };
  const own = transfer(hashOf('many own'), 1n);
  for (const plan of [other, ended]) {
    const contents = await bench.contents();
    const claim = await bench.store.payments.changePlan(bench.scope, plan.planId, seen(plan, [own]), DEED);
    assert.deepEqual(claim, claimed);
    assert.deepEqual(await bench.contents(), contents);
  }
  const without = { ...seen(other), transfers: [own] } as PlanEvent;
  assert.equal((await bench.change(other, without)).steps[0]?.status, 'DONE');
});
