// A thousand entries with known meanings, many of them nearly something else. A certain match is never wrong.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runs, seed } from '@fairway/testing/properties';
import fc from 'fast-check';
import { accountForm, type MatchEntry, matchEntries, type MatchMovement, nameForm } from './index.ts';

/** What may be wrong with an entry. */
const SLIPS = [
  'NONE',
  'NO_REFERENCE',
  'DAY_OFF',
  'FAR_OFF',
  'REFERENCE_CUT',
  'REFERENCE_CUT_NO_NAME',
  'FEE_DEDUCTED',
  'FEE_DEDUCTED_NO_REFERENCE',
  'OTHER_CURRENCY',
  'OTHER_DIRECTION',
  'OTHER_NAME',
  'TWICE',
  'RETRIED',
  'MOVEMENT_UNKNOWN',
  'NAMES_ANOTHER',
  'NAMES_ANOTHER_TOO',
  'REVERSAL',
  'BOUNCED',
  'BOUNCED_LATE',
  'REUSED_REFERENCE',
  'REUSED_FAR_OFF',
  'NAME_OF_SIGNS',
  'OTHER_PAYEE',
  'OTHER_ACCOUNT',
] as const;
/** The kinds that are no payment of the ledger, however similar they look. */
const FOREIGN: readonly string[] = SLIPS.slice(SLIPS.indexOf('MOVEMENT_UNKNOWN'));
type Slip = (typeof SLIPS)[number];

type Truth = { readonly entry: MatchEntry; readonly movementId: string | undefined; readonly slip: Slip };

const DAYS = ['2026-11-20', '2026-11-21', '2026-11-22', '2026-11-23', '2026-11-24'];
const NAMES = ['Jo Citizen', 'Zoë O’Neil', 'Müller GmbH', 'Ann Lee'];
const shiftedBy = (day: string, days: number) =>
  new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10);

/** Payments of few amounts and names, so that many are alike, and what the bank says of each. */
const booked = fc.record({
  amount: fc.integer({ min: 1, max: 1_000 }),
  name: fc.constantFrom(...NAMES),
  day: fc.constantFrom(...DAYS),
  slip: fc.constantFrom(...SLIPS),
  hasReference: fc.boolean(),
});

function world(payments: readonly (typeof booked extends fc.Arbitrary<infer Payment> ? Payment : never)[]) {
  const movements: MatchMovement[] = [];
  const truths: Truth[] = [];
  for (const [index, { amount, name, day, slip, hasReference }] of payments.entries()) {
    const movementId = `mov_${index}`;
    const minor = BigInt(amount) * 100n;
    const endToEndId = `FW${String(index).padStart(12, '0')}E2E`;
    const failed = `FAILED-${String(index).padStart(10, '0')}`;
    const account = String(5_320_130_000 + index);
    const providerReference = `PRV-${String(index).padStart(10, '0')}`;
    if (slip !== 'MOVEMENT_UNKNOWN')
      movements.push({
        ...{ movementId, payment: `plan_${index}`, direction: 'OUT', currency: 'EUR', minor, taken: 0n },
        on: day,
        ...(hasReference ? { endToEndId, providerReference } : {}),
        ...(slip === 'BOUNCED' ? { failedOn: shiftedBy(day, -1) } : {}),
        ...(slip === 'RETRIED' || slip === 'BOUNCED_LATE'
          ? { failedOn: day, failedReferences: [failed] }
          : {}),
        nameForm: nameForm(slip === 'NAME_OF_SIGNS' ? '***' : name),
        accountForm: accountForm(`DE89 3704 0044 ${account}`),
      });
    const base: MatchEntry = {
      ...{ entryId: `ent_${index}`, direction: 'OUT', currency: 'EUR', minor, bookedOn: day, valueOn: day },
      ...{ isReversal: false, payments: hasReference ? [`plan_${index}`] : [], begunPayments: [] },
      references: hasReference ? [providerReference] : [],
      ...(hasReference ? { endToEndId } : {}),
      nameForm: nameForm(name.toUpperCase()),
      ...(index % 2 === 0 ? { accountForm: accountForm(account) } : {}),
    };
    const { endToEndId: _own, nameForm: _name, ...bare } = base;
    const cut = { ...bare, references: [], endToEndId: endToEndId.slice(0, 11), nameForm: nameForm(name) };
    const { nameForm: _cutName, ...cutUnnamed } = cut;
    const slipped: Readonly<Record<Slip, MatchEntry>> = {
      NONE: base,
      NO_REFERENCE: { ...bare, references: [], nameForm: nameForm(name) },
      DAY_OFF: { ...bare, references: [], nameForm: nameForm(name), valueOn: shiftedBy(day, 1) },
      FAR_OFF: { ...base, valueOn: shiftedBy(day, 30) },
      REFERENCE_CUT: cut,
      REFERENCE_CUT_NO_NAME: cutUnnamed,
      FEE_DEDUCTED: { ...base, minor: minor - 50n },
      FEE_DEDUCTED_NO_REFERENCE: { ...bare, references: [], nameForm: nameForm(name), minor: minor - 50n },
      OTHER_CURRENCY: { ...base, currency: 'USD' },
      OTHER_DIRECTION: { ...base, direction: 'IN' },
      OTHER_NAME: { ...bare, references: [], nameForm: nameForm('Somebody Else') },
      TWICE: base,
      RETRIED: base,
      MOVEMENT_UNKNOWN: base,
      NAMES_ANOTHER: { ...bare, references: [], nameForm: nameForm(name), payments: ['plan_other'] },
      NAMES_ANOTHER_TOO: { ...base, payments: [...base.payments, 'plan_other'] },
      REVERSAL: { ...base, isReversal: true },
      BOUNCED: { ...base, references: [] },
      BOUNCED_LATE: { ...base, references: [failed], bookedOn: shiftedBy(day, 3) },
      REUSED_REFERENCE: { ...bare, nameForm: nameForm('Somebody Else') },
      REUSED_FAR_OFF: { ...bare, valueOn: shiftedBy(day, 300) },
      NAME_OF_SIGNS: { ...bare, references: [], nameForm: nameForm('...') },
      OTHER_PAYEE: { ...base, nameForm: nameForm('Somebody Else') },
      OTHER_ACCOUNT: { ...base, accountForm: accountForm('DE02 1203 0000 0000 2020 51') },
    };
    const truth = { movementId: FOREIGN.includes(slip) ? undefined : movementId, slip };
    truths.push({ entry: slipped[slip], ...truth });
    const { entryId } = base;
    if (slip === 'TWICE')
      truths.push({ entry: { ...base, entryId: `${entryId}_again` }, slip, movementId: undefined });
    const attempt = { ...base, entryId: `${entryId}_failed`, references: [failed] };
    if (slip === 'RETRIED') truths.push({ entry: attempt, slip, movementId: undefined });
  }
  return { movements, truths };
}

