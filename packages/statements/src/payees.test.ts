import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type MatchEntry, matchEntries, type MatchMovement, nameForm } from './index.ts';

const MONEY = { direction: 'OUT', currency: 'PHP', minor: 5_000n } as const;
const MOVEMENT: MatchMovement = {
  ...{ movementId: 'mov_1', payment: 'plan_1', ...MONEY, taken: 0n, on: '2026-11-24', endToEndId: 'FW1' },
  ...{ nameForm: nameForm('Jo Citizen'), otherNameForm: nameForm('GCash') },
};
const ENTRY: MatchEntry = {
  ...{ entryId: 'ent_1', ...MONEY, bookedOn: '2026-11-24', valueOn: '2026-11-24', isReversal: false },
  ...{ endToEndId: 'FW1', references: [], payments: ['plan_1'], begunPayments: [] },
};

for (const [name, reasons] of [
  ['JO CITIZEN', []],
  ['GCASH', []],
  ['Mallory Smith', ['NAME_DIFFERS']],
] as const)
  test(`an eMoney payout that the bank shows as ${name} has the doubts [${reasons.join()}]`, async () => {
    const [result] = await matchEntries([{ ...ENTRY, nameForm: nameForm(name) }], [MOVEMENT]);
    const found = result?.status === 'TENTATIVE' ? result.proposals[0]?.reasons : [];
    assert.deepEqual([result?.status === 'MATCHED', found], [reasons.length === 0, reasons]);
  });
