import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Plan, PlanEvent } from '@fairway/plan';
import type { PlanScope } from '../src/index.ts';
import { deposit, evidence, hashOf, MADE_AT_MS, newPlan, payout, swap, transfer } from './plans.ts';
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

/** What one unit of the swap brought, and what the payouts of these tests are of. */
const BROUGHT = 10n ** 77n;

/** A plan whose payout is due. */
async function payable(name: string, scope: PlanScope = bench.scope): Promise<Plan> {
  const plan = await bench.create(newPlan(), scope);
  const shown = evidence(hashOf(`${name} out`), BROUGHT);
  for (const event of [deposit(plan, hashOf(`${name} in`)), swap(plan, shown)]) {
    const changed = await bench.store.payments.changePlan(scope, plan.planId, event, DEED);
    assert.ok(changed.ok, JSON.stringify(changed));
  }
  return plan;
}

/** Records the payout of a plan by a transaction: 'PAID', or the places of its transfers that pay something else. */
async function pay(
  plan: Plan,
  name: string,
  verification: 'VERIFIED' | 'REPORTED',
  scope: PlanScope = bench.scope,
): Promise<unknown> {
  const event = payout(plan, evidence(hashOf(name), BROUGHT), verification);
  const changed = await bench.store.payments.changePlan(scope, plan.planId, event, DEED);
  if (changed.ok) return 'PAID';
  return changed.reason === 'TRANSFER_CLAIMED' ? changed.transfers : changed.reason;
}

test('a payout that is only REPORTED takes its transfer from nobody but its own organisation', async () => {
  const { otherScope } = bench;
  const [mine, second, third] = [await payable('r1'), await payable('r2'), await payable('r3')];
  const [theirs, verified] = [await payable('r4', otherScope), await payable('r5', otherScope)];
  const taken = [{ txHash: hashOf('reported'), logIndex: 3 }];
  assert.equal(await pay(mine, 'reported', 'REPORTED'), 'PAID');
  assert.deepEqual(await pay(second, 'reported', 'REPORTED'), taken);
  assert.deepEqual(await pay(second, 'reported', 'VERIFIED'), taken, 'an organisation uses a transfer once');
  assert.equal(await pay(theirs, 'reported', 'VERIFIED', otherScope), 'PAID');
  assert.deepEqual(await pay(verified, 'reported', 'REPORTED', otherScope), taken);
  // Now that another organisation has claimed the transfer, nobody reports it any more.
  assert.deepEqual(await pay(third, 'reported', 'REPORTED'), taken);
  assert.equal(await pay(third, 'another', 'REPORTED'), 'PAID');
});

test('of two plans that report the same transfer at the same time, one is paid', async () => {
  for (const kinds of [
    ['REPORTED', 'REPORTED'],
    ['VERIFIED', 'REPORTED'],
  ] as const) {
    const name = `at once ${kinds.join(' ')}`;
    const plans = [await payable(`${name} 1`), await payable(`${name} 2`)];
    const answers = await Promise.all(
      plans.map((plan, index) => pay(plan, name, kinds[index] ?? 'REPORTED')),
    );
    const taken = [{ txHash: hashOf(name), logIndex: 3 }];
    assert.deepEqual(
      answers.toSorted((a, b) => (a === 'PAID' ? -1 : b === 'PAID' ? 1 : 0)),
      ['PAID', taken],
    );
  }
});

test('another open plan that pays a wallet is found, whoever has it, and this plan is not', async () => {
  const address = `0x${'c5'.repeat(20)}` as const;
  const recipient = { type: 'wallet', chainId: 31337, address, fingerprint: 'f3' } as const;
  const ask = async (planId: string, chainId = 31337) => {
    const answer = await bench.store.payments.isPaidByOthers(bench.scope, planId, chainId, address);
    assert.ok(answer.ok);
    return answer.isPaid;
  };
  const mine = await bench.create(newPlan({ recipient }));
  assert.equal(await ask(mine.planId), false);
  const theirs = await bench.create(newPlan({ recipient }), bench.otherScope);
  assert.deepEqual([await ask(mine.planId), await ask(mine.planId, 1)], [true, false]);
  const { payments } = bench.store;
  const over = { actor: 'cred_test', atMs: theirs.expiresAtMs };
  await payments.changePlan(bench.otherScope, theirs.planId, { type: 'TIME_PASSED' }, over);
  assert.equal(await ask(mine.planId), false);
});