/** Without a reference, nothing tells a payment that the ledger lacks, or has a month later, from a similar one. */
const isTellable = ({ slip, hasReference }: { slip: Slip; hasReference: boolean }) =>
  hasReference || (slip !== 'MOVEMENT_UNKNOWN' && slip !== 'FAR_OFF');

test('of a thousand entries no certain match is wrong, and every tentative one has its reasons', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(booked.filter(isTellable), { minLength: 1_000, maxLength: 1_000 }),
      async (payments) => {
        const { movements, truths } = world(payments);
        const results = await matchEntries(
          truths.map(({ entry }) => entry),
          movements,
        );
        const byEntry = new Map(results.map((result) => [result.entryId, result]));
        const taken = new Set<string>();
        let certain = 0;
        for (const { entry, movementId, slip } of truths) {
          const result = byEntry.get(entry.entryId);
          if (result?.status === 'TENTATIVE')
            assert.ok(
              result.proposals.length > 0 && result.proposals.every(({ reasons }) => reasons.length > 0),
            );
          if (result?.status !== 'MATCHED') continue;
          certain += 1;
          assert.ok(!taken.has(result.movementId), 'no movement is two entries');
          taken.add(result.movementId);
          const movement = movements.find((each) => each.movementId === result.movementId);
          assert.deepEqual(
            [movement?.minor, movement?.currency, movement?.direction],
            [entry.minor, entry.currency, entry.direction],
          );
          assert.equal(
            result.movementId,
            movementId,
            `${slip} ${JSON.stringify(entry, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))}`,
          );
        }
        assert.ok(certain > 50, `${certain} of ${truths.length} are certain`);
      },
    ),
    // A smaller example would take minutes to find: the slip and the entry are in the message.
    { seed, numRuns: runs(5), endOnFailure: true },
  );
});

test('payments that nothing else resembles are certain by amount, day and name', async () => {
  const lone = DAYS.map((day, index) => ({
    amount: 1_000 + index,
    name: NAMES[index % 4] ?? '',
    day,
    slip: 'DAY_OFF' as const,
    hasReference: false,
  }));
  const { movements, truths } = world(lone);
  const results = await matchEntries(
    truths.map(({ entry }) => entry),
    movements,
  );
  assert.deepEqual(
    results.map((result) => result.status === 'MATCHED' && result.movementId),
    truths.map(({ movementId }) => movementId),
  );
});

test('a retry of the same day is certain where the attempt that failed is told by its reference', async () => {
  const payment = { amount: 500, name: 'Jo Citizen', day: '2026-11-24', hasReference: true };
  const told = world([{ ...payment, slip: 'RETRIED' }]);
  const [failed] = told.truths.slice(1);
  // The bank gives the money of the failed attempt back.
  const bounce = { ...(failed ?? assert.fail()).entry, entryId: 'bounce', direction: 'IN' } as const;
  const entries = [...told.truths.map(({ entry }) => entry), bounce];
  const reasonsOf = async (movements: readonly MatchMovement[]) =>
    (await matchEntries(entries, movements)).map((result) =>
      result.status === 'MATCHED'
        ? result.movementId
        : result.proposals.flatMap(({ reasons }) => reasons).join(),
    );
  assert.deepEqual(await reasonsOf(told.movements), [
    'mov_0',
    'EARLIER_ATTEMPT',
    'DIRECTION_DIFFERS,EARLIER_ATTEMPT',
  ]);
  const unnamed = told.movements.map(({ failedReferences: _, ...movement }) => movement);
  assert.deepEqual(await reasonsOf(unnamed), [
    'SEVERAL_ENTRIES',
    'EARLIER_ATTEMPT,SEVERAL_ENTRIES',
    'DIRECTION_DIFFERS,EARLIER_ATTEMPT',
  ]);
});

test('a reference that the provider kept for a retry does not tell the attempts apart', async () => {
  const payment = { amount: 10, name: 'Ann Lee', day: '2026-10-05', hasReference: true };
  const told = world([{ ...payment, slip: 'RETRIED' }]);
  const [first] = told.truths;
  const kept = told.movements.map((movement) => ({
    ...movement,
    failedReferences: [movement.providerReference ?? assert.fail()],
  }));
  const [result] = await matchEntries([(first ?? assert.fail()).entry], kept);
  assert.ok(result?.status === 'TENTATIVE');
  assert.deepEqual(
    result.proposals.map(({ reasons }) => reasons),
    [['EARLIER_ATTEMPT']],
  );
});
