// The ledger as it is kept: its rows with their claims and references.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type Plan, type PlanCommand } from '@fairway/plan';
import { sql } from 'kysely';
import type { PlanScope } from '../src/index.ts';
import {
  deposit,
  deposited,
  depositGone,
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
const BROUGHT = 10n ** 77n;

/** Lets an event happen; 'DONE', or why it did not. */
async function told(plan: Plan, event: PlanCommand, scope: PlanScope = bench.scope): Promise<unknown> {
  const changed = await bench.store.payments.changePlan(scope, plan.planId, event, BY);
  if (changed.ok) return 'DONE';
  if (changed.reason === 'REFERENCE_USED') return `used by ${changed.planId}`;
  return changed.reason === 'TRANSFER_CLAIMED' ? changed.transfers : changed.reason;
}

/** A plan whose payout is due. */
async function payable(name: string, scope: PlanScope = bench.scope): Promise<Plan> {
  const plan = await bench.create(newPlan(), scope);
  const shown = evidence(hashOf(`${name} out`), BROUGHT);
  for (const event of [deposit(plan, hashOf(`${name} in`)), swap(plan, shown)])
    assert.equal(await told(plan, event, scope), 'DONE');
  return plan;
}

/** The payout, as the custodian's reference says. */
function paidBy(plan: Plan, providerReference: string): PlanCommand {
  const id = stepId(plan, 'CUSTODIAN_PAYOUT');
  return { type: 'PAYOUT_DONE', stepId: id, verification: 'REPORTED', providerReference };
}

async function stored(plan: Plan, scope: PlanScope = bench.scope): Promise<Plan> {
  const loaded = await bench.store.payments.loadPlan(scope, plan.planId);
  assert.ok(loaded.plan !== undefined);
  return loaded.plan;
}

/** Whose deposits the logs of a transaction are; those of lost claims in brackets. */
async function claimsOf(name: string): Promise<readonly string[]> {
  const { rows } = await sql<{ log_index: number; plan_id: string; lost: boolean }>`
    select log_index, plan_id, lost_at is not null as lost from settlements
    where tx_hash = ${hashOf(name)} order by log_index`.execute(bench.database);
  return rows.map(({ log_index, plan_id, lost }) => `${log_index} ${lost ? `(${plan_id})` : plan_id}`);
}

test('a provider reference settles one payout of an organisation', async () => {
  const [one, two, foreign] = [
    await payable('p1'),
    await payable('p2'),
    await payable('p3', bench.otherScope),
  ];
  assert.equal(await told(one, paidBy(one, 'PO-1')), 'DONE');
  const contents = await bench.contents();
  assert.equal(await told(two, paidBy(two, 'PO-1')), `used by ${one.planId}`);
  assert.deepEqual(await bench.contents(), contents, 'a refusal writes nothing');
  assert.equal(await told(foreign, paidBy(foreign, 'PO-1'), bench.otherScope), 'DONE');
  const other = evidence(hashOf('p2 paid'), BROUGHT);
  const both = { ...payout(two, other), providerReference: 'PO-1' } as PlanCommand;
  assert.equal(await told(two, both), `used by ${one.planId}`);
  assert.equal(await told(two, { ...both, providerReference: 'PO-2' } as PlanCommand), 'DONE');
});

test('of two plans that report one provider reference at the same time, one is paid', async () => {
  const plans = [await payable('s1'), await payable('s2'), await payable('s3')];
  const answers = await Promise.all(plans.map((plan) => told(plan, paidBy(plan, 'PO-same'))));
  assert.equal(answers.filter((answer) => answer === 'DONE').length, 1, answers.join());
  const winner = plans[answers.indexOf('DONE')]?.planId;
  for (const answer of answers) assert.ok(answer === 'DONE' || answer === `used by ${winner}`);
});

test('a payout that is mined again keeps its reference, which stays its own meanwhile', async () => {
  const [one, two] = [await payable('m1'), await payable('m2')];
  const paid = {
    ...payout(one, evidence(hashOf('m1 paid'), BROUGHT)),
    providerReference: 'PO-m',
  } as PlanCommand;
  assert.equal(await told(one, paid), 'DONE');
  const id = stepId(one, 'CUSTODIAN_PAYOUT');
  const txHash = hashOf('m1 paid');
  const lost: PlanCommand = { type: 'EVIDENCE_LOST', stepId: id, txHash, cause: 'REORGANISED' };
  assert.equal(await told(one, lost), 'DONE');
  assert.deepEqual(await claimsOf('m1 paid'), [`3 (${one.planId})`]);
  assert.equal(await told(two, paidBy(two, 'PO-m')), `used by ${one.planId}`);
  const again = evidence(hashOf('m1 paid'), BROUGHT, 'FINAL', 205);
  const moved = { ...again, transfers: again.transfers.map((each) => ({ ...each, logIndex: 9 })) };
  assert.equal(await told(one, { ...paid, evidence: moved } as PlanCommand), 'DONE');
  assert.deepEqual(await claimsOf('m1 paid'), [`9 ${one.planId}`], 'the lost claim is replaced');
  const { rows } = await sql<{ reference: string; movement_seq: number }>`
    select reference, movement_seq from payout_references where plan_id = ${one.planId} order by 1`.execute(
    bench.database,
  );
  const { seq } = (await stored(one)).ledger?.at(-1) ?? assert.fail();
  assert.deepEqual(rows, [
    { reference: `deposit-tx:31337:${hashOf('m1 in')}:0`, movement_seq: 1 },
    { reference: 'ref:po-m', movement_seq: seq },
    { reference: `tx:31337:${txHash}:9`, movement_seq: seq },
  ]);
});

const [ONE, TWO] = [`0x${'d1'.repeat(20)}`, `0x${'d2'.repeat(20)}`] as const;

/** A plan with a deposit address, and what the chain shows there of a transaction. */
async function addressed(address: `0x${string}`): Promise<Plan> {
  return bench.create(newPlan({ options: { slippageBps: 1, collectLifeMs: 1, depositAddress: address } }));
}

function seen(plan: Plan, name: string, logs: readonly number[], blockNumber = 200, units = 5n): PlanCommand {
  const transfers = logs.map((logIndex) => transfer(hashOf(name), units, logIndex, blockNumber));
  return deposited(plan, transfers, 0);
}

test('a lost claim yields its log index to another transfer, and its transfer to nobody', async () => {
  const [one, two] = [await addressed(ONE), await addressed(TWO)];
  await bench.change(one, seen(one, 'batch', [4]));
  await bench.change(two, seen(two, 'batch', [6]));
  for (const plan of [one, two]) await bench.change(plan, depositGone(await stored(plan), hashOf('batch')));
  assert.deepEqual(await claimsOf('batch'), [`4 (${one.planId})`, `6 (${two.planId})`]);
  // Mined again, each transfer has the index that the other one had.
  await bench.change(one, seen(one, 'batch', [6], 203));
  await bench.change(two, seen(two, 'batch', [4], 203));
  assert.deepEqual(await claimsOf('batch'), [`4 ${two.planId}`, `6 ${one.planId}`]);

  await bench.change(one, depositGone(await stored(one), hashOf('batch')));
  await bench.change(one, { type: 'TIME_PASSED' }, one.expiresAtMs);
  const heir = await addressed(ONE);
  for (const logIndex of [6, 8])
    assert.deepEqual(
      await told(heir, seen(heir, 'batch', [logIndex], 204)),
      [{ txHash: hashOf('batch'), logIndex }],
      'the transfer is of the plan that had it',
    );
  assert.deepEqual(
    await told(heir, seen(heir, 'batch', [8], 204, 7n)),
    'DONE',
    'another amount is another transfer',
  );
});

test('two equal transfers of one transaction stay those of their plans when mined again', async () => {
  const plans = [await payable('e1'), await payable('e2')];
  const shown = (logIndex: number, blockNumber: number) => {
    const paid = evidence(hashOf('equal'), BROUGHT, 'FINAL', blockNumber);
    return { ...paid, transfers: paid.transfers.map((each) => ({ ...each, logIndex })) };
  };
  for (const [index, plan] of plans.entries())
    assert.equal(await told(plan, payout(plan, shown(4 + index, 200))), 'DONE');
  for (const plan of plans) {
    const id = stepId(plan, 'CUSTODIAN_PAYOUT');
    const lost = {
      type: 'EVIDENCE_LOST',
      stepId: id,
      txHash: hashOf('equal'),
      cause: 'REORGANISED',
    } as const;
    assert.equal(await told(plan, lost), 'DONE');
  }
  const [one, two] = [plans[0] ?? assert.fail(), plans[1] ?? assert.fail()];
  const taken = [{ txHash: hashOf('equal'), logIndex: 5 }];
  assert.deepEqual(await told(one, payout(one, shown(5, 203))), taken, 'it was of the other plan');
  assert.equal(await told(one, payout(one, shown(6, 203))), 'DONE');
  assert.equal(await told(two, payout(two, shown(5, 203))), 'DONE');
  assert.deepEqual(await claimsOf('equal'), [`5 ${two.planId}`, `6 ${one.planId}`]);
});
