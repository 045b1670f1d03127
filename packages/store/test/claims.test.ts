import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type Address, amountOf, type Plan, type PlanCommand } from '@fairway/plan';
import { defined } from '@fairway/values';
import { sql } from 'kysely';
import type { PlanScope } from '../src/index.ts';
import {
  deposit,
  deposited,
  evidence,
  hashOf,
  MADE_AT_MS,
  newPlan,
  payout,
  stepId,
  swap,
  transfer,
} from './plans.ts';
import { openTestStore } from './storeOfTest.ts';

const bench = await openTestStore();
after(() => bench.close());

const BY = { actor: 'cred_test', atMs: MADE_AT_MS + 5 };

test('a refused change names every transfer that settles something else', async () => {
  const [one, other, ended] = [await bench.create(), await bench.create(), await bench.create()];
  await bench.change(ended, { type: 'TIME_PASSED' }, ended.expiresAtMs);
  const places = [
    { txHash: hashOf('many 1'), logIndex: 0 },
    { txHash: hashOf('many 1'), logIndex: 5 },
    { txHash: hashOf('many 2'), logIndex: 1 },
  ];
  const transfers = places.map(({ txHash, logIndex }) => transfer(txHash, 1n, logIndex));
  const seen = (plan: Plan, more: typeof transfers = []) => deposited(plan, [...more, ...transfers]);
  await bench.change(one, seen(one));
  const claimed = { ok: false, reason: 'TRANSFER_CLAIMED', transfers: places };
  const own = transfer(hashOf('many own'), 1n);
  for (const plan of [other, ended]) {
    const contents = await bench.contents();
    const claim = await bench.store.payments.changePlan(bench.scope, plan.planId, seen(plan, [own]), BY);
    assert.deepEqual(claim, claimed);
    assert.deepEqual(await bench.contents(), contents);
  }
  const without = [own, transfer(hashOf('many own'), BigInt(other.amountIn) - 1n, 1)];
  assert.equal((await bench.change(other, deposited(other, without))).steps[0]?.status, 'DONE');
});

/** A plan with a deposit address, or one that names an account as its sender. */
const planOf = (options: { depositAddress: string } | { sender: string }, scope: PlanScope = bench.scope) =>
  bench.create(
    newPlan({ options: { slippageBps: 1, collectLifeMs: 1, ...options } as Plan['options'] }),
    scope,
  );

/** Counts a transfer as the deposit of a plan: 'DONE', or why not. */
async function receive(plan: Plan, name: string, scope: PlanScope = bench.scope): Promise<string> {
  const { payments } = bench.store;
  const told = plan.options.sender === undefined ? deposit : reportedDeposit;
  const changed = await payments.changePlan(scope, plan.planId, told(plan, hashOf(name)), BY);
  return changed.ok ? 'DONE' : changed.reason;
}

/** The whole deposit, as it is reported of a plan without a deposit address. */
function reportedDeposit(plan: Plan, txHash: `0x${string}`): PlanCommand {
  const transfers = [transfer(txHash, BigInt(plan.amountIn))];
  const told = { amount: plan.amountIn, verification: 'VERIFIED', transfers } as const;
  return { type: 'DEPOSIT_REPORTED', stepId: stepId(plan, 'AWAIT_DEPOSIT'), ...told };
}

async function claimants(name: string): Promise<string[]> {
  const { rows } = await sql<{ plan_id: string }>`
    select plan_id from settlements where tx_hash = ${hashOf(name)} and role = 'DEPOSIT'`.execute(
    bench.database,
  );
  return rows.map(({ plan_id }) => plan_id);
}

test('a plan that names an account as its sender takes no deposit from who has the address', async () => {
  const address = `0x${'e7'.repeat(20)}`;
  const { otherScope } = bench;
  const stranger = await planOf({ sender: address }, otherScope);
  const rival = await planOf({ sender: address }, otherScope);
  assert.equal(await receive(stranger, 'victim', otherScope), 'DONE');
  assert.equal(await receive(rival, 'victim', otherScope), 'TRANSFER_CLAIMED', 'once in an organisation');
  assert.deepEqual(await claimants('victim'), []);
  const owner = await planOf({ depositAddress: address });
  assert.equal(await receive(owner, 'victim'), 'DONE');
  assert.deepEqual(await claimants('victim'), [owner.planId]);
  const late = await planOf({ sender: address }, otherScope);
  assert.equal(await receive(late, 'victim', otherScope), 'TRANSFER_CLAIMED', 'it is the owner’s');
  const own = await planOf({ sender: address });
  assert.equal(
    await receive(own, 'another'),
    'TRANSFER_CLAIMED',
    'the address has a plan of the organisation',
  );
});

