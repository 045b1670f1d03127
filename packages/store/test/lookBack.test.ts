// From when on a deposit may be of a plan that is younger: only after a restore, and only where nobody else had the address.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Plan } from '@fairway/plan';
import { sql } from 'kysely';
import { newPlan } from './plans.ts';
import { openTestStore, type TestStore } from './storeOfTest.ts';

const SINCE_MS = Date.UTC(2026, 10, 20);

let bench: TestStore;
before(async () => {
  bench = await openTestStore();
});
after(() => bench?.close());

async function planAt(address: `0x${string}`, scope = bench.scope): Promise<Plan> {
  const options = { slippageBps: 50, collectLifeMs: 86_400_000, depositAddress: address } as const;
  return bench.create(newPlan({ options }), scope);
}

async function sinceMsOf(plan: Plan): Promise<number | undefined> {
  const looked = await bench.store.record.lookBack(bench.scope, plan);
  assert.ok(looked.ok);
  return looked.sinceMs;
}

test('older deposits count only since a restore that was marked in the last month', async () => {
  const plan = await planAt(`0x${'1a'.repeat(20)}`);
  assert.equal(await sinceMsOf(plan), undefined, 'nothing was restored');
  assert.ok((await bench.store.operator.recover(SINCE_MS)).ok);
  assert.equal(await sinceMsOf(plan), SINCE_MS);
  await sql`update recoveries set marked_at = clock_timestamp() - interval '31 days'`.execute(bench.database);
  assert.equal(await sinceMsOf(plan), undefined, 'the restore is long ago');
});

test('an address that another plan had, of whatever organisation, has no older deposits', async () => {
  assert.ok((await bench.store.operator.recover(SINCE_MS + 1)).ok);
  const address = `0x${'1b'.repeat(20)}` as const;
  const former = await planAt(address, bench.otherScope);
  const ended = { actor: 'cred_test', atMs: bench.clock.nowMs };
  const cancelled = await bench.store.payments.changePlan(
    bench.otherScope,
    former.planId,
    { type: 'PLAN_CANCELLED' },
    ended,
  );
  assert.ok(cancelled.ok);
  assert.equal(await sinceMsOf(await planAt(address)), undefined);
  assert.equal(await sinceMsOf(await planAt(`0x${'1c'.repeat(20)}`)), SINCE_MS + 1);
});
