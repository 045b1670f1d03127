// From when on a deposit may be of a plan that is younger: only after a restore, and only where nobody else had the address.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type Plan, swapStep } from '@fairway/plan';
import { sql } from 'kysely';
import { MOST_UNKNOWN_SWAPS } from '../src/index.ts';
import { hashOf, newPlan } from './plans.ts';
import { openTestStore } from './storeOfTest.ts';

const SINCE_MS = Date.UTC(2026, 10, 20);

const bench = await openTestStore();
after(() => bench.close());

async function planAt(address: `0x${string}`, scope = bench.scope): Promise<Plan> {
  const options = { slippageBps: 50, collectLifeMs: 86_400_000, depositAddress: address } as const;
  return bench.create(newPlan({ options }), scope);
}

async function sinceMsOf(plan: Plan): Promise<number | undefined> {
  const looked = await bench.store.record.lookBack(bench.scope, plan);
  return looked.sinceMs;
}

test('older deposits count only since a restore that was marked in the last month', async () => {
  const plan = await planAt(`0x${'1a'.repeat(20)}`);
  assert.equal(await sinceMsOf(plan), undefined, 'nothing was restored');
  await bench.store.operator.recover(SINCE_MS);
  assert.equal(await sinceMsOf(plan), SINCE_MS);
  await sql`update recoveries set marked_at = clock_timestamp() - interval '31 days'`.execute(bench.database);
  assert.equal(await sinceMsOf(plan), undefined, 'the restore is long ago');
});

test('an address that another plan had, of whatever organisation, has no older deposits', async () => {
  await bench.store.operator.recover(SINCE_MS + 1);
  const address = `0x${'1b'.repeat(20)}` as const;
  const former = await planAt(address, bench.otherScope);
  const ended = { actor: 'cred_test', atMs: bench.clock.nowMs };
  const cancelled = await bench.store.payments.changePlan(
    bench.otherScope,
    former.planId,
    { type: 'PLAN_ENDED', force: false },
    ended,
  );
  assert.ok(cancelled.ok);
  assert.equal(await sinceMsOf(await planAt(address)), undefined);
  assert.equal(await sinceMsOf(await planAt(`0x${'1c'.repeat(20)}`)), SINCE_MS + 1);
});

/** Puts a transfer with a tag on record that paid the settlement address of a plan. */
async function tagged({ corridor }: Plan, tx: string, units: bigint, logIndex = 0): Promise<void> {
  const { settlementAddress, token } = corridor.target;
  await sql`insert into chain_transfers (environment, chain_id, block_hash, log_index, block_number, block_time, tx_hash, token,
      from_address, to_address, amount, tag, canonical)
    values ('sandbox', ${corridor.source.chainId}, ${hashOf(`block of ${tx}`)}, ${logIndex}, 300,
      ${new Date(SINCE_MS + 1_000).toISOString()}, ${hashOf(tx)}, ${token.toLowerCase()}, ${`0x${'0f'.repeat(20)}`},
      ${settlementAddress.toLowerCase()}, ${String(units)}, ${Buffer.alloc(16, 7)}, true)`.execute(
    bench.database,
  );
}

test('unknown swaps are transactions that brought at least a tenth of what the plan needs', async () => {
  await bench.store.operator.recover(SINCE_MS);
  const plan = await planAt(`0x${'1d'.repeat(20)}`);
  const least = BigInt(swapStep(plan).attempts[0]?.minAmountOut ?? 0);
  assert.ok(least > 200n, 'a swap can bring too little');
  const swaps = async () => {
    return (await bench.store.record.lookBack(bench.scope, plan)).swaps;
  };
  await tagged(plan, 'lost swap', least / 10n + 1n);
  // One transaction of a stranger with more transfers than transactions are looked at, and one that brings too little.
  for (let logIndex = 0; logIndex <= MOST_UNKNOWN_SWAPS; logIndex += 1)
    await tagged(plan, 'many transfers', least / 10n, logIndex);
  await tagged(plan, 'too little', least / 10n - 1n);
  assert.deepEqual([...(await swaps())].sort(), [hashOf('lost swap'), hashOf('many transfers')].sort());
  // What came in two transfers of one transaction is one swap.
  await tagged(plan, 'in two', least / 10n - 1n, 0);
  await tagged(plan, 'in two', 2n, 1);
  assert.ok((await swaps()).includes(hashOf('in two')));
});
