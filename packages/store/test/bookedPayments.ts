// Payments of plans that are told, and entries of statements that may be them.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { Amount, Plan } from '@fairway/plan';
import type { StatementUnit } from '@fairway/statements';
import { sql } from 'kysely';
import { statementFile } from './everyStatementOperation.ts';
import { contextAt } from './collecting.ts';
import { deposit, evidence, hashOf, MADE_AT_MS, newPlan, stepId, swap } from './plans.ts';
import type { TestStore } from './storeOfTest.ts';

export const BY = contextAt(MADE_AT_MS);
export const NAME = 'ZEBEDEE QUILLFEATHER';
export const newId = () => `FW${randomBytes(16).toString('hex').toUpperCase()}`;

export const payoutOf = (plan: Plan) => ({ stepId: stepId(plan, 'CUSTODIAN_PAYOUT') });
export const providerReferenceOf = (plan: Plan) => `${plan.planId.slice(-24)}-PROVIDER-OF-PAYOUTS`;

/** What makes and tells payments of a store, and imports entries. */
export function bookedPayments(bench: TestStore) {
  /** A plan that is due to be paid out. Its reference has its own number early enough for a field of 16 characters. */
  async function due(): Promise<Plan> {
    const number = randomBytes(4).toString('hex');
    const plan = newPlan({ clientReference: `INV/${number}-2026 services to the harbour office` });
    const made = await bench.create({ ...plan, endToEndId: newId() });
    await bench.change(made, deposit(made, hashOf(`${made.planId} in`)));
    return bench.change(made, swap(made, evidence(hashOf(`${made.planId} out`), 10n ** 77n)));
  }

  /** The payout of a plan is told, of 12.34. */
  function pay(plan: Plan, occurredAtMs = MADE_AT_MS): Promise<Plan> {
    return bench.change(plan, {
      ...{ type: 'PAYOUT_REPORTED', ...payoutOf(plan), providerReference: providerReferenceOf(plan) },
      occurredAtMs,
      paid: { amount: '1234' as Amount, asset: { currency: 'AUD' } },
    });
  }

  /** How an entry of 12.34 stands after its import: its status, what led to which plan, and what speaks against it. */
  async function imported(unit: Partial<StatementUnit>): Promise<readonly string[]> {
    const { statements } = bench.store;
    const file = statementFile([{ minor: 1_234n, servicerReference: newId().slice(20), ...unit }]);
    const taken = await statements.importStatement(bench.scope, file, BY);
    assert.ok(taken.ok);
    return stateOf(taken.statement.statementId);
  }

  /** How the entry of the newest statement stands now. */
  async function latest(): Promise<readonly string[]> {
    const { rows } = await sql<{ id: string }>`
      select statement_id as id from statements order by statement_id desc limit 1`.execute(bench.database);
    return stateOf(rows[0]?.id ?? '');
  }

  async function stateOf(statementId: string): Promise<readonly string[]> {
    const listed = await bench.store.statements.listEntries(bench.scope, { statementId, limit: 1 });
    const { entry } = (listed.ok ? listed.entries[0] : undefined) ?? assert.fail();
    const { status, allocations, proposals } = entry;
    return [
      status,
      ...allocations.flatMap(({ by, planId }) => [by, planId]),
      ...new Set(proposals.flatMap(({ reasons }) => reasons)),
    ];
  }

  /** A plan that is made after a statement, with this reference. */
  function madeLate(clientReference: string): Promise<Plan> {
    return bench.create({ ...newPlan({ clientReference }), endToEndId: newId() });
  }

  return { due, pay, imported, latest, stateOf, madeLate };
}