test('a refund is recorded once in an organisation, and keeps no other organisation from its own', async () => {
  const { payments } = bench.store;
  const refund = async (of: PlanScope, told: { txHash?: `0x${string}`; providerReference?: string }) => {
    const plan = await bench.create(newPlan(), of);
    const paidIn = await payments.changePlan(of, plan.planId, deposit(plan, hashOf(plan.planId)), BY);
    assert.ok(paidIn.ok);
    const { source } = plan.corridor;
    const { txHash, ...rest } = told;
    const money = { amount: plan.amountIn, asset: { chainId: source.chainId, address: source.token } };
    const place = txHash && transfer(txHash, BigInt(plan.amountIn));
    const changed = await payments.changePlan(
      of,
      plan.planId,
      {
        type: 'REFUND_RECORDED',
        ...{ money, verification: 'VERIFIED', ...rest },
        ...(place === undefined ? {} : { transfer: place }),
      },
      BY,
    );
    return changed.ok ? 'DONE' : changed.reason;
  };
  const sent = { txHash: hashOf('sent back') };
  assert.equal(await refund(bench.scope, sent), 'DONE');
  assert.equal(await refund(bench.scope, sent), 'TRANSFER_CLAIMED');
  assert.equal(await refund(bench.otherScope, sent), 'DONE');
  assert.equal(await refund(bench.scope, { providerReference: 'RF-1' }), 'DONE');
  assert.equal(await refund(bench.scope, { providerReference: 'RF-1' }), 'REFERENCE_USED');
  assert.equal(await refund(bench.otherScope, { providerReference: 'RF-1' }), 'DONE');
});

/** What one unit of the swap brought, and what the payouts of these tests are of. */
const BROUGHT = 10n ** 77n;

