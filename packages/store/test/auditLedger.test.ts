// The audit of ledgers finds whatever was changed behind the service's back, and names the plan.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type Address, type Plan, type PlanCommand } from '@fairway/plan';
import type { LedgerFault, PlanScope } from '../src/index.ts';
import { type RawBuilder, sql } from 'kysely';
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

const BROUGHT = 10n ** 77n;

async function change({ planId }: Plan, scope: PlanScope, event: PlanCommand): Promise<void> {
  const context = { actor: 'cred_test', atMs: MADE_AT_MS + 5 };
  const changed = await bench.store.payments.changePlan(scope, planId, event, context);
  assert.ok(changed.ok, JSON.stringify(changed));
}

/** A plan whose swap is done. */
async function planAfter(name: string, made = newPlan(), scope = bench.scope): Promise<Plan> {
  const plan = await bench.create(made, scope);
  await change(plan, scope, deposit(plan, hashOf(`${name} in`)));
  await change(plan, scope, swap(plan, evidence(hashOf(`${name} out`), BROUGHT)));
  return plan;
}

/** A plan that was paid out by a transaction. */
async function paidPlan(name: string, made = newPlan()): Promise<Plan> {
  const plan = await planAfter(name, made);
  await change(plan, bench.scope, payout(plan, evidence(hashOf(name), BROUGHT)));
  return plan;
}

async function audit(mostStray = 100) {
  const audited = await bench.store.ledger.audit(mostStray, () => {});
  const { findings, stray } = audited;
  return { findings, stray: stray.transfers, strayCount: stray.count };
}

const run = (statement: RawBuilder<unknown>) => statement.execute(bench.database);

test('every ledger that the service wrote is right, and so is its history', async () => {
  await bench.create(newPlan(), bench.scope);
  await paidPlan('whole');
  const reported = await planAfter('reported');
  await change(reported, bench.scope, {
    type: 'PAYOUT_DONE',
    stepId: stepId(reported, 'CUSTODIAN_PAYOUT'),
    verification: 'REPORTED',
    providerReference: 'PO-9',
  });
  const { findings } = await audit();
  assert.deepEqual(findings, { plans: 3, left: [], faults: [] });
});

/** What a hand in the database may do to a plan, and what the audit says of it. */
const SPOILT: readonly [LedgerFault['kind'], (planId: string) => RawBuilder<unknown>, RegExp][] = [
  [
    'REFERENCES_DIFFER',
    (planId) => sql`delete from payout_references where plan_id = ${planId}`,
    /not kept: (deposit-tx:.*, )?tx:/,
  ],
  [
    'CLAIMS_DIFFER',
    (planId) => sql`delete from settlements where plan_id = ${planId} and role = 'SWAP'`,
    /not kept: SWAP/,
  ],
  [
    'MOVEMENTS_MISSING',
    (planId) => sql`delete from movements where plan_id = ${planId} and kind = 'PAYOUT'`,
    /A step rests on 0x\w+, whose movements are missing/,
  ],
  [
    'HISTORY_DIFFERS',
    (planId) => sql`delete from movements where plan_id = ${planId} and kind = 'DEPOSIT'`,
    /another plan/,
  ],
  [
    'HISTORY_DIFFERS',
    (planId) => sql`update plans set amount_in = amount_in + 1 where plan_id = ${planId}`,
    /another plan/,
  ],
  [
    'IMBALANCE',
    (planId) =>
      sql`update movements set asset_address = ${`0x${'ee'.repeat(20)}`} where plan_id = ${planId} and kind = 'PAYOUT'`,
    new RegExp(`0xeeee.* are off by -${BROUGHT}`),
  ],
  [
    'STATUS_DIFFERS',
    (planId) => sql`update plans set status = 'ACTION_REQUIRED' where plan_id = ${planId}`,
    /has the status ACTION_REQUIRED, and its events give COMPLETED/,
  ],
];

for (const [index, [kind, spoil, detail]] of SPOILT.entries())
  test(`what a hand in the database did to a plan is found: ${kind} ${index}`, async () => {
    const { planId } = await paidPlan(`spoilt ${index}`);
    const ofPlan = async () => (await audit()).findings.faults.filter((fault) => fault.planId === planId);
    assert.deepEqual(await ofPlan(), []);
    await run(spoil(planId));
    const found = (await ofPlan()).filter((fault) => fault.kind === kind);
    assert.equal(found.length, 1);
    assert.match(found[0]?.detail ?? '', detail);
  });

