import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cutForms, type MatchEntry, matchEntries, type MatchMovement, referenceForm } from './index.ts';
import { isNoReference } from './references.ts';

const MONEY = { direction: 'OUT', currency: 'EUR', minor: 5_000n } as const;
const PAYOUT: MatchMovement = {
  ...{ movementId: 'mov_1', payment: 'plan_1', ...MONEY, taken: 0n, on: '2026-11-24' },
  ...{
    endToEndId: 'FW0123456789ABCDEF0123456789ABCDEF',
    providerReference: 'PRV-2026/11-24 0001 batch of the day 7',
  },
};

/** References of the payout as banks change them, and what the entry is then. */
const CHANGED = [
  ['FW0123456789ABCDEF0123456789ABCDEF', []],
  ['fw0123456789abcdef0123456789abcdef', []],
  ['FW01 2345 6789 ABCD EF01 2345 6789 ABCD EF', []],
  ['FW0123456789ABCDEF01\n23456789ABCDEF', []],
  ['FW01234567-89AB-CDEF-0123-456789ABCDEF', []],
  ['FW0123456789ABCD', ['REFERENCE_CUT']],
  ['PRV-2026/11-24 0001 BATCH OF THE DAY 7', []],
  ['PRV202611240001BATCHOFTHEDAY7', []],
  ['prv 2026.11.24/0001 batch of the day 7', []],
  ['PRV-2026/11-24 0', ['REFERENCE_CUT']],
  ['PRV-2026/11-24 0001 batch of the day', ['REFERENCE_CUT']],
] as const;

for (const [reference, reasons] of CHANGED)
  test(`the reference ${JSON.stringify(reference)} leads to its payout`, async () => {
    const entry: MatchEntry = {
      ...{ entryId: 'ent_1', ...MONEY, bookedOn: '2026-11-24', valueOn: '2026-11-24', isReversal: false },
      ...{ references: [reference], payments: [], begunPayments: [] },
    };
    const inField = { ...entry, references: [], endToEndId: reference };
    for (const each of reference.toUpperCase().startsWith('FW') ? [entry, inField] : [entry]) {
      const [result] = await matchEntries([each], [PAYOUT]);
      const found = result?.status === 'TENTATIVE' ? result.proposals[0] : result;
      assert.equal(found?.movementId, 'mov_1');
      assert.deepEqual(result?.status === 'TENTATIVE' ? result.proposals[0]?.reasons : [], reasons);
    }
  });

test('of references that differ in signs alone, the one that the bank writes is meant', async () => {
  const movements = ['1-11', '11-1'].map((providerReference, index): MatchMovement => {
    const { endToEndId: _, ...bare } = PAYOUT;
    return { ...bare, movementId: `mov_${index}`, providerReference, minor: 5_000n + BigInt(index) };
  });
  const entry: MatchEntry = {
    ...{ entryId: 'ent_1', ...MONEY, minor: 5_001n, bookedOn: '2026-11-24', valueOn: '2026-11-24' },
    ...{ isReversal: false, references: ['1-11'], payments: [], begunPayments: [] },
  };
  const [result] = await matchEntries([entry], movements);
  assert.ok(result?.status === 'TENTATIVE');
  assert.deepEqual(result.proposals, [
    { movementId: 'mov_0', by: 'PROVIDER_REFERENCE', reasons: ['AMOUNT_DIFFERS'] },
  ]);
});

test('a reference may be cut with its signs or without them', () => {
  assert.deepEqual(cutForms('PAY-2026-11-24-0007'), ['PAY202611240007', 'PAY202611240']);
  assert.deepEqual(cutForms('---'), []);
  assert.equal(referenceForm('Rf18 5390-0754'), 'RF1853900754');
});

test('what says that there is no reference is none, in all its spellings', () => {
  for (const text of [
    'NOTPROVIDED',
    'Not Provided',
    'NOT-PROVIDED',
    'not_provided',
    'NONREF',
    'n/a',
    '-',
    '',
  ])
    assert.ok(isNoReference(text), text);
  for (const text of ['NOTPROVIDED1', 'REF', '0']) assert.ok(!isNoReference(text), text);
});
