// Entries of statements follow payments that are told once more: no second entry is matched with the same money.
import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { amountOf, type Movement, movementIdOf, type Plan, type PlanId } from '@fairway/plan';
import { sql } from 'kysely';
import { statementFile } from './everyStatementOperation.ts';
import { contextAt } from './collecting.ts';
import { deposit, evidence, hashOf, MADE_AT_MS, stepId, swap } from './plans.ts';
import { openTestStore } from './storeOfTest.ts';

const BY = contextAt(MADE_AT_MS);
const OUTPUT = 10n ** 77n;

const bench = await openTestStore();
beforeEach(() => bench.clear());
after(() => bench?.close());

async function due(): Promise<Plan> {
  const plan = await bench.create();
  await bench.change(plan, deposit(plan, hashOf(`${plan.planId} in`)));
  return bench.change(plan, swap(plan, evidence(hashOf(`${plan.planId} out`), OUTPUT)));
}

function report(plan: Plan, told: object = {}): Promise<Plan> {
  const step = { stepId: stepId(plan, 'CUSTODIAN_PAYOUT'), providerReference: `PO ${plan.planId}` };
  return bench.change(plan, { type: 'PAYOUT_REPORTED', ...step, ...told });
}

/** The payout of a plan that was recorded last. */
function payoutOf({ ledger = [] }: Plan): Movement {
  const isPayout = ({ kind, reverses }: Movement) => kind === 'PAYOUT' && reverses === undefined;
  return ledger.findLast(isPayout) ?? assert.fail();
}

/** Imports entries of an amount, one for each reference, and gives their ids. */
async function imported(
  references: readonly string[],
  endToEndId?: string,
  minor = 1_234n,
): Promise<readonly string[]> {
  const rows = references.map((servicerReference) => ({
    ...{ minor, servicerReference },
    ...(endToEndId === undefined ? {} : { endToEndId }),
  }));
  const taken = await bench.store.statements.importStatement(bench.scope, statementFile(rows), BY);
  assert.ok(taken.ok);
  const { statementId } = taken.statement;
  const ask = { statementId, limit: 10, after: -1 };
  const listed = await bench.store.statements.listEntries(bench.scope, ask);
  assert.ok(listed.ok);
  return listed.entries.map(({ entry }) => entry.entryId);
}

/** An entry's status, and the movement that it has. */
async function now(entryId: string): Promise<string> {
  const { rows } = await sql<{ status: string; plan_id: string | null; movement_seq: number }>`
    select e.status, a.plan_id, a.movement_seq from statement_entries e
    left join entry_allocations a using (organisation_id, environment, entry_id)
    where e.entry_id = ${entryId}`.execute(bench.database);
  return rows
    .map(({ status, plan_id: planId, movement_seq: seq }) =>
      planId === null ? status : `${status} ${movementIdOf(planId as PlanId, seq)}`,
    )
    .join();
}

test('a correction of what was kept back leaves the entry with its payment', async () => {
  const plan = await due();
  const paid = { amount: '1234', asset: { currency: 'AUD' } };
  const told = { discharged: amountOf(OUTPUT - 5n), paid };
  const deduction = (reason: string) => ({ deductions: [{ amount: '5', reason }] });
  const before = await report(plan, { ...told, ...deduction('fee') });
  const { movementId: corrects, endToEndId = '' } = payoutOf(before);
  const [entry = ''] = await imported(['one'], endToEndId);
  assert.equal(await now(entry), `MATCHED ${corrects}`);
  const after = await report(before, { ...told, ...deduction('bank fee'), corrects });
  await bench.store.statements.matchPayments(bench.scope, plan.planId, BY);
  assert.equal(await now(entry), `MATCHED ${payoutOf(after).movementId}`);
  const [second = ''] = await imported(['two'], endToEndId);
  assert.match(await now(second), /^TENTATIVE/);
});

test('a person cannot match a second entry with a payment that was just told once more', async () => {
  const plan = await due();
  const first = await report(plan);
  const [one = '', two = ''] = await imported(['one', 'two']);
  const match = (entryId: string, { movementId }: Movement) => {
    const allocations = [{ movementId, minor: 1_234n }];
    const decision = { type: 'MATCH', allocations } as const;
    return bench.store.statements.decideEntry(bench.scope, entryId, decision, BY);
  };
  assert.ok((await match(one, payoutOf(first))).ok);
  const again = payoutOf(await report(first, { occurredAtMs: MADE_AT_MS }));
  const refused = await match(two, again);
  assert.equal(refused.ok ? 'matched' : refused.reason, 'MOVEMENT_TOO_SMALL');
  assert.equal(await now(one), `MATCHED ${again.movementId}`);
});

test('a second debit is not certain to be a corrected payment whose former movement has an entry', async () => {
  const correctedTo = async (correct: (plan: Plan, corrects: string) => Promise<Plan>, minor = 1_234n) => {
    const paid = { amount: '1234', asset: { currency: 'AUD' } };
    const told = { discharged: amountOf(OUTPUT - 5n), paid, deductions: [{ amount: '5', reason: 'fee' }] };
    const plan = await report(await due(), told);
    const { movementId, endToEndId = '' } = payoutOf(plan);
    const [first = ''] = await imported([`${movementId} one`], endToEndId);
    const [second = ''] = await imported([`${movementId} two`], endToEndId, minor);
    assert.match(await now(second), /^TENTATIVE/);
    const { movementId: again } = payoutOf(await correct(plan, movementId));
    await bench.store.statements.matchPayments(bench.scope, plan.planId, BY);
    assert.deepEqual([await now(first), await now(second)], [`MATCHED ${movementId}`, 'TENTATIVE']);
    // Once a person has said what the first entry is, the movement is as free as any other.
    const unmatched = await bench.store.statements.decideEntry(bench.scope, first, { type: 'UNMATCH' }, BY);
    assert.ok(unmatched.ok);
    await bench.store.statements.matchPayments(bench.scope, plan.planId, BY);
    assert.equal(await now(second), `MATCHED ${again}`);
  };
  const paid = (amount: string) => ({ paid: { amount, asset: { currency: 'AUD' } } });
  const kept = { discharged: amountOf(OUTPUT - 7n), deductions: [{ amount: '7', reason: 'fee' }] };
  await correctedTo((plan, corrects) => report(plan, { ...paid('1234'), ...kept, corrects }));
  await correctedTo((plan, corrects) => report(plan, { ...paid('1200'), ...kept, corrects }), 1_200n);
  await correctedTo(async (plan, corrects) => {
    const none = await report(plan, { discharged: amountOf(0n), corrects });
    return report(none, { ...paid('1234'), ...kept, corrects });
  });
});