const [OTHER, CUSTODIAN, WALLET] = ['b2', 'c3', 'd4'].map((digits) => `0x${digits.repeat(20)}` as const) as [
  Address,
  Address,
  Address,
];

/** What a transfer on record is like, unless a test says it. */
const RECORDED = {
  ...{ from: OTHER, to: OTHER, token: OTHER as string, amount: 7n, tag: null as string | null },
  ...{ logIndex: 1, canonical: true, untraced: false },
};

/** Puts a transfer into the record of the chain. */
function record(name: string, block: number, changes: Partial<typeof RECORDED>) {
  const { from, to, token, amount, tag, logIndex, canonical, untraced } = { ...RECORDED, ...changes };
  return run(sql`insert into chain_transfers (environment, chain_id, block_hash, log_index, block_number, block_time,
      tx_hash, token, from_address, to_address, amount, tag, untraced, canonical)
    values (${bench.scope.environment}, 31337, ${hashOf(`${name} block`)}, ${logIndex}, ${block}, now(), ${hashOf(name)},
      ${token}, ${from}, ${to}, ${String(amount)}, decode(${tag}, 'hex'), ${untraced}, ${canonical})`);
}

test('transfers on a chain that count for no plan are listed', async () => {
  const watched = `0x${'a1'.repeat(20)}` as const;
  const options = { slippageBps: 50, collectLifeMs: 14 * 86_400_000, depositAddress: watched };
  const { watchFromBlock: start, planId } = await bench.create(newPlan({ options }), bench.scope);
  assert.deepEqual((await audit()).stray, []);
  await record('stray', start + 1, { to: watched });
  await record('to itself', start + 1, { to: watched, from: watched });
  await record('before the plan', start - 1, { to: watched });
  await record('gone', start + 2, { to: watched, canonical: false });
  await record('unknown tag', start + 3, { from: watched, tag: 'ab'.repeat(16) });
  // A transaction of another kind with the copied tag of a plan has executed nothing.
  const tag = bench.store.planTag(planId, 0).slice(2);
  await record('copied tag', start + 5, { from: watched, tag });
  await record('untraced', start + 4, { from: watched, untraced: true });
  const { stray } = await audit();
  assert.deepEqual(
    stray.map(({ kind, txHash, amount, plans }) => [kind, txHash, amount, plans]),
    [
      ['DEPOSIT', hashOf('stray'), '7', [planId]],
      ['SWAP', hashOf('copied tag'), '7', []],
      ['UNTRACED', hashOf('untraced'), '7', []],
      ['SWAP', hashOf('unknown tag'), '7', []],
    ],
  );
});

test('dust keeps no larger stray transfer off the list', async () => {
  const watched = `0x${'a2'.repeat(20)}` as const;
  const options = { slippageBps: 50, collectLifeMs: 14 * 86_400_000, depositAddress: watched };
  const { watchFromBlock: start } = await bench.create(newPlan({ options }), bench.scope);
  const before = (await audit()).strayCount;
  await record('large', start + 1, { to: watched, amount: 9n });
  for (const name of ['dust 1', 'dust 2', 'dust 3'])
    await record(name, start + 2, { to: watched, amount: 1n });
  await record('of another token', start + 1, { to: watched, amount: 1n, token: `0x${'a3'.repeat(20)}` });
  const { stray, strayCount } = await audit(1);
  const deposits = stray.flatMap(({ kind, txHash }) => (kind === 'DEPOSIT' ? [txHash] : []));
  assert.deepEqual(deposits.sort(), [hashOf('large'), hashOf('of another token')].sort());
  assert.equal(strayCount, before + 5);
});

test('a plan that is over is listed with the money that nobody has acknowledged', async () => {
  const plan = await paidPlan('paid');
  const listed = async () => (await audit()).findings.left.filter(({ planId }) => planId === plan.planId);
  assert.deepEqual(await listed(), []);
  const late = transfer(hashOf('late deposit'), BigInt(plan.amountIn), 3);
  await change(plan, bench.scope, deposited(plan, [late]));
  const asset = { chainId: 31337, address: plan.corridor.source.token };
  const left = [{ amount: plan.amountIn, asset, direction: 'IN' }];
  const { organisationId } = bench.scope;
  assert.deepEqual(await listed(), [{ organisationId, planId: plan.planId, status: 'COMPLETED', left }]);
});

