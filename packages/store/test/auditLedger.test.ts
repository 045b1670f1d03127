// The audit of ledgers finds whatever was changed behind the service's back, and names the plan.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Plan, PlanEvent } from '@fairway/plan';
import { type RawBuilder, sql } from 'kysely';
import { deposit, evidence, hashOf, MADE_AT_MS, newPlan, payout, stepId, swap } from './plans.ts';
import { openTestStore, type TestStore } from './storeOfTest.ts';

let bench: TestStore;
before(async () => {
  bench = await openTestStore();
});
after(() => bench?.close());

const BROUGHT = 10n ** 77n;

async function planAfter(name: string, ...events: ((plan: Plan) => PlanEvent)[]): Promise<Plan> {
  const plan = await bench.create(newPlan(), bench.scope);
  for (const event of [
    (made: Plan) => deposit(made, hashOf(`${name} in`)),
    (made: Plan) => swap(made, evidence(hashOf(`${name} out`), BROUGHT)),
    ...events,
  ]) {
    const deed = { actor: 'cred_test', atMs: MADE_AT_MS + 5 };
    const changed = await bench.store.payments.changePlan(bench.scope, plan.planId, event(plan), deed);
    assert.ok(changed.ok, JSON.stringify(changed));
  }
  return plan;
}

async function audit() {
  const audited = await bench.store.ledger.audit(100, () => {});
  assert.ok(audited.ok);
  return audited;
}

const run = (statement: RawBuilder<unknown>) => statement.execute(bench.database);

test('every ledger that the service wrote is right, and so is its history', async () => {
  await bench.create(newPlan(), bench.scope);
  await planAfter('whole', (plan) => payout(plan, evidence(hashOf('whole paid'), BROUGHT)));
  await planAfter('reported', (plan) => ({
    type: 'PAYOUT_DONE',
    stepId: stepId(plan, 'CUSTODIAN_PAYOUT'),
    verification: 'REPORTED',
    providerReference: 'PO-9',
  }));
  const { findings } = await audit();
  assert.deepEqual(findings, { plans: 3, behind: 0, faults: [] });
});

test('what was changed behind the service is found, each by its name', async () => {
  const { planId } = await planAfter('spoilt', (plan) =>
    payout(plan, evidence(hashOf('spoilt paid'), BROUGHT)),
  );
  const spoilt: [string, RawBuilder<unknown>, RegExp][] = [
    [
      'REFERENCES_DIFFER',
      sql`delete from payout_references where plan_id = ${planId}`,
      /not kept: (deposit-tx:.*, )?tx:/,
    ],
    [
      'CLAIMS_DIFFER',
      sql`delete from settlements where plan_id = ${planId} and role = 'SWAP'`,
      /not kept: SWAP/,
    ],
    [
      'MOVEMENTS_MISSING',
      sql`delete from movements where plan_id = ${planId} and kind = 'DEPOSIT'`,
      /1 movements are missing/,
    ],
    [
      'HISTORY_DIFFERS',
      sql`update plans set amount_in = amount_in + 1 where plan_id = ${planId}`,
      /another plan/,
    ],
  ];
  for (const [kind, statement, detail] of spoilt) {
    await run(statement);
    const { faults } = (await audit()).findings;
    assert.ok(faults.every((fault) => fault.planId === planId));
    assert.match(faults.find((fault) => fault.kind === kind)?.detail ?? 'nothing', detail);
  }
});

test('transfers on a chain that count for no plan are listed', async () => {
  const watched = `0x${'a1'.repeat(20)}` as const;
  const other = `0x${'b2'.repeat(20)}`;
  const options = { slippageBps: 50, collectLifeMs: 14 * 86_400_000, depositAddress: watched };
  const { watchFromBlock: from, planId } = await bench.create(newPlan({ options }), bench.scope);
  const { environment } = bench.scope;
  const transfer = (
    name: string,
    block: number,
    to: string,
    sender: string,
    tag: string | null,
    canonical = true,
    untraced = false,
  ) =>
    run(sql`insert into chain_transfers (environment, chain_id, block_hash, log_index, block_number, block_time, tx_hash,
        token, from_address, to_address, amount, tag, untraced, canonical)
      values (${environment}, 31337, ${hashOf(`${name} block`)}, 1, ${block}, now(), ${hashOf(name)}, ${other}, ${sender},
        ${to}, 7, decode(${tag}, 'hex'), ${untraced}, ${canonical})`);
  await transfer('stray', from + 1, watched, other, null);
  await transfer('to itself', from + 1, watched, watched, null);
  await transfer('before the plan', from - 1, watched, other, null);
  await transfer('gone', from + 2, watched, other, null, false);
  await transfer('unknown tag', from + 3, other, watched, 'ab'.repeat(16));
  // Whoever copies the tag of a plan into a transaction of another kind has executed nothing.
  await transfer('copied tag', from + 5, other, watched, bench.store.planTag(planId, 0).slice(2));
  await transfer('untraced', from + 4, other, watched, null, true, true);
  const { stray } = await audit();
  assert.deepEqual(
    stray.map(({ kind, txHash, amount }) => [kind, txHash, amount]),
    [
      ['SWAP', hashOf('copied tag'), '7'],
      ['UNTRACED', hashOf('untraced'), '7'],
      ['SWAP', hashOf('unknown tag'), '7'],
      ['DEPOSIT', hashOf('stray'), '7'],
    ],
  );
});
