import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { deposit, evidence, hashOf, instructions, newPlan, stepId, swap } from './plans.ts';
import { openTestStore, type TestStore } from './storeOfTest.ts';

let bench: TestStore;
before(async () => {
  bench = await openTestStore();
});
after(() => bench?.close());

const HOLD = { reason: 'OTHER', needs: ['an invoice'] } as const;

test('a hold that an older process has left with a payment that was made is passed over', async () => {
  const made = await bench.create(newPlan());
  const told = { stepId: stepId(made, 'CUSTODIAN_PAYOUT'), providerReference: 'held and paid' };
  for (const event of [
    deposit(made, hashOf('held deposit')),
    instructions(made),
    swap(made, evidence(hashOf('held swap'), 2_000n)),
    { type: 'PAYOUT_HELD', ...told, hold: HOLD } as const,
  ])
    await bench.change(made, event);
  const { rows } =
    await sql`select hold from plan_steps where plan_id = ${made.planId} and hold is not null`.execute(
      bench.database,
    );
  const paid = await bench.change(made, { type: 'PAYOUT_DONE', ...told, verification: 'REPORTED' });
  // The older process writes every column but this one.
  await sql`update plan_steps set hold = ${JSON.stringify(rows[0])}::jsonb -> 'hold'
    where plan_id = ${made.planId} and type = 'CUSTODIAN_PAYOUT'`.execute(bench.database);
  const loaded = await bench.store.payments.loadPlan(bench.scope, made.planId);
  assert.deepEqual(loaded.ok && loaded.plan, paid);
});
