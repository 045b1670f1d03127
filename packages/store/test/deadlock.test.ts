import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Database } from '../src/database/database.ts';
import { decisively } from '../src/payments/decisively.ts';
import { awaitBlock } from '../src/jobs/chainWait.ts';
import { lockPlan } from '../src/plans/loadPlans.ts';
import { openTestStore } from './storeOfTest.ts';

const bench = await openTestStore();
after(() => bench.close());

test('a transaction that a deadlock ends runs again, and then does what it is for', async () => {
  const [one, other] = [await bench.create(), await bench.create()];
  const lock = (transaction: Database, { planId }: typeof one) => lockPlan(transaction, bench.scope, planId);
  const [mine, theirs] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const opponent = bench.database.transaction().execute(async (transaction) => {
    await sql`set local lock_timeout = '20s'`.execute(transaction);
    await lock(transaction, other);
    theirs.resolve();
    await mine.promise;
    await lock(transaction, one);
  });
  let tries = 0;
  const result = await decisively(
    bench.database,
    async (transaction) => {
      tries += 1;
      await theirs.promise;
      await lock(transaction, one);
      mine.resolve();
      // The opponent has looked for a deadlock before there is one, so that this transaction is the one that ends.
      if (tries === 1) await sleep(1_500);
      await lock(transaction, other);
      const { rows } = await sql<{ answer: number }>`select 1 as answer`.execute(transaction);
      return rows[0]?.answer;
    },
    () => undefined,
  );
  await opponent;
  assert.deepEqual([result, tries], [1, 2]);
});

test('a plan that begins to wait while it changes ends nobody by a deadlock', async () => {
  const { planId } = await bench.create();
  const wait = { chainId: 1, dueBlock: 7 };
  let later: Promise<void> | undefined;
  await bench.database.transaction().execute(async (transaction) => {
    await lockPlan(transaction, bench.scope, planId);
    later = awaitBlock(bench.database, bench.scope, planId, wait);
    await sleep(500);
    await awaitBlock(transaction, bench.scope, planId, { ...wait, dueBlock: 5 });
  });
  await later;
  const { rows } = await sql`select due_block::int4 as block from chain_waits
    where organisation_id = ${bench.scope.organisationId} and environment = ${bench.scope.environment}
      and plan_id = ${planId}`.execute(bench.database);
  assert.deepEqual(rows, [{ block: 5 }]);
});
