import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { StatementSection, StatementUnit } from '@fairway/statements';
import type { KeptMap, StatementFile } from '../src/index.ts';
import { contextAt } from './collecting.ts';
import { deposit, evidence, hashOf, MADE_AT_MS, stepId, swap } from './plans.ts';
import type { TestStore } from './storeOfTest.ts';

const BY = contextAt(MADE_AT_MS);
const DAY = new Date(MADE_AT_MS).toISOString().slice(0, 10);
const SEPARATORS = { delimiter: ',', decimalSeparator: '.', dateFormat: 'YYYY-MM-DD' } as const;

/** A file with units of an account. */
export function statementFile(
  units: readonly Partial<StatementUnit>[],
  section: Partial<StatementSection> = {},
): StatementFile {
  const whole = units.map(
    (unit): StatementUnit => ({
      ...{ direction: 'OUT', minor: 1_000n, bookedOn: DAY, valueOn: DAY },
      ...{ isReversal: false, isRest: false, references: [] },
      ...unit,
    }),
  );
  const statementId = `stm_${randomBytes(16).toString('hex')}`;
  const sections = [{ account: 'AU12345678', currency: 'AUD', units: whole, ...section }];
  return { statementId, sha256: randomBytes(32), format: 'camt.053', sections };
}

/** Calls every operation on statements, with an entry that is a payout and one that is told anew. */
export async function useStatements(bench: TestStore): Promise<void> {
  const { scope } = bench;
  const { statements } = bench.store;
  const plan = await bench.create();
  await bench.change(plan, deposit(plan, hashOf('in of the statement')));
  await bench.change(plan, swap(plan, evidence(hashOf('out of the statement'), 10n ** 77n)));
  const paid = await bench.change(plan, {
    type: 'PAYOUT_DONE',
    stepId: stepId(plan, 'CUSTODIAN_PAYOUT'),
    verification: 'REPORTED',
    providerReference: 'PO-statement',
  });
  const [payout] = (paid.ledger ?? []).filter(({ kind }) => kind === 'PAYOUT');
  const movementId = payout?.movementId ?? assert.fail();
  const unit = { servicerReference: 'S-1', references: ['PO-statement'], name: 'Zebedee Quillfeather' };
  const balance = { minor: 1n, on: DAY };
  const file = statementFile([unit, {}], { opening: balance, closing: balance });
  const taken = await statements.importStatement(scope, file, BY);
  assert.ok(taken.ok && taken.outcome === 'IMPORTED' && taken.statement.counts.TENTATIVE === 1);
  assert.ok((await statements.importStatement(scope, file, BY)).ok);
  const again = statementFile([{ ...unit, name: 'Zebedee' }]);
  assert.ok((await statements.importStatement(scope, again, BY)).ok);
  const { statementId } = taken.statement;
  await statements.loadStatement(scope, statementId);
  await statements.listStatements(scope, { limit: 1, after: 'stm_z' });
  const asked = { statementId, status: 'TENTATIVE', isDiffering: true, limit: 1, after: -1 } as const;
  const listed = await statements.listEntries(scope, asked);
  assert.ok(listed.ok && listed.entries[0]?.movements.size === 1);
  const { entry } = listed.entries[0] ?? assert.fail();
  const match = { type: 'MATCH', allocations: [{ movementId, minor: 1n }] } as const;
  const decided = await statements.decideEntry(scope, entry.entryId, match, BY);
  assert.ok(decided.ok && decided.entry.status === 'PARTLY_MATCHED', JSON.stringify(decided.ok));
  await statements.showEntry(scope, decided.entry);
  const loaded = await statements.loadEntry(scope, entry.entryId);
  assert.deepEqual(loaded.found?.entry, decided.entry);
  for (const decision of [{ type: 'UNMATCH' }, { type: 'IGNORE', reason: 'fee' }] as const)
    assert.ok((await statements.decideEntry(scope, entry.entryId, decision, BY)).ok);
  const open = { statementId, limit: 1, after: movementId };
  assert.ok((await statements.unmatchedMovements(scope, open)).ok);
  const map: KeptMap['map'] = {
    ...{ account: 'AU12345678', currency: 'AUD', ...SEPARATORS },
    ...{ skipLines: 0, columns: { bookedOn: 'Day', amount: 'Amount' } },
  };
  assert.ok((await statements.keepMap(scope, { name: 'bank', map }, BY)).ok);
  await statements.loadMap(scope, 'bank');
  await statements.listMaps(scope);
  await useCertainMatch(bench, payout?.endToEndId ?? '');
  await statements.matchPayments(scope, plan.planId, BY);
  await bench.store.jobs.matchingTask(async () => {})({ ...scope, planId: plan.planId }, { id: '1' });
  const part = { sinceMs: MADE_AT_MS, limit: 1 };
  await bench.store.operator.republishEntries(part);
}

/** An entry whose amount is known to be that of the payout. */
async function useCertainMatch({ scope, store }: TestStore, endToEndId: string): Promise<void> {
  const { statements } = store;
  const file = statementFile([{ minor: 5n, endToEndId, servicerReference: 'S-2' }]);
  const taken = await statements.importStatement(scope, file, BY);
  assert.ok(taken.ok && taken.statement.counts.TENTATIVE === 1);
}