test('a refund that goes to the deposit address of its plan is no stray deposit', async () => {
  const depositAddress = `0x${'a9'.repeat(20)}` as const;
  const options = { slippageBps: 50, collectLifeMs: 14 * 86_400_000, depositAddress };
  const plan = await bench.create(newPlan({ options }), bench.scope);
  const block = plan.watchFromBlock + 1;
  await record('refund', block, { to: depositAddress });
  const deposits = async () => (await audit()).stray.filter(({ to }) => to === depositAddress);
  assert.equal((await deposits()).length, 1);
  const refunded = async (name: string, scope: PlanScope) => {
    const other = await planAfter(name, newPlan(), scope);
    const moved = { ...transfer(hashOf('refund'), 7n, 1, block), blockHash: hashOf('refund block') };
    const asset = { chainId: 31337, address: other.corridor.target.token };
    const money = { amount: moved.amount, asset };
    await change(other, scope, {
      type: 'REFUND_RECORDED',
      money,
      verification: 'REPORTED',
      transfer: moved,
    });
  };
  await refunded('refund of a stranger', bench.otherScope);
  assert.equal((await deposits()).length, 1, 'what a stranger tells hides nothing');
  await refunded('refund of the organisation', bench.scope);
  assert.deepEqual(await deposits(), []);
});

test('a second payment to the wallet of a plan is listed with the plan, until a plan counts it', async () => {
  const paysFrom = (plan: Plan): Plan => ({
    ...plan,
    corridor: { ...plan.corridor, target: { ...plan.corridor.target, payoutAddresses: [CUSTODIAN] } },
  });
  const toWallet = () =>
    paysFrom(newPlan({ recipient: { type: 'wallet', chainId: 31337, address: WALLET, fingerprint: 'w' } }));
  const plan = await paidPlan('first', toWallet());
  const twin = await bench.create(toWallet());
  const from = plan.watchFromBlock;
  const pays = { to: WALLET, from: CUSTODIAN };
  await record('first', from + 1, { ...pays, logIndex: 3 });
  await record('second', from + 2, pays);
  await record('before the plans', from - 1, pays);
  await record('reorganised', from + 3, { ...pays, canonical: false });
  await record('to nobody', from + 4, { ...pays, to: OTHER });
  // What a plan has asked for is on record whoever sent it.
  await record('asked for', from + 5, { ...pays, from: OTHER });
  const place = { blockHash: hashOf('asked for block'), blockNumber: from + 5, logIndexes: [1] };
  const asked = { txHash: hashOf('asked for'), ...place };
  await bench.store.record.request(bench.scope, twin.planId, 31337, asked);
  const payouts = async () => (await audit()).stray.filter(({ kind }) => kind === 'PAYOUT');
  const [second, ...more] = await payouts();
  assert.deepEqual(more, []);
  assert.deepEqual(second, {
    kind: 'PAYOUT',
    environment: 'sandbox',
    chainId: 31337,
    txHash: hashOf('second'),
    logIndex: 1,
    token: OTHER,
    from: CUSTODIAN,
    to: WALLET,
    amount: '7',
    plans: [twin.planId, plan.planId],
  });

  const told = async (name: string, scope = bench.scope) => {
    const refunded = await planAfter(name, newPlan(), scope);
    const asset = { chainId: 31337, address: refunded.corridor.target.token };
    const moved = { ...transfer(hashOf('second'), 7n, 1, from + 2), blockHash: hashOf('second block') };
    await change(refunded, scope, {
      type: 'REFUND_RECORDED',
      money: { amount: moved.amount, asset },
      verification: 'REPORTED',
      transfer: moved,
    });
  };
  await told('told by a stranger', bench.otherScope);
  assert.equal((await payouts()).length, 1);
  await told('told by the organisation');
  assert.deepEqual(await payouts(), []);
});

test('a part of a payout that is being confirmed is no stray transfer', async () => {
  const address = `0x${'d5'.repeat(20)}` as const;
  const recipient = { type: 'wallet', chainId: 31337, address, fingerprint: 'p' } as const;
  const plan = await planAfter('in parts', newPlan({ recipient }));
  const part = evidence(hashOf('part'), 7n, 'CONFIRMING');
  await change(plan, bench.scope, { ...payout(plan, part), part: true } as PlanCommand);
  await record('part', plan.watchFromBlock + 9, { to: address, from: CUSTODIAN, logIndex: 3 });
  const ofPart = async () => (await audit()).stray.filter(({ to }) => to === address);
  assert.deepEqual(await ofPart(), []);
  await record('another', plan.watchFromBlock + 9, { to: address, from: CUSTODIAN });
  assert.deepEqual(
    (await ofPart()).map(({ txHash }) => txHash),
    [hashOf('another')],
  );
});