/** A plan whose payout is due. */
async function payable(name: string, scope: PlanScope = bench.scope, made = newPlan()): Promise<Plan> {
  const plan = await bench.create(made, scope);
  const shown = evidence(hashOf(`${name} out`), BROUGHT);
  for (const event of [deposit(plan, hashOf(`${name} in`)), swap(plan, shown)]) {
    const changed = await bench.store.payments.changePlan(scope, plan.planId, event, BY);
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
  const changed = await bench.store.payments.changePlan(scope, plan.planId, event, BY);
  if (changed.ok) return 'PAID';
  return changed.reason === 'TRANSFER_CLAIMED' ? changed.transfers : changed.reason;
}

test('one transfer is never the payout of one plan and the refund of another', async () => {
  const refundOf = async (plan: Plan, name: string, scope: PlanScope): Promise<string> => {
    const asset = { chainId: 31337, address: plan.corridor.target.token };
    const { transfers } = evidence(hashOf(name), BROUGHT);
    const [transfer] = transfers;
    const event = { type: 'REFUND_RECORDED', verification: 'REPORTED' } as const;
    const told = {
      ...event,
      money: { amount: transfer?.amount ?? amountOf(0n), asset },
      ...defined({ transfer }),
    };
    const changed = await bench.store.payments.changePlan(scope, plan.planId, told, BY);
    return changed.ok ? 'REFUNDED' : changed.reason;
  };
  const [paid, refunded, other] = [await payable('p1'), await payable('p2'), await payable('p3')];
  const theirs = await payable('p4', bench.otherScope);
  assert.equal(await pay(paid, 'for one', 'VERIFIED'), 'PAID');
  assert.equal(await refundOf(refunded, 'for one', bench.scope), 'TRANSFER_CLAIMED');
  assert.equal(await refundOf(theirs, 'for one', bench.otherScope), 'TRANSFER_CLAIMED');
  assert.equal(await refundOf(refunded, 'back', bench.scope), 'REFUNDED');
  assert.deepEqual(await pay(other, 'back', 'VERIFIED'), [{ txHash: hashOf('back'), logIndex: 3 }]);
});

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

test('a plan to which money is due at a wallet is found, whoever has it; this plan is not', async () => {
  const address = `0x${'c5'.repeat(20)}` as const;
  const recipient = { type: 'wallet', chainId: 31337, address, fingerprint: 'f3' } as const;
  const ask = async (planId: string, chainId = 31337) => {
    const answer = await bench.store.payments.isPaidByOthers(bench.scope, planId, chainId, address);
    return answer.isPaid;
  };
  const mine = await payable('mine due', bench.scope, newPlan({ recipient }));
  assert.equal(await ask(mine.planId), false);
  await bench.create(newPlan({ recipient }), bench.otherScope);
  assert.equal(await ask(mine.planId), false, 'a plan without a deposit keeps nobody from being paid');
  const confirming = await bench.create(newPlan({ recipient }), bench.otherScope);
  for (const event of [
    deposit(confirming, hashOf('their confirming in')),
    swap(confirming, evidence(hashOf('their confirming out'), BROUGHT, 'CONFIRMING')),
  ])
    assert.ok((await bench.store.payments.changePlan(bench.otherScope, confirming.planId, event, BY)).ok);
  assert.equal(await ask(mine.planId), true, 'the custodian may have paid before it was final');
  const final = swap(confirming, evidence(hashOf('their confirming out'), BROUGHT));
  assert.ok((await bench.store.payments.changePlan(bench.otherScope, confirming.planId, final, BY)).ok);
  assert.equal(await pay(confirming, 'their confirmed payout', 'VERIFIED', bench.otherScope), 'PAID');
  const theirs = await payable('their due', bench.otherScope, newPlan({ recipient }));
  assert.deepEqual([await ask(mine.planId), await ask(mine.planId, 1)], [true, false]);
  assert.equal(await pay(theirs, 'their payout', 'VERIFIED', bench.otherScope), 'PAID');
  assert.equal(await ask(mine.planId), false);
});

test('a payment of the custodian may be of another plan that is due the amount since then', async () => {
  const address = `0x${'c7'.repeat(20)}` as const;
  const recipient = { type: 'wallet', chainId: 31337, address, fingerprint: 'f4' } as const;
  const due = (name: string, scope = bench.scope) => payable(name, scope, newPlan({ recipient }));
  const mine = await due('may be mine');
  const sent = (changes: object = {}) => ({
    ...{ chainId: 31337, wallet: address, token: mine.corridor.target.token, amount: amountOf(BROUGHT) },
    ...{ blockNumber: 200, ...changes },
  });
  const ask = async (changes?: object, owners: 'ANY' | 'OTHER' = 'ANY') => {
    const asked = [bench.scope, mine.planId, sent(changes), owners] as const;
    const answer = await bench.store.payments.isMaybeOfOthers(...asked);
    return answer.isMaybe;
  };
  assert.equal(await ask(), false);
  const neighbour = await due('may be my other one');
  assert.deepEqual([await ask(), await ask({}, 'OTHER')], [true, false]);
  assert.equal(await pay(neighbour, 'my other payout', 'VERIFIED', bench.scope), 'PAID');
  const theirs = await bench.create(newPlan({ recipient }), bench.otherScope);
  const change = (event: PlanCommand) =>
    bench.store.payments.changePlan(bench.otherScope, theirs.planId, event, BY);
  assert.ok((await change(deposit(theirs, hashOf('may be theirs in')))).ok);
  assert.equal(await ask(), false, 'it has not swapped');
  const swapped = (status: 'CONFIRMING' | 'FINAL') =>
    change(swap(theirs, evidence(hashOf('may be theirs out'), BROUGHT, status)));
  for (const status of ['CONFIRMING', 'FINAL'] as const) {
    assert.ok((await swapped(status)).ok);
    assert.deepEqual([await ask(), await ask({}, 'OTHER')], [true, true], status);
    assert.equal(await ask({ amount: amountOf(BROUGHT - 1n) }), false, 'another amount than is due');
    assert.equal(await ask({ blockNumber: 199 }), false, 'it was paid before that swap');
  }
  assert.equal(await pay(theirs, 'their own payout', 'VERIFIED', bench.otherScope), 'PAID');
  assert.equal(await ask(), false);
});

test('a payment of the custodian may be the refund of a plan that the wallet has paid', async () => {
  const { payments } = bench.store;
  const payer = `0x${'d8'.repeat(20)}` as const;
  const mine = await payable('beside refunds');
  const { token } = mine.corridor.source;
  const ask = async (units: bigint, owners: 'ANY' | 'OTHER' = 'ANY') => {
    const sent = { chainId: 31337, wallet: payer, token, amount: amountOf(units), blockNumber: 300 };
    const answer = await payments.isMaybeOfOthers(bench.scope, mine.planId, sent, owners);
    return answer.isMaybe;
  };
  /** A plan that the payer has paid, and that was cancelled with a little of the money there. */
  const withMoney = async (units: bigint, scope: PlanScope, options: object) => {
    const plan = await bench.create(
      newPlan({ options: { slippageBps: 1, collectLifeMs: 1, ...options } }),
      scope,
    );
    const moved = { ...transfer(hashOf(`from the payer ${units}`), units), from: payer };
    const events = [deposited(plan, [moved]), { type: 'TIME_PASSED' }] as const;
    for (const event of events) {
      const changed = await payments.changePlan(scope, plan.planId, event, {
        ...BY,
        atMs: plan.expiresAtMs,
      });
      assert.ok(changed.ok, JSON.stringify(changed));
    }
  };
  assert.equal(await ask(10n ** 70n), false);
  // Anybody may name an account that the payer has paid.
  await withMoney(10n ** 73n, bench.otherScope, { sender: payer });
  assert.equal(await ask(10n ** 70n), false);
  await withMoney(10n ** 72n, bench.scope, { sender: payer });
  assert.deepEqual([await ask(10n ** 72n), await ask(10n ** 72n + 1n)], [true, false]);
  assert.equal(await ask(10n ** 72n, 'OTHER'), false);
  await withMoney(10n ** 75n, bench.otherScope, { depositAddress: `0x${'d9'.repeat(20)}` });
  assert.deepEqual([await ask(10n ** 75n), await ask(10n ** 75n + 1n)], [true, false]);
  assert.equal(await ask(10n ** 75n, 'OTHER'), true);
});

/** Whether 300 units of this token that the custodian has sent to an account may be a refund. */
async function isMaybeRefund(plan: Plan, wallet: string, token: Address): Promise<boolean> {
  const sent = { chainId: 31337, wallet, token, amount: amountOf(300n), blockNumber: 300 };
  const answer = await bench.store.payments.isMaybeOfOthers(bench.scope, plan.planId, sent, 'ANY');
  return answer.isMaybe;
}

/** The plan after an account has paid it 300 units of a token. */
function paidBy(plan: Plan, payer: Address, token: Address): Promise<Plan> {
  const sent = { from: payer, to: `0x${'dc'.repeat(20)}`, token, blockTimeMs: MADE_AT_MS } as const;
  const added = [{ ...transfer(hashOf(plan.planId), 300n), ...sent }];
  const { stepId } = plan.steps[0] ?? assert.fail();
  return bench.change(plan, { type: 'RECORD_READ', stepId, readNumber: 300, added });
}

test('what a plan has of another token may go back, although it paid out more than it swapped', async () => {
  const payer = `0x${'da'.repeat(20)}` as const;
  const plan = await payable('overspent');
  const { token } = plan.corridor.target;
  await paidBy(plan, payer, token);
  assert.equal(await pay(plan, 'overspent payout', 'VERIFIED'), 'PAID');
  const { stepId } = plan.steps[1] ?? assert.fail();
  const txHash = hashOf('overspent out');
  await bench.change(plan, { type: 'EVIDENCE_LOST', stepId, txHash, cause: 'REORGANISED' });
  assert.equal(await isMaybeRefund(plan, payer, token), true);
  assert.equal(await isMaybeRefund(plan, payer, plan.corridor.source.token), false);
});

test('whatever goes to an account that has paid more than fifty plans may be a refund', async () => {
  const payer = `0x${'db'.repeat(20)}` as const;
  const plan = await bench.create();
  const { token } = plan.corridor.source;
  const abandoned = { type: 'PLAN_ENDED', reason: 'ABANDONED', force: false } as const;
  const paid = async () => bench.change(await paidBy(await bench.create(), payer, token), abandoned);
  for (let count = 1; count <= 50; count += 1) await paid();
  assert.equal(await isMaybeRefund(plan, payer, token), false, 'no plan has money that goes back');
  await paid();
  assert.equal(await isMaybeRefund(plan, payer, token), true);
});
